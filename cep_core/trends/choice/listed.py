"""Trends of strict and partition contiguity and of skip-till-next-match: at most one for each start event and window.

Here the matching engine lists every match (docs/semantics.md, 3), and the occurrences in all matches are aggregated as
columns. Each branch of an OR has its own matches; a binding that several branches match counts once. Cost: the listing,
plus the events of all matches. This is polynomial, while GRETA, section 9, expects the cost of fewer edges.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cep_core.arrays import Ints, distinct
from cep_core.candidates.partitions import KeyTuples, matching_pairs
from cep_core.events.arrow_types import ARROW_TYPES
from cep_core.language.evaluator import Ownership
from cep_core.language.patterns.query import Query
from cep_core.language.patterns.values.expressions import column
from cep_core.numbers.codes import encode
from cep_core.numbers.groups import column_codes, group_rows
from cep_core.numbers.integers import Integers
from cep_core.trends.arrays.weights import weights_of
from cep_core.trends.choice.aggregation import aggregated_columns
from cep_core.trends.plan.aggregates import Aggregates
from cep_core.trends.result.groups import Groups, group_trends, least_by
from cep_core.trends.result.partial import Partial
from cep_core.trends.result.trends import Trends


@dataclass(frozen=True)
class Occurrences:
    """The events of n matches, match after match; those of one match in time order."""

    start: Ints
    """[n] The start of each match's window."""
    offsets: Ints
    """[n + 1] The first event of each match, then the number of events."""
    variable: Ints
    """The number of the variable in the sorted names."""
    row: Ints
    """The row in the events."""

    @property
    def match(self) -> Ints:
        """The match of each occurrence."""
        return np.repeat(np.arange(len(self.start)), np.diff(self.offsets))

    def take(self, wanted: Ints) -> Occurrences:
        """The given matches."""
        lengths = np.diff(self.offsets)[wanted]
        offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        places = np.repeat(self.offsets[wanted] - offsets[:-1], lengths) + np.arange(offsets[-1])
        return Occurrences(self.start[wanted], offsets, self.variable[places], self.row[places])


class Listed:
    """The matches of one pattern. Raises NotSupportedYet for patterns that the matching engine does not evaluate."""

    def __init__(self, query: Query, aggregates: Aggregates) -> None:
        from cep_core.matching.evaluator import MatchEvaluator  # most aggregations need no kernel of matching

        window = replace(query.window, slide=query.window.slide or query.window.size)
        self._query = query
        self._aggregates = aggregates
        self.names = sorted(variable.name for variable in query.positive)
        self._matching = MatchEvaluator(replace(query, aggregation=False, returns=(), group_by=(), window=window))

    def groups(self, events: pa.Table, owned: Ownership | None, partial: Partial) -> Iterator[Groups]:
        """The totals of all matches."""
        yield self.aggregated(self.occurrences(events, owned), events, partial)

    def describe(self) -> tuple[str, ...]:
        """The algorithm and its cost, for `explain`."""
        return (
            f"{self._query.strategy}: at most one match for each start event and window, listed and added up",
            *self._matching.describe(),
        )

    def occurrences(self, events: pa.Table, owned: Ownership | None) -> Occurrences:
        """The events of every match in an owned window."""
        share = None if owned is None else Ownership(owned.variables, owned.owns)
        listed = self._matching.evaluate(events, share)
        rows = pa.Table.from_batches([batch.replace_schema_metadata(None) for batch in listed])
        if owned is not None and owned.days is not None:
            certain = pc.subtract(rows.column("window_end"), 1)
            inside = pc.and_(pc.greater_equal(certain, owned.days[0]), pc.less(certain, owned.days[-1]))
            rows = rows.filter(inside)
        seq = column(events, "seq").to_numpy(zero_copy_only=False)
        by_seq = np.argsort(seq, kind="stable")
        match, variable, row = [], [], []
        for number, name in enumerate(self.names):
            bound = column(rows, name)
            if pa.types.is_list(bound.type):
                match.append(pc.list_parent_indices(bound).to_numpy(zero_copy_only=False))
                values = bound.flatten()
            else:
                match.append(np.flatnonzero(bound.is_valid().to_numpy(zero_copy_only=False)))
                values = bound.drop_null()
            variable.append(np.full(len(values), number))
            row.append(by_seq[np.searchsorted(seq, values.to_numpy(zero_copy_only=False), sorter=by_seq)])
        matches, numbers, places = (np.concatenate(part).astype(np.int64) for part in (match, variable, row))
        order = np.lexsort((numbers, places, matches))
        offsets = np.concatenate([[0], np.cumsum(np.bincount(matches, minlength=rows.num_rows))]).astype(np.int64)
        start = column(rows, "window_start").to_numpy(zero_copy_only=False)
        return Occurrences(start, offsets, numbers[order], places[order])

    def aggregated(self, matches: Occurrences, events: pa.Table, partial: Partial) -> Groups:
        """The totals of some matches."""
        keys = self._keys(matches, events, partial)
        codes = [code for name in keys.column_names for code in column_codes(keys.column(name))]
        partition, firsts = group_rows(codes or [np.zeros(len(matches.start), dtype=np.int64)])
        totals, shifts = self._totals(matches, events)
        minima, codings = [], []
        columns = self._columns(matches, events)
        for minimum in self._aggregates.minima:
            occurrence_codes, coding = encode(columns[minimum.attribute], minimum.largest)
            chosen = self._of(matches, minimum.variables)
            minima.append(least_by(occurrence_codes[chosen], matches.match[chosen], len(matches.start)))
            codings.append(coding)
        trends = Trends(partition, matches.start // partial.slide, totals, shifts, tuple(minima), tuple(codings))
        shared = keys.take(pa.array(firsts))
        return group_trends(trends, shared, partial.query.group_by, partial.slide)

    def _columns(self, matches: Occurrences, events: pa.Table) -> dict[str, pa.Array]:
        """The attributes that the totals and minima read, of each occurrence."""
        rows = pa.array(matches.row)
        return aggregated_columns(self._aggregates, lambda names: events.select(list(names)).take(rows))

    def _of(self, matches: Occurrences, variables: tuple[str, ...]) -> Ints:
        """The occurrences of the given variables."""
        numbers = [number for number, name in enumerate(self.names) if name in variables]
        return np.flatnonzero(np.isin(matches.variable, numbers))

    def _totals(self, matches: Occurrences, events: pa.Table) -> tuple[tuple[Integers, ...], tuple[int, ...]]:
        """For each match 1, then the totals of its occurrences; and the shift of each total (divided by 2**shift)."""
        carried, count = self._aggregates.totals, len(matches.start)
        columns = self._columns(matches, events)
        weights = weights_of(carried, (0,) * len(carried), columns, len(matches.row))
        parts: list[Integers] = [Integers(np.zeros(count, dtype=np.int64))] * weights.limbs.shape[1]
        for total, (plus, minus) in zip(carried, weights.places, strict=True):
            chosen = self._of(matches, total.variables)
            match = matches.match[chosen]
            for part in (plus, minus):
                if part is not None:
                    for limb in range(weights.limbs.shape[2]):
                        words = Integers(weights.limbs[chosen, part, limb].astype(np.int64)).sum_by(match, count)
                        parts[part] = parts[part].plus(words.shifted(np.full(count, 32 * limb)))
        counts = Integers(np.ones(count, dtype=np.int64))
        return (counts, *weights.totals(parts)), (0, *weights.shifts)

    def _keys(self, matches: Occurrences, events: pa.Table, partial: Partial) -> pa.Table:
        """The values of the grouped key classes. All events of a match that have a key share its value."""
        keys = {}
        for key in self._query.key_classes:
            if key.name not in partial.query.group_by:
                continue
            values = pa.nulls(len(matches.start), ARROW_TYPES[key.type])
            for variable, attribute in key.members:
                chosen = self._of(matches, (variable,))
                row = np.full(len(matches.start), -1, dtype=np.int64)
                row[matches.match[chosen]] = matches.row[chosen]
                bound = column(events, attribute).take(pa.array(row, mask=row < 0)).cast(values.type, safe=False)
                values = pc.coalesce(values, bound)
            keys[key.name] = values
        return pa.table(keys)


class ListedInBoth:
    """The matches that two patterns share: the same events bound to the same variable names in the same window."""

    def __init__(self, left: Listed, right: Listed) -> None:
        self._left = left
        self._right = right

    def groups(self, events: pa.Table, owned: Ownership | None, partial: Partial) -> Iterator[Groups]:
        """The totals of the matches that both have."""
        left, right = self._left.occurrences(events, owned), self._right.occurrences(events, owned)
        names = sorted({*self._left.names, *self._right.names})
        shared = _shared(_renumbered(left, self._left.names, names), _renumbered(right, self._right.names, names))
        yield self._left.aggregated(left.take(shared), events, partial)

    def describe(self) -> tuple[str, ...]:
        """The algorithm and its cost, for `explain`."""
        return ("matches that both sides list, compared event by event: O(events of all matches)",)


def _renumbered(matches: Occurrences, names: list[str], common: list[str]) -> Occurrences:
    number = np.array([common.index(name) for name in names], dtype=np.int64)
    return replace(matches, variable=number[matches.variable])


def _shared(first_side: Occurrences, second_side: Occurrences) -> Ints:
    """The matches of `first_side` that are also in `second_side`."""
    keys = [np.concatenate([side.row[side.offsets[:-1]] for side in (first_side, second_side)])]
    keys.append(np.concatenate([np.diff(side.offsets) for side in (first_side, second_side)]))
    keys.append(np.concatenate([side.start for side in (first_side, second_side)]))
    group, firsts = group_rows(keys)
    left, right = (KeyTuples({0: part}, len(part)) for part in np.split(group, [len(first_side.start)]))
    a, b = matching_pairs(left, right, [len(firsts)])
    matches, partners = first_side.take(a), second_side.take(b)
    differs = (matches.row != partners.row) | (matches.variable != partners.variable)
    return distinct(a[np.bincount(matches.match, differs, minlength=len(a)) == 0])

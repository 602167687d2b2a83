"""`P AND Q`: unordered pairs of different matches, one of each side (`docs/semantics.md` 3; GRETA, section 9).

Each side is a query of its own; its matches are listed and paired where they agree on every equivalence, lie in one
window together and pass the conditions that mention both. Two matches that both sides find make one pair, not two.

Cost: listing both sides, and for each value of the equivalences the product of their matches, compared in columns. The
number of matches of a side may be exponential, and all of them are held: say it with few. Compact rows cost the same.
Work (`pair_account`): events of listed matches and candidate pairs, both of which are known before pairs are compared.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property, partial

import numpy as np
import pyarrow as pa

from cep_core.arrays import Flags, Ints
from cep_core.language.budget import UNLIMITED, Budget, WorkExhausted
from cep_core.language.errors import NotSupportedYet
from cep_core.language.evaluator import CERTAIN, TOTALS, Ownership, ResultTable
from cep_core.language.patterns.bind.and_sides import alone, crossing
from cep_core.language.patterns.facts.compiled import CompiledQuery, refusals_in
from cep_core.language.patterns.query import Query
from cep_core.language.patterns.tree import Conjunction
from cep_core.matching.arrays.paths import Bound
from cep_core.matching.evaluator import MatchEvaluator
from cep_core.matching.judging.quantities import Matches
from cep_core.matching.pairs.compact_pairs import CompactPairs
from cep_core.matching.pairs.pair_account import PairAccount, side_budget
from cep_core.matching.pairs.pair_sides import (
    Side,
    are_different,
    bound_in,
    candidates,
    number_of_candidates,
    rows_of,
    sides_of,
)
from cep_core.matching.plan.conditions import check_judgeable
from cep_core.matching.result.match_rows import LAST_SEQ, PATH, ordered, partial_schema, result_schema, with_paths
from cep_core.matching.result.match_tables import match_tables
from cep_core.matching.result.merging import Cut, merge_partials
from cep_core.matching.result.totals import Days, Total, encode, owned_moments, part_of, parts


class PairEvaluator(CompiledQuery):
    """Evaluates `P AND Q` (`cep_core.language.evaluator.Evaluator`); arguments and refusals as of `MatchEvaluator`."""

    def __init__(
        self,
        query: Query,
        *,
        max_matches: int | None = None,
        collapsed: bool = False,
        budget: Budget = UNLIMITED,
    ) -> None:
        assert isinstance(query.pattern, Conjunction)
        super().__init__(query)
        self.budget = budget
        self.max_matches = None if collapsed else max_matches
        self.collapsed = collapsed
        with refusals_in(query):
            _check_pairable(query)
        self._halves = tuple(alone(query, pattern) for pattern in (query.pattern.left, query.pattern.right))
        self.sides = self._evaluators()
        self.crossing = crossing(query)
        with refusals_in(query):
            for condition in self.crossing:
                check_judgeable(condition)

    @property
    def schema(self) -> pa.Schema:
        return result_schema(self.query, collapsed=self.collapsed)

    @cached_property
    def tables(self) -> tuple[ResultTable, ...]:
        """The listing and, where it is cut, compact rows of all matches."""
        compact = partial(type(self), self.query, collapsed=True, budget=self.budget)
        return match_tables(self, self.query, by_listing=self.postpones, compact=None if self.collapsed else compact)

    @property
    def postpones(self) -> bool:
        return True

    def describe(self) -> tuple[str, ...]:
        """The algorithm and its cost, for `explain`."""
        lines = ["AND: the matches of each side are listed, then paired", "cost: both listings and the product of them"]
        for name, side in zip(("left", "right"), self.sides, strict=True):
            assert isinstance(side, MatchEvaluator)
            lines += [f"{name}: {line}" for line in side.describe()]
        return (*lines, *(f"{len(self.crossing)} condition(s) judged on pairs" for _ in self.crossing[:1]))

    def evaluate(
        self, events: pa.Table, owned: Ownership | None = None, points: pa.Array | None = None
    ) -> Iterator[pa.RecordBatch]:
        """Partial results: pairs, then an empty batch with the totals of each day in its metadata."""
        days = owned.days if owned is not None else None
        account = PairAccount(self.budget)
        try:
            totals = yield from self._paired(events, owned, days, account)
        except WorkExhausted as exhausted:
            totals = np.zeros(len(parts(days)), np.int64)
            account.stopped = exhausted
        named = dict(zip(parts(days), (Total(int(count)) for count in totals), strict=True))
        schema = partial_schema(self.schema).with_metadata({TOTALS: encode(named), **account.metadata(days)})
        yield pa.RecordBatch.from_arrays([pa.array([], field.type) for field in schema], schema=schema)

    def _paired(
        self, events: pa.Table, owned: Ownership | None, days: Days, account: PairAccount
    ) -> Generator[pa.RecordBatch, None, Ints]:
        """The pairs, and how many each day has; WorkExhausted as soon as the budget cannot suffice."""
        left, right = self._listed(events, None if owned is None else replace(owned, days=None), account)
        account.pair(number_of_candidates(left, right))
        found = np.zeros(len(parts(days)), np.int64)
        compact = CompactPairs()
        for one, other in candidates(left, right):
            fits = self._fits(left, right, one, other)
            one, other = one[fits], other[fits]
            pairs, good = self._pairs(left, right, one, other, events)
            certain = pairs[CERTAIN].to_numpy()
            kept = np.flatnonzero(good & owned_moments(certain, days))
            pairs, one, other = self._likely(left, right, pairs.take(pa.array(kept)), one[kept], other[kept], account)
            part = part_of(pairs[CERTAIN].to_numpy(), days)
            found += np.bincount(part, minlength=len(found))
            if self.collapsed:
                compact.add(_borders_of(pairs, left.group[one], part), one, other)
            else:
                yield from pairs.combine_chunks().to_batches()
        if self.collapsed:
            yield from self._compact_rows(compact, left, right, events)
        return found

    def merge(self, partials: Iterable[pa.RecordBatch], days: tuple[int, ...] | None = None) -> pa.Table:
        """One result, ordered and cut anew over all slices."""
        return merge_partials(partials, self.schema, Cut(days, self.max_matches, countable=True, budget=self.budget))

    def _evaluators(self) -> tuple[CompiledQuery, ...]:
        """What lists the matches of each side."""
        return tuple(MatchEvaluator(half, budget=side_budget(self.budget)) for half in self._halves)

    def _listed(self, events: pa.Table, owned: Ownership | None, account: PairAccount) -> tuple[Side, Side]:
        """All matches of both sides; WorkExhausted where there are too many."""
        tables, variables = [], []
        for side in self.sides:
            assert isinstance(side, MatchEvaluator)
            batches = account.listed(side.evaluate(events, owned), side.budget)
            table = with_paths(pa.Table.from_batches(batches, partial_schema(side.schema)))
            tables.append(table.take(pa.array(ordered(table))))
            variables.append(side.automaton.variables)
        with refusals_in(self.query):
            return sides_of(self.query, variables, tables, events)

    def _likely(
        self, left: Side, right: Side, pairs: pa.Table, one: Ints, other: Ints, account: PairAccount
    ) -> tuple[pa.Table, Ints, Ints]:
        """Those pairs that are likely enough: precise ones are certain."""
        return pairs, one, other

    def _fits(self, left: Side, right: Side, one: Ints, other: Ints) -> Flags:
        """Different matches, once, in one window."""
        good = are_different(left, right, one, other)
        if self.query.window.slide is None:
            firsts, lasts = (
                [side.table[name].to_numpy() for side in (left, right)] for name in ("first_ts", "last_ts")
            )
            span = np.maximum(lasts[0][one], lasts[1][other]) - np.minimum(firsts[0][one], firsts[1][other])
            good &= span <= self.query.window.size
        return good

    def _pairs(self, left: Side, right: Side, one: Ints, other: Ints, events: pa.Table) -> tuple[pa.Table, Flags]:
        """Pairs as rows, and which of them pass the conditions on both sides."""
        sides = {"left": left.table.take(pa.array(one)), "right": right.table.take(pa.array(other))}
        rows: dict[str, pa.Table] = {
            variable.name: sides["left" if variable.name in left.table.column_names else "right"]
            for variable in self.query.positive
        }
        bound = {name: bound_in(table, name) for name, table in rows.items()}
        bound = {name: Bound(its.offsets, rows_of(events, its.rows)) for name, its in bound.items()}
        lists = frozenset(variable.name for variable in self.query.positive if variable.kleene)
        matches = Matches(events, bound, lists, len(one))
        columns = self._borders(sides)
        columns |= {name: table[name] for name, table in rows.items()}
        for item in self.query.returns:
            assert item.expression is not None
            columns[item.column] = matches.compute(item.expression)
        schema = partial_schema(result_schema(self.query, collapsed=False))
        table = pa.table([columns[name] for name in schema.names], names=schema.names).cast(schema)
        good = np.ones(len(one), np.bool_)
        for condition in self.crossing:
            good &= matches.judge(condition)
        return table, good

    def _compact_rows(
        self, compact: CompactPairs, left: Side, right: Side, events: pa.Table
    ) -> Iterator[pa.RecordBatch]:
        """One row for all pairs with the same last event, window and values of the equivalences."""
        variables = []
        for variable in self.query.positive:
            of_left = variable.name in left.table.column_names
            bound = bound_in((left if of_left else right).table, variable.name)
            variables.append((of_left, Bound(bound.offsets, rows_of(events, bound.rows))))
        columns = compact.columns(variables, events, left.key)
        if columns:
            columns |= {variable.name: columns[number] for number, variable in enumerate(self.query.positive)}
            columns["window_end"] = pa.compute.add(columns["window_start"], self.query.window.size)
            schema = partial_schema(self.schema)
            table = pa.table([columns[name] for name in schema.names], names=schema.names).cast(schema)
            yield from table.combine_chunks().to_batches()

    def _borders(self, sides: Mapping[str, pa.Table]) -> dict[str, pa.Array]:
        """What a pair says of its first and last events, and when it is certain."""
        one, other = sides["left"], sides["right"]
        both = {name: (one[name].to_numpy(), other[name].to_numpy()) for name in ("first_ts", "last_ts", LAST_SEQ)}
        later = (both["last_ts"][1] > both["last_ts"][0]) | (
            (both["last_ts"][1] == both["last_ts"][0]) & (both[LAST_SEQ][1] > both[LAST_SEQ][0])
        )
        columns: dict[str, pa.Array] = {
            "first_ts": pa.array(np.minimum(*both["first_ts"])),
            "last_ts": pa.array(np.maximum(*both["last_ts"])),
            LAST_SEQ: pa.array(np.where(later, both[LAST_SEQ][1], both[LAST_SEQ][0])),
            CERTAIN: pa.array(np.maximum(one[CERTAIN].to_numpy(), other[CERTAIN].to_numpy())),
            PATH: _one_after_another(one[PATH].combine_chunks(), other[PATH].combine_chunks()),
        }
        if "window_start" in one.column_names:
            columns |= {name: one[name].combine_chunks() for name in ("window_start", "window_end")}
        return columns


def _borders_of(pairs: pa.Table, group: Ints, part: Ints) -> dict[str, Ints]:
    """What `CompactPairs` asks of pairs."""
    borders = {name: pairs[name].to_numpy() for name in ("first_ts", "last_ts", LAST_SEQ, CERTAIN)}
    windows = pairs["window_start"].to_numpy() if "window_start" in pairs.column_names else np.zeros(len(group), int)
    return {**borders, "window_start": windows, "group": group, "part": part}


def _check_pairable(query: Query) -> None:
    refused = ""
    if query.window.events:
        refused = "WITHIN a number of EVENTS around an AND is"
    elif query.skip is not None:
        refused = "AFTER MATCH SKIP after an AND is"
    if refused:
        raise NotSupportedYet(f"{refused} not supported yet", query.pattern.at)


def _one_after_another(one: pa.ListArray, other: pa.ListArray) -> pa.ListArray:
    """The elements of both lists of each row."""
    lengths = np.stack([np.diff(one.offsets.to_numpy()), np.diff(other.offsets.to_numpy())], axis=1)
    values = np.concatenate([one.flatten().to_numpy(), other.flatten().to_numpy()])
    starts = np.stack([one.offsets.to_numpy()[:-1] - one.offsets[0].as_py(), other.offsets.to_numpy()[:-1]], axis=1)
    starts[:, 1] += len(one.flatten()) - other.offsets[0].as_py() if len(other) else 0
    flat = lengths.reshape(-1)
    ends = np.cumsum(flat)
    places = (
        np.arange(ends[-1] if len(ends) else 0) - np.repeat(ends - flat, flat) + np.repeat(starts.reshape(-1), flat)
    )
    offsets = np.concatenate([[0], np.cumsum(lengths.sum(axis=1))])
    return pa.ListArray.from_arrays(pa.array(offsets.astype(np.int32)), pa.array(values[places]))

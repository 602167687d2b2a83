"""`P AND Q`: unordered pairs of different matches, one of each side (`docs/semantics.md` 3; GRETA, section 9).

Each side is a query of its own; its matches are listed and paired where they agree on every equivalence, lie in one
window together and pass the conditions that mention both. Two matches that both sides find make one pair, not two.

Cost: listing both sides, and for each value of the equivalences the product of their matches, compared in columns. The
number of matches of a side may be exponential, and all of them are held: say it with few.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from cep_core.language.errors import NotSupportedYet
from cep_core.language.evaluator import CERTAIN, TOTALS, Ownership
from cep_core.language.patterns.columns import column
from cep_core.language.patterns.compiled import CompiledQuery, refusals_in
from cep_core.language.patterns.naming import RIGHT
from cep_core.language.patterns.query import Query
from cep_core.language.patterns.sides import alone, crossing
from cep_core.language.patterns.tree import Conjunction
from cep_core.language.patterns.walk import units_of
from cep_core.matching.evaluator import MatchEvaluator
from cep_core.matching.merging import merge_partials
from cep_core.matching.network import Flags, Ints
from cep_core.matching.paths import Bound
from cep_core.matching.quantities import Matches, check_judgeable
from cep_core.matching.rows import LAST_SEQ, PATH, ordered, partial_schema, result_schema, with_paths
from cep_core.matching.totals import Total, encode, owned_moments, part_of, parts

PAIRS = 1 << 18
"""At most so many pairs are compared at once, unless one match has more partners."""


@dataclass(frozen=True)
class _Side:
    """n matches of one side, in order."""

    table: pa.Table
    binding: Ints
    """Matches of either side that bind the same events to the same variables, in one window, have the same number."""
    group: Ints
    """Only matches of one group pair."""

    @property
    def windows(self) -> Ints | None:
        return self.table["window_start"].to_numpy() if "window_start" in self.table.column_names else None


class PairEvaluator(CompiledQuery):
    """Evaluates `P AND Q` (`cep_core.language.evaluator.Evaluator`); refuses as `MatchEvaluator` does."""

    def __init__(self, query: Query, *, max_matches: int | None = None, collapsed: bool = False) -> None:
        assert isinstance(query.pattern, Conjunction)
        super().__init__(query)
        self.max_matches = max_matches
        with refusals_in(query):
            _check_pairable(query, collapsed)
        self.sides = tuple(
            MatchEvaluator(alone(query, pattern)) for pattern in (query.pattern.left, query.pattern.right)
        )
        self.crossing = crossing(query)
        with refusals_in(query):
            for condition in self.crossing:
                check_judgeable(condition)

    @property
    def schema(self) -> pa.Schema:
        return result_schema(self.query, collapsed=False)

    @property
    def postpones(self) -> bool:
        return True

    def describe(self) -> tuple[str, ...]:
        """The algorithm and its cost, for `explain`."""
        lines = ["AND: the matches of each side are listed, then paired", "cost: both listings and the product of them"]
        for name, side in zip(("left", "right"), self.sides, strict=True):
            lines += [f"{name}: {line}" for line in side.describe()]
        return (*lines, *(f"{len(self.crossing)} condition(s) judged on pairs" for _ in self.crossing[:1]))

    def evaluate(
        self, events: pa.Table, owned: Ownership | None = None, points: pa.Array | None = None
    ) -> Iterator[pa.RecordBatch]:
        """Partial results: pairs, then an empty batch with the totals of each day in its metadata."""
        days = owned.days if owned is not None else None
        everything = None if owned is None else replace(owned, days=None)
        tables = [with_paths(pa.Table.from_batches(list(side.evaluate(events, everything)))) for side in self.sides]
        with refusals_in(self.query):
            left, right = self._sides([table.take(pa.array(ordered(table))) for table in tables], events)
        found = np.zeros(len(parts(days)), np.int64)
        for one, other in _candidates(left, right):
            kept = self._fits(left, right, one, other)
            one, other = one[kept], other[kept]
            rows = self._rows(left, right, one, other, events)
            certain = rows[CERTAIN].to_numpy()
            inside = owned_moments(certain, days)
            found += np.bincount(part_of(certain[inside], days), minlength=len(found))
            yield from rows.filter(pa.array(inside)).combine_chunks().to_batches()
        totals = dict(zip(parts(days), (Total(int(count)) for count in found), strict=True))
        schema = partial_schema(self.schema).with_metadata({TOTALS: encode(totals)})
        yield pa.RecordBatch.from_arrays([pa.array([], field.type) for field in schema], schema=schema)

    def merge(self, partials: Iterable[pa.RecordBatch], days: tuple[int, ...] | None = None) -> pa.Table:
        """One result, ordered and cut anew over all slices."""
        return merge_partials(partials, self.schema, days, self.max_matches, countable=True)

    def _sides(self, tables: list[pa.Table], events: pa.Table) -> tuple[_Side, _Side]:
        names = [unit.variable.removesuffix(RIGHT) for side in self.sides for unit in units_of(side.query.pattern)]
        known = list(dict.fromkeys(names))
        pieces, sizes = [], [table.num_rows for table in tables]
        for side, table in zip(self.sides, tables, strict=True):
            paths = table[PATH].combine_chunks()
            flat = paths.flatten().to_numpy().reshape(-1, 2).copy()
            number = [known.index(name.removesuffix(RIGHT)) for name in side.automaton.variables]
            flat[:, 1] = np.array(number, np.int64)[flat[:, 1]]
            pieces.append((flat, np.diff(paths.offsets.to_numpy())))
        flat = np.concatenate([piece[0] for piece in pieces])
        offsets = np.concatenate([[0], np.cumsum(np.concatenate([piece[1] for piece in pieces]) * 8)])
        buffers = [None, pa.py_buffer(offsets.astype(np.int64)), pa.py_buffer(np.ascontiguousarray(flat))]
        keys = pa.LargeBinaryArray.from_buffers(pa.large_binary(), sum(sizes), buffers)
        columns = [keys.dictionary_encode().indices.to_numpy().astype(np.int64)]
        groups = [self._key(k, tables, events) for k in range(len(self.query.key_classes))]
        if self.query.window.slide is not None:
            starts = np.concatenate([table["window_start"].to_numpy() for table in tables])
            columns.append(starts)
            groups.append(starts)
        binding, group = _numbered(columns, sum(sizes)), _numbered(groups, sum(sizes))
        cut = sizes[0]
        return (
            _Side(tables[0], binding[:cut], group[:cut]),
            _Side(tables[1], binding[cut:], group[cut:]),
        )

    def _key(self, number: int, tables: list[pa.Table], events: pa.Table) -> Ints:
        """By match of either side, a number of the value that its events carry."""
        key = self.query.key_classes[number]
        if not key.slices:
            message = f"an equivalence that some pair does not bind is not supported yet: {key.name}"
            raise NotSupportedYet(message, key.at)
        found = []
        for table in tables:
            values = pa.nulls(table.num_rows, column(events, key.members[0][1]).type)
            for variable, attribute in key.members:
                if variable in table.column_names:
                    bound = self._bound(table, variable)
                    rows = np.append(_rows_of(events, bound.rows), -1)[bound.offsets[:-1]]
                    first = pa.array(rows, mask=~bound.present)
                    values = pa.compute.coalesce(values, column(events, attribute).take(first).cast(values.type))
            found.append(values)
        return pa.concat_arrays(found).dictionary_encode().indices.fill_null(-1).to_numpy().astype(np.int64)

    def _bound(self, table: pa.Table, variable: str) -> Bound:
        """The seqs of a variable's events in each match."""
        values = table[variable].combine_chunks()
        present = values.is_valid().to_numpy(zero_copy_only=False)
        if not pa.types.is_list(values.type):
            return Bound(np.concatenate([[0], np.cumsum(present)]), values.drop_null().to_numpy())
        lengths = np.where(present, np.diff(values.offsets.to_numpy()), 0)
        return Bound(np.concatenate([[0], np.cumsum(lengths)]), values.flatten().to_numpy())

    def _fits(self, left: _Side, right: _Side, one: Ints, other: Ints) -> Flags:
        """Different matches, once, in one window."""
        good = left.binding[one] != right.binding[other]
        place = {int(number): k for k, number in enumerate(left.binding)}
        partner = np.array([place.get(int(number), -1) for number in right.binding], np.int64)
        shared = np.isin(left.binding, right.binding)
        good &= ~(shared[one] & (partner[other] >= 0) & (partner[other] < one))
        if self.query.window.slide is None:
            first = np.minimum(_ints(left, "first_ts")[one], _ints(right, "first_ts")[other])
            last = np.maximum(_ints(left, "last_ts")[one], _ints(right, "last_ts")[other])
            good &= last - first <= self.query.window.size
        return good

    def _rows(self, left: _Side, right: _Side, one: Ints, other: Ints, events: pa.Table) -> pa.Table:
        """Pairs as rows, those that fail a condition on both sides left out."""
        sides = {"left": left.table.take(pa.array(one)), "right": right.table.take(pa.array(other))}
        rows: dict[str, pa.Table] = {
            variable.name: sides["left" if variable.name in left.table.column_names else "right"]
            for variable in self.query.positive
        }
        bound = {name: self._bound(table, name) for name, table in rows.items()}
        bound = {name: Bound(its.offsets, _rows_of(events, its.rows)) for name, its in bound.items()}
        lists = frozenset(variable.name for variable in self.query.positive if variable.kleene)
        matches = Matches(events, bound, lists, len(one))
        columns = self._borders(sides)
        columns |= {name: table[name] for name, table in rows.items()}
        for item in self.query.returns:
            assert item.expression is not None
            columns[item.column] = matches.compute(item.expression)
        schema = partial_schema(self.schema)
        table = pa.table([columns[name] for name in schema.names], names=schema.names).cast(schema)
        good = np.ones(len(one), np.bool_)
        for condition in self.crossing:
            good &= matches.judge(condition)
        return table.filter(pa.array(good))

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


def _check_pairable(query: Query, collapsed: bool) -> None:
    refused = ""
    if collapsed:
        refused = "compact results of an AND are"
    elif query.window.events:
        refused = "WITHIN a number of EVENTS around an AND is"
    elif query.skip is not None:
        refused = "AFTER MATCH SKIP after an AND is"
    if refused:
        raise NotSupportedYet(f"{refused} not supported yet", query.pattern.at)


def _candidates(left: _Side, right: _Side) -> Iterator[tuple[Ints, Ints]]:
    """All pairs of matches of one group, by number, some at a time."""
    order = np.argsort(right.group, kind="stable")
    lows = np.searchsorted(right.group[order], left.group, side="left")
    counts = np.searchsorted(right.group[order], left.group, side="right") - lows
    ends = np.cumsum(counts)
    begin = 0
    while begin < len(counts):
        before = ends[begin - 1] if begin else 0
        end = max(int(np.searchsorted(ends, before + PAIRS, side="right")), begin + 1)
        some = counts[begin:end]
        one = np.repeat(np.arange(begin, end), some)
        place = np.arange(some.sum()) - np.repeat(np.cumsum(some) - some, some) + np.repeat(lows[begin:end], some)
        yield one, order[place]
        begin = end


def _numbered(columns: list[Ints], size: int) -> Ints:
    """Rows that agree in every column have the same number."""
    if not columns:
        return np.zeros(size, np.int64)
    numbers: Ints = np.unique(np.stack(columns), axis=1, return_inverse=True)[1].reshape(-1)
    return numbers


def _ints(side: _Side, name: str) -> Ints:
    values: Ints = side.table[name].to_numpy()
    return values


def _rows_of(events: pa.Table, seqs: Ints) -> Ints:
    """The rows of events by their seqs."""
    known = events["seq"].to_numpy()
    order = np.argsort(known, kind="stable")
    return order[np.searchsorted(known[order], seqs)] if len(known) else seqs


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

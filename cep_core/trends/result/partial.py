"""The rows that a slice returns for each group and window, and the result of all slices: one description of both.

Each part of a partial row and each item of the result names its columns together with the function that fills them.
Both schemas follow from these parts. A partial row has the attributes of the group, `window_start`, `certain`, each
total, and each extreme value. A total has three columns: an int64; a binary for numbers that do not fit a machine word;
and the shift, where the total is its number divided by 2**shift (docs/language.md, Results).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from cep_core.aggregates.aggregate import Merged
from cep_core.arrays import Ints
from cep_core.events.arrow_types import ARROW_TYPES
from cep_core.events.chunks import one_array
from cep_core.events.schema import AttributeType
from cep_core.language.evaluator import CERTAIN
from cep_core.language.patterns.query import Query
from cep_core.numbers.codes import decode, encode
from cep_core.numbers.groups import column_codes, group_rows
from cep_core.numbers.integers import Integers
from cep_core.trends.plan.aggregates import Aggregates, ReturnedItem
from cep_core.trends.result.groups import Groups, least_by

TOTAL = (("total", pa.int64()), ("large", pa.binary()), ("shift", pa.int32()))
"""The columns of a total in a partial row."""


class PartialPart(NamedTuple):
    """Some columns of a row, and the function that fills them."""

    fields: tuple[pa.Field, ...]
    values: Callable[[Groups], Sequence[pa.Array | pa.ChunkedArray]]


@dataclass(frozen=True)
class Partial:
    """The rows of an aggregation query: the rows of a slice, and the rows of the result."""

    query: Query
    aggregates: Aggregates
    exact: bool
    """Whether the result has all digits of counts and of integer sums."""

    @property
    def size(self) -> int:
        """Length of a window."""
        return self.query.window.size

    @property
    def slide(self) -> int:
        """Distance between window starts. Without SLIDE windows tumble."""
        return self.query.window.slide or self.query.window.size

    @cached_property
    def schema(self) -> pa.Schema:
        """The columns of a partial row."""
        return _schema_of(self._partial_parts)

    @cached_property
    def result_schema(self) -> pa.Schema:
        """The columns of the result, without `certain`."""
        return _schema_of(self._result_parts)

    @cached_property
    def _result_and_certain(self) -> pa.Schema:
        return _schema_of((*self._result_parts, self._certain))

    def batch(self, groups: Groups) -> pa.RecordBatch:
        """The groups as partial rows. Merging adds the rows of one group and window."""
        arrays = [one_array(array) for array in _filled(self._partial_parts, groups)]
        return pa.RecordBatch.from_arrays(arrays, schema=self.schema)

    def merge(self, partials: pa.Table) -> Groups:
        """One row for each group and window from the rows of all slices. Totals are added, extremes are combined."""
        names = [field.name for field in self._keys]
        start = partials.column("window_start").to_numpy()
        rows, firsts = group_rows([start, *(code for name in names for code in column_codes(partials.column(name)))])
        count = len(firsts)
        totals = [self._merged_total(partials, i, rows, count) for i in range(self._totals)]
        extremes = []
        for i, extreme in enumerate(self.aggregates.minima):
            codes, coding = encode(one_array(partials.column(f"minimum_{i}")), extreme.largest)
            extremes.append(decode(least_by(codes, rows, count), coding))
        keys = partials.select(names).take(pa.array(firsts)).rename_columns(list(self.query.group_by))
        return Groups(
            keys,
            start[firsts],
            tuple(total for total, _ in totals),
            tuple(np.full(count, shift, dtype=np.int64) for _, shift in totals),
            tuple(extremes),
        )

    def result(self, groups: Groups) -> pa.Table:
        """The columns of the result, ordered by window, then group."""
        return pa.Table.from_arrays(_filled(self._result_parts, groups), schema=self.result_schema)

    def result_and_certain(self, groups: Groups) -> pa.Table:
        """The columns of the result and `certain`."""
        parts = (*self._result_parts, self._certain)
        return pa.Table.from_arrays(_filled(parts, groups), schema=self._result_and_certain)

    # ------------------------------------------------------------ parts

    @property
    def _totals(self) -> int:
        """The number of totals, including the number of trends."""
        return 1 + len(self.aggregates.totals)

    @cached_property
    def _keys(self) -> tuple[pa.Field, ...]:
        """The grouped attributes, under the names that RETURN gives them."""
        types = {key.name: ARROW_TYPES[key.type] for key in self.query.key_classes}
        names = {item.attribute: item.column for item in self.query.returns if item.attribute is not None}
        return tuple(pa.field(names.get(name, name), types[name]) for name in self.query.group_by)

    @property
    def _group(self) -> tuple[PartialPart, ...]:
        """The first columns of both kinds of rows: the group, and the start of the window."""
        keys = [_key(name, field) for name, field in zip(self.query.group_by, self._keys, strict=True)]
        return (*keys, _moment("window_start", 0))

    @cached_property
    def _certain(self) -> PartialPart:
        return _moment(CERTAIN, self.size - 1)

    @cached_property
    def _partial_parts(self) -> tuple[PartialPart, ...]:
        extremes = [_extreme(i, extreme.type) for i, extreme in enumerate(self.aggregates.minima)]
        return (*self._group, self._certain, *map(_total, range(self._totals)), *extremes)

    @cached_property
    def _result_parts(self) -> tuple[PartialPart, ...]:
        items = [self._item(item) for item in self.aggregates.items]
        return (*self._group, _moment("window_end", self.size), *items)

    def _item(self, item: ReturnedItem) -> PartialPart:
        """The columns of an item of RETURN, which its aggregate defines."""
        aggregate, name = item.source.aggregate, item.source.column
        assert aggregate is not None
        returned = aggregate.returned(item.source.type, exact=self.exact)

        def values(groups: Groups) -> Sequence[pa.Array]:
            totals = tuple(groups.totals[place] for place in item.totals)
            shifts = tuple(groups.shifts[place] for place in item.totals)
            extremes = tuple(groups.minima[place] for place in item.minima)
            return returned.values(Merged(groups.totals[0], totals, shifts, extremes))

        return PartialPart(tuple(pa.field(name + suffix, kind) for suffix, kind in returned.columns), values)

    def _merged_total(self, partials: pa.Table, i: int, rows: Ints, count: int) -> tuple[Integers, int]:
        """Total i of each group, as numbers, and their common shift: each total is its number divided by 2**shift."""
        small, large, shifts = (one_array(partials.column(f"{name}_{i}")) for name, _ in TOTAL)
        shift = shifts.to_numpy().astype(np.int64)
        largest = int(shift.max(initial=0))
        return Integers.from_arrow(small, large).shifted(largest - shift).sum_by(rows, count), largest


def _key(name: str, field: pa.Field) -> PartialPart:
    """A grouped attribute."""
    return PartialPart((field,), lambda groups: [groups.keys.column(name).cast(field.type)])


def _moment(name: str, after: int) -> PartialPart:
    """The moment `after` units after the window's start."""
    return PartialPart((pa.field(name, pa.int64()),), lambda groups: [pa.array(groups.start + after, pa.int64())])


def _total(i: int) -> PartialPart:
    """A total in a partial row."""
    fields = tuple(pa.field(f"{name}_{i}", kind) for name, kind in TOTAL)
    return PartialPart(fields, lambda groups: [*groups.totals[i].to_arrow(), pa.array(groups.shifts[i], pa.int32())])


def _extreme(i: int, kind: AttributeType) -> PartialPart:
    """An extreme value in a partial row."""
    return PartialPart((pa.field(f"minimum_{i}", ARROW_TYPES[kind]),), lambda groups: [groups.minima[i]])


def _schema_of(parts: Iterable[PartialPart]) -> pa.Schema:
    return pa.schema([field for part in parts for field in part.fields])


def _filled(parts: Iterable[PartialPart], groups: Groups) -> list[pa.Array | pa.ChunkedArray]:
    return [array for part in parts for array in part.values(groups)]

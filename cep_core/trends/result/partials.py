"""What one slice tells of each group and window: exact totals and minima, which merge in any order.

A partial row has the group's attributes, `window_start`, `certain`, and for each total an int64 with a binary beside it
for numbers beyond a machine word; float sums also the power of two that their number is over.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from cep_core.arrays import NOTHING, Ints
from cep_core.numbers.codes import decode, encode
from cep_core.numbers.groups import column_codes, group_rows
from cep_core.numbers.integers import Integers
from cep_core.trends.plan.layout import Layout
from cep_core.trends.result.trends import Trends


@dataclass(frozen=True)
class Groups:
    """One row for each group and window, by window, then group."""

    keys: pa.Table
    """The group's attributes."""
    start: Ints
    """Start of the window."""
    totals: tuple[Integers, ...]
    shifts: tuple[Ints, ...]
    minima: tuple[pa.Array, ...]


def partial_of(
    trends: Trends, keys: pa.Table, partitions: int, layout: Layout, *, negative: bool = False
) -> pa.RecordBatch:
    """One slice's rows: the partitions of each group merged. `keys`: the values that each partition shares.

    A grouped attribute without a key is one that no event of these trends has: its group is null. `negative`: the
    trends are taken off what other rows count; merging adds up.
    """
    names = layout.query.group_by
    shared = [name for name in names if name in keys.column_names]
    key = [part for name in shared for part in column_codes(keys.column(name))]
    partition_group, group_partition = group_rows(key or [np.zeros(partitions, dtype=np.int64)])
    groups, firsts = group_rows([partition_group[trends.partition], trends.window])
    count = len(firsts)
    start = trends.window[firsts] * layout.slide
    arrays = []
    chosen = pa.array(group_partition[partition_group[trends.partition[firsts]]])
    for name, field in zip(names, layout.groups, strict=True):
        known = name in shared
        arrays.append(keys.column(name).take(chosen).cast(field.type) if known else pa.nulls(count, field.type))
    arrays += [pa.array(start, pa.int64()), pa.array(start + layout.size - 1, pa.int64())]
    for total, shift in zip(trends.totals, trends.shifts, strict=True):
        summed = total.sum_by(groups, count)
        summed = summed.negative() if negative else summed
        arrays += [*summed.to_arrow(), pa.array(np.full(count, shift), pa.int32())]
    for codes, coding in zip(trends.minima, trends.codings, strict=True):
        arrays.append(decode(_least(codes, groups, count), coding))
    return pa.RecordBatch.from_arrays([_single(array) for array in arrays], schema=layout.partial)


def merge_partials(partials: pa.Table, layout: Layout) -> Groups:
    """One row for each group and window from the partial rows of all slices: COUNT and SUM add, MIN and MAX combine."""
    names = [field.name for field in layout.groups]
    start = partials.column("window_start").to_numpy()
    groups, firsts = group_rows([start, *(code for name in names for code in column_codes(partials.column(name)))])
    count = len(firsts)
    totals, shifts = [], []
    for i in range(layout.totals):
        shift = partials.column(f"shift_{i}").to_numpy().astype(np.int64)
        most = int(shift.max(initial=0))
        small, large = (_single(partials.column(f"{name}_{i}")) for name in ("total", "large"))
        totals.append(Integers.from_arrow(small, large).shifted(most - shift).sum_by(groups, count))
        shifts.append(np.full(count, most, dtype=np.int64))
    minima = []
    for i, minimum in enumerate(layout.aggregates.minima):
        codes, coding = encode(_single(partials.column(f"minimum_{i}")), minimum.largest)
        minima.append(decode(_least(codes, groups, count), coding))
    return Groups(
        partials.select(names).take(pa.array(firsts)), start[firsts], tuple(totals), tuple(shifts), tuple(minima)
    )


def batch_of(groups: Groups, layout: Layout) -> pa.RecordBatch:
    """Groups of a finer key as partial rows: several for a group, which merging adds up."""
    chosen = zip(layout.query.group_by, layout.groups, strict=True)
    arrays = [groups.keys.column(name).cast(field.type) for name, field in chosen]
    arrays += [pa.array(groups.start, pa.int64()), pa.array(groups.start + layout.size - 1, pa.int64())]
    for total, shift in zip(groups.totals, groups.shifts, strict=True):
        arrays += [*total.to_arrow(), pa.array(shift, pa.int32())]
    arrays += groups.minima
    return pa.RecordBatch.from_arrays([_single(array) for array in arrays], schema=layout.partial)


def _least(codes: Ints, groups: Ints, count: int) -> Ints:
    least = np.full(count, NOTHING, dtype=np.int64)
    np.minimum.at(least, groups, codes)
    return least


def _single(column: pa.ChunkedArray | pa.Array) -> pa.Array:
    return column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column

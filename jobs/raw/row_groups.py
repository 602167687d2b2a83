"""Which row groups of a Parquet file a run need not read: all of whose rows are of days that it does not see.

Known from the footer: the smallest and the largest value of the column that tells the days, and that none is null. Only
of columns all of whose values between the two have a day is anything known: signed integers, time stamps and dates.
A group with a null, with a value outside the calendar or without statistics is read by every run, and so is one with
rows before the log's first day and after: how many are missed is not known from the footer.
Cost: a look at the footer for each row group.
"""

from __future__ import annotations

import json
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping

import numpy as np
import pyarrow.parquet as pq

from jobs.raw.row_days import FarRows, RowDays

_DAY = 86_400_000_000

_MICROSECONDS: Mapping[str | None, Callable[[int], int]] = {
    "milliseconds": lambda stored: stored * 1_000,
    "microseconds": int,
    "nanoseconds": lambda ns: ns // 1_000,
}
_MOST = 1 << 62
"""Larger numbers than any moment of the calendar, in any unit that counts from 1970."""


def far_groups(footer: pq.FileMetaData, time: RowDays) -> dict[int, FarRows]:
    """The row groups of which the run sees no row, and their rows."""
    leaves = [leaf for leaf in range(footer.num_columns) if footer.schema.column(leaf).path == time.column]
    moment_of = _reader(footer.schema.column(leaves[0]), time.kind) if len(leaves) == 1 else None
    if moment_of is None:
        return {}
    far = {}
    for group in range(footer.num_row_groups):
        described = footer.row_group(group)
        bounds = _bounds(described.column(leaves[0]).statistics, moment_of)
        if bounds is None:
            continue
        (first, last), known = time.numbers(np.array(bounds))
        if not known.all() or bisect_left(time.wanted, first) < bisect_right(time.wanted, last):
            continue
        rows, has_missed = described.num_rows, time.kind == "BIGINT" and first < time.start
        if not has_missed:
            far[group] = FarRows(rows)
        elif last < time.start:
            far[group] = FarRows(rows, rows, bounds[1])
    return far


def _reader(leaf: pq.ColumnSchema, kind: str) -> Callable[[int], int] | None:
    """How a stored number becomes a moment (`moments_of`); None: some values of the stored type may be refused."""
    logical = json.loads(leaf.logical_type.to_json())
    name = logical["Type"]
    if leaf.physical_type not in ("INT32", "INT64") or leaf.max_repetition_level:
        return None
    if kind == "BIGINT":
        return int if name == "None" or (name == "Int" and logical["isSigned"]) else None
    if name == "Date":
        return int if kind == "DATE" else lambda days: days * _DAY
    return _MICROSECONDS.get(logical.get("timeUnit")) if (name, kind) == ("Timestamp", "TIMESTAMP") else None


def _bounds(statistics: pq.Statistics | None, moment_of: Callable[[int], int]) -> tuple[int, int] | None:
    """The smallest and the largest moment of a row group; None: they are not known, or a row has none."""
    if statistics is None or not statistics.has_min_max or not statistics.has_null_count or statistics.null_count:
        return None
    low, high = moment_of(statistics.min_raw), moment_of(statistics.max_raw)
    return (low, high) if -_MOST < low <= high < _MOST else None

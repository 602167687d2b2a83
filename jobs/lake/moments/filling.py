"""Computes TIMESTAMP columns: of rows that are written, with Arrow, and of rows that a table holds, with delta-rs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import reduce
from operator import or_

import pyarrow as pa
import pyarrow.compute as pc

from jobs.lake.moments.columns import Moment
from jobs.workload.operating_days import UNITS

_FIRST, _LAST = -62_135_596_800, 253_402_300_799
"""The first and last second of the years 1 to 9999, since 1970."""


def with_moments(rows: pa.Table, moments: Iterable[Moment]) -> pa.Table:
    """The rows with those of the TIMESTAMP columns that they lack."""
    for moment in moments:
        if moment.name not in rows.column_names and moment.made_of in rows.column_names:
            rows = rows.append_column(moment.name, timestamps(rows[moment.made_of], moment.unit))
    return rows


def timestamps(times: pa.ChunkedArray, unit: str) -> pa.ChunkedArray:
    """Times of a unit as TIMESTAMP.

    >>> [str(at) for at in timestamps(pa.chunked_array([[1362729600000, None, 1 << 62]]), "ms").to_pylist()]
    ['2013-03-08 08:00:00+00:00', 'None', 'None']
    """
    size = UNITS[unit]
    least, after = (pa.scalar(bound, pa.int64()) for bound in _bounds(unit))
    inside = pc.and_(pc.greater_equal(times, least), pc.less(times, after))
    kept = pc.if_else(inside, times, pa.scalar(None, pa.int64()))
    scaled = pc.multiply(kept, 10**6 // size) if size <= 10**6 else pc.divide(kept, size // 10**6)
    return scaled.cast(pa.timestamp("us", "UTC"))


def _bounds(unit: str) -> tuple[int, int]:
    """The first moment of the years 1 to 9999, and the first one after them; of nanoseconds, what 64 bits hold."""
    size = UNITS[unit]
    return max(_FIRST * size, -(1 << 63) + 1), min((_LAST + 1) * size, (1 << 63) - 1)


def lacking_rows(moments: Iterable[Moment]) -> pc.Expression:
    """Of which rows a TIMESTAMP column is to be filled."""
    lacking = []
    for moment in moments:
        (least, after), times = _bounds(moment.unit), pc.field(moment.made_of)
        lacking.append(pc.field(moment.name).is_null() & (times >= least) & (times < after))
    return reduce(or_, lacking)


def filling(moments: Iterable[Moment]) -> tuple[Mapping[str, str], str]:
    """What fills the TIMESTAMP columns of rows that lack one, and which rows these are, as delta-rs reads SQL."""
    updates, lacking = {}, []
    for moment in moments:
        size, name = UNITS[moment.unit], f'"{moment.made_of}"'
        least, after = _bounds(moment.unit)
        scaled = f"{name} * {10**6 // size}" if size <= 10**6 else f"{name} / {size // 10**6}"
        inside = f"{name} >= {least} AND {name} < {after}"
        made = f"arrow_cast({scaled}, 'Timestamp(Microsecond, Some(\"UTC\"))')"
        updates[f'"{moment.name}"'] = f"CASE WHEN {inside} THEN {made} END"
        lacking.append(f'("{moment.name}" IS NULL AND {inside})')
    return updates, " OR ".join(lacking)

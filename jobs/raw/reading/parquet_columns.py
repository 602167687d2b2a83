"""Columns of a Parquet file become columns of the declared types, without loss; what would be lost is refused.

| declared | taken from |
|---|---|
| int | integers within 64 bits; floats and decimals that are whole |
| float | floats, NaN and infinity too; integers up to 2^53; decimals, rounded |
| bool | booleans |
| date | dates; time stamps at midnight in UTC |
| timestamp | time stamps of the years 0001 to 9999, without a zone in UTC, cut off at the microsecond; dates |
| string | UTF-8; integers |
| any | texts, read as those of CSV |

Another type, an absent column or two of one name stop the load with the file's name. A value that does not fit refuses
its row. Cost: vector operations of Arrow and NumPy.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from cep_core.arrays import Flags, read_only
from jobs.exits import UnreadableSource, WrongHeader
from jobs.raw.damage import refuse_damaged
from jobs.raw.reading.kernels.row_places import Bytes, Places
from jobs.raw.reading.kernels.time_values import DAY, FIRST_DAY, LAST_DAY
from jobs.raw.reading.typed_columns import ARROW_TYPES, column_at

_EXACT = 1 << 53
Taken = tuple[pa.Array, Flags]
"""A column of the declared type, and which rows' values do not fit; these are null."""


def opened(path: Path) -> pq.ParquetFile:
    """The file, whose pages are held against their checksums where it has some. Raises UnreadableSource."""
    try:
        return pq.ParquetFile(path, coerce_int96_timestamp_unit="us", page_checksum_verification=True)
    except (OSError, pa.ArrowException) as error:
        refuse_damaged([str(path)])
        raise UnreadableSource(path, str(error)) from error


def checked_schema(path: Path, schema: pa.Schema, columns: dict[str, str]) -> None:
    """Raises WrongHeader if declared columns are absent, UnreadableSource if one has a type that is not taken."""
    missing = [name for name in columns if name not in schema.names]
    if missing:
        raise WrongHeader(f"{path} has no columns {missing}; it has {schema.names}")
    for name, kind in columns.items():
        if len(schema.get_all_field_indices(name)) > 1:
            raise UnreadableSource(path, f"it has two columns named {name}")
        given = _plain_type(schema.field(name).type)
        if not _is_taken(given, kind):
            raise UnreadableSource(path, f"its column {name} is {given}, which is not read as {kind}")


def take_column(kind: str, column: pa.Array) -> Taken:
    """A column of a file as the declared type."""
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    given = column.type
    if pa.types.is_null(given):
        return pa.nulls(len(column), ARROW_TYPES[kind]), np.zeros(len(column), np.bool_)
    if _is_text(given):
        return _texts(kind, column)
    if kind == "BIGINT":
        return _integers(column)
    if kind == "DOUBLE":
        return _floats(column)
    if kind in ("DATE", "TIMESTAMP"):
        return _times(kind, column)
    return pc.cast(column, ARROW_TYPES[kind]), np.zeros(len(column), np.bool_)


def _plain_type(given: pa.DataType) -> pa.DataType:
    return given.value_type if pa.types.is_dictionary(given) else given


def _is_text(given: pa.DataType) -> bool:
    is_binary = pa.types.is_binary(given) or pa.types.is_large_binary(given)
    return is_binary or pa.types.is_string(given) or pa.types.is_large_string(given) or pa.types.is_string_view(given)


def _is_taken(given: pa.DataType, kind: str) -> bool:
    if pa.types.is_null(given) or _is_text(given):
        return True
    number = pa.types.is_integer(given) or pa.types.is_floating(given) or pa.types.is_decimal(given)
    if kind in ("BIGINT", "DOUBLE"):
        return number
    if kind in ("DATE", "TIMESTAMP"):
        return pa.types.is_date(given) or pa.types.is_timestamp(given)
    return pa.types.is_boolean(given) if kind == "BOOLEAN" else pa.types.is_integer(given)


def _texts(kind: str, column: pa.Array) -> Taken:
    """Texts are read where they lie; one that is not UTF-8 is no value."""
    column = pc.cast(column, pa.binary())
    offsets = np.frombuffer(column.buffers()[1], np.int32)[column.offset : column.offset + len(column) + 1]
    text = read_only(np.frombuffer(column.buffers()[2] or b"", np.uint8))
    present = _present(column)
    starts, stops = np.where(present, offsets[:-1], -1), np.where(present, offsets[1:], -1)
    wrong = _not_utf8(text, starts, stops)
    starts[wrong] = stops[wrong] = -1
    if kind != "STRING":
        empty = starts == stops
        starts[empty] = stops[empty] = -1
    taken, is_wrong = column_at(kind, text, starts.astype(np.int32), stops.astype(np.int32))
    return taken, wrong | is_wrong


def _not_utf8(text: Bytes, starts: Places, stops: Places) -> Flags:
    wrong = np.zeros(len(starts), np.bool_)
    used = text[starts[starts >= 0].min(initial=0) : stops.max(initial=0)]
    if (used >= 128).any():
        for row in np.flatnonzero(starts >= 0):
            try:
                text[starts[row] : stops[row]].tobytes().decode()
            except UnicodeDecodeError:
                wrong[row] = True
    return wrong


def _integers(column: pa.Array) -> Taken:
    given = column.type
    if pa.types.is_integer(given) and given != pa.uint64():
        return pc.cast(column, pa.int64()), np.zeros(len(column), np.bool_)
    if given == pa.uint64():
        fits = pc.less_equal(column, pa.scalar(np.iinfo(np.int64).max, pa.uint64()))
    elif pa.types.is_decimal(given):
        whole = pc.equal(pc.round(column), column)
        fits = pc.and_(whole, pc.and_(pc.less_equal(column, (1 << 63) - 1), pc.greater_equal(column, -(1 << 63))))
    else:
        column = pc.cast(column, pa.float64())
        within = pc.and_(pc.greater_equal(column, -(2.0**63)), pc.less(column, 2.0**63))
        fits = pc.and_(within, pc.equal(pc.trunc(column), column))
    return _cast_where(fits, column, pa.int64())


def _floats(column: pa.Array) -> Taken:
    given = column.type
    if pa.types.is_integer(given):
        signed = given != pa.uint64()
        low = pc.greater_equal(column, pa.scalar(-_EXACT, pa.int64())) if signed and given.bit_width == 64 else True
        fits = pc.less_equal(column, pa.scalar(_EXACT, given)) if given.bit_width == 64 else pc.is_valid(column)
        return _cast_where(pc.and_(fits, low), column, pa.float64())
    return pc.cast(column, pa.float64()), np.zeros(len(column), np.bool_)


def _times(kind: str, column: pa.Array) -> Taken:
    if pa.types.is_date(column.type):
        milliseconds = pa.types.is_date64(column.type)
        number = pc.cast(column, pa.int64() if milliseconds else pa.int32()).cast(pa.int64())
        units = _numbers(number)
        days = units // 86_400_000 if milliseconds else units
        whole = units % 86_400_000 == 0 if milliseconds else np.ones(len(units), np.bool_)
        return _calendar(kind, column, days, np.zeros(len(units), np.int64), whole)
    per_day = {"s": 86_400, "ms": 86_400_000, "us": DAY, "ns": 1000 * DAY}[column.type.unit]
    units = _numbers(pc.cast(column, pa.int64()))
    days, rest = units // per_day, units % per_day
    micros = rest * (DAY // per_day) if per_day <= DAY else rest // 1000
    whole = np.ones(len(units), np.bool_) if kind == "TIMESTAMP" else rest == 0
    return _calendar(kind, column, days, micros, whole)


def _calendar(kind: str, column: pa.Array, days: Any, micros: Any, whole: Flags) -> Taken:
    fits = whole & (days >= FIRST_DAY) & (days <= LAST_DAY)
    present = _present(column)
    mask = pa.array(~(fits & present))
    days = np.where(fits, days, 0)
    numbers = pa.array(days.astype(np.int32), pa.int32()) if kind == "DATE" else pa.array(days * DAY + micros * fits)
    return pc.if_else(mask, None, numbers).cast(ARROW_TYPES[kind]), ~fits & present


def _numbers(column: pa.Array) -> Any:
    return np.asarray(pc.fill_null(column, 0))


def _cast_where(fits: pa.Array, column: pa.Array, kind: pa.DataType) -> Taken:
    fits = pc.fill_null(fits, False)
    kept = pc.if_else(fits, column, pa.scalar(None, column.type))
    return pc.cast(kept, kind), ~np.asarray(fits) & _present(column)


def _present(column: pa.Array) -> Flags:
    return np.asarray(pc.is_valid(column))

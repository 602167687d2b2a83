"""Finding the columns of a file that hold an event's time and type, and reading them for the engine."""

from __future__ import annotations

from collections.abc import Callable, Collection

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as kinds

from cep_core.events.table import RESERVED, attribute_type
from jobs.exits import WrongWorkload
from jobs.workload.files.problems import nearest
from jobs.workload.operating_days import UNITS

TIMES = ("ts", "time", "timestamp", "stamp", "datetime", "event_time")
"""Names of columns of whole numbers that hold times."""

_DECIMAL = r"^[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?$"


def given_column(table: pa.Table, name: str) -> str:
    """A column by its name. Raises WrongWorkload, which names the nearest column, if there is none."""
    if name not in table.column_names:
        raise WrongWorkload(f"no column '{name}'; {nearest(name, table.column_names)}")
    return name


def read_stamps(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """A text column as time-stamps if all its values are ISO 8601 (UTC without an offset); else unchanged.

    >>> read_stamps(pa.chunked_array([["2025-06-20T09:01:50.27+02:00"]])).to_pylist()[0].isoformat()
    '2025-06-20T07:01:50.270000+00:00'
    >>> read_stamps(pa.chunked_array([["soon"]])).to_pylist()
    ['soon']
    """
    if not kinds.is_string(_plain(column.type)) or column.null_count == len(column):
        return column
    for stamp in (pa.timestamp(unit, zone) for unit in ("us", "ns") for zone in (None, "UTC")):
        try:
            return column.cast(stamp)
        except pa.ArrowInvalid:
            continue
    return column


def holds_decimals(column: pa.ChunkedArray) -> bool:
    """Whether a text column holds decimal numbers, as price feeds write them. Whole numbers may be names.

    >>> holds_decimals(pa.chunked_array([["0.5727", None, "-12"]])), holds_decimals(pa.chunked_array([["12", "7"]]))
    (True, False)
    """
    if not kinds.is_string(_plain(column.type)) or column.null_count == len(column):
        return False
    values = column.cast(pa.string())
    numbers = pc.all(pc.match_substring_regex(values, _DECIMAL)).as_py()
    return bool(numbers and pc.any(pc.match_substring(values, ".")).as_py())


def read_decimals(column: pa.ChunkedArray, name: str) -> pa.ChunkedArray:
    """The numbers in a text column. Raises WrongWorkload, which names a value that is no number."""
    values = column.cast(pa.string())
    odd = values.filter(pc.invert(pc.match_substring_regex(values, _DECIMAL)))
    if len(odd):
        raise WrongWorkload(f"'{name}' holds numbers as text at first, but then '{odd[0].as_py()}', which is none")
    return values.cast(pa.float64())


def time_column(table: pa.Table) -> str:
    """The first column of times, else the first whole-number column named like a time. Else WrongWorkload.

    >>> time_column(pa.table({"price": [1.5], "Time": [3]}))
    'Time'
    """
    if "ts" in table.column_names:
        return "ts"
    column = _first(table, lambda f: kinds.is_timestamp(f.type) or kinds.is_date(f.type))
    column = column or _first(table, lambda f: kinds.is_timestamp(read_stamps(table[f.name]).type))
    column = column or _first(table, lambda f: kinds.is_time(f.type))
    column = column or _first(table, lambda f: kinds.is_integer(f.type) and f.name.lower() in TIMES)
    if column is None:
        raise WrongWorkload(f"no column holds times; name it with --ts, one of {', '.join(table.column_names)}")
    return column


def type_column(sample: pa.Table, event_types: Collection[str]) -> str | None:
    """The column `event_type`, else the first text column that holds one of the pattern's event types, else None.

    >>> type_column(pa.table({"ts": [1, 2], "side": ["BUY", "SELL"]}), {"SELL"})
    'side'
    """
    if "event_type" in sample.column_names:
        return "event_type"

    def tells(field: pa.Field) -> bool:
        values = sample[field.name]
        return kinds.is_string(_plain(field.type)) and any(v in event_types for v in values.unique().to_pylist())

    return _first(sample, tells)


def unit_of(column: pa.ChunkedArray) -> str:
    """A time column's own unit. Numbers are seconds, unless they are too large for seconds of these centuries.

    >>> unit_of(pa.chunked_array([[1362729600000]])), unit_of(pa.chunked_array([pa.array([0], pa.timestamp("us"))]))
    ('ms', 'us')
    """
    if kinds.is_timestamp(column.type) or kinds.is_time(column.type):
        return str(column.type.unit)
    if not kinds.is_integer(column.type):
        return "s"
    size = abs(pc.min(column).as_py() or 0)
    return next((unit for unit, least in (("ns", 10**17), ("us", 10**14), ("ms", 10**11)) if size >= least), "s")


def moments(column: pa.ChunkedArray, name: str, unit: str) -> pa.ChunkedArray:
    """Times as int64 in `unit`: numbers as they are, time-stamps since 1970, times of day since midnight.

    Finer times are cut to the unit. Raises WrongWorkload if the column holds no times.

    >>> stamps = pa.chunked_array([pa.array([1_999, -1], pa.timestamp("ms"))])
    >>> moments(stamps, "time", "s").to_pylist()
    [1, -1]
    """
    if kinds.is_integer(column.type):
        return column.cast(pa.int64())
    if kinds.is_date(column.type):
        column = column.cast(pa.timestamp("s"))
    if not (kinds.is_timestamp(column.type) or kinds.is_time(column.type)):
        hint = "; give whole numbers, or time-stamps such as 2013-03-08T07:59:00"
        raise WrongWorkload(f"'{name}' holds no times but {column.type}{hint}")
    have, want = UNITS[column.type.unit], UNITS[unit]
    numbers = column.cast(pa.int32()) if column.type.bit_width == 32 else column
    numbers = numbers.cast(pa.int64())
    if want >= have:
        return pc.multiply_checked(numbers, want // have)
    cut = pc.divide(numbers, have // want)  # rounding towards zero would make times before 1970 late
    late = pc.greater(pc.multiply(cut, have // want), numbers)
    return pc.subtract(cut, late.cast(pa.int64()))


def is_wall_clock(column: pa.ChunkedArray, unit: str) -> bool:
    """Whether times can be shown as dates: time-stamps, and numbers that are large enough (since 1980)."""
    if kinds.is_timestamp(column.type) or kinds.is_date(column.type):
        return True
    return kinds.is_integer(column.type) and (pc.min(column).as_py() or 0) >= 315_532_800 * UNITS[unit]


def attributes(table: pa.Table) -> dict[str, pa.ChunkedArray]:
    """The columns that can be attributes, by name. Decimals become doubles."""
    columns = {}
    for field in table.schema:
        if field.name in RESERVED:
            continue
        column = table[field.name]
        if kinds.is_decimal(field.type):
            column = column.cast(pa.float64())
        if attribute_type(column.type) is not None:
            columns[field.name] = column
    return columns


def _plain(stored: pa.DataType) -> pa.DataType:
    if kinds.is_dictionary(stored):
        return _plain(stored.value_type)
    return pa.string() if kinds.is_large_string(stored) or kinds.is_string_view(stored) else stored


def _first(table: pa.Table, fits: Callable[[pa.Field], bool]) -> str | None:
    return next((field.name for field in table.schema if fits(field)), None)

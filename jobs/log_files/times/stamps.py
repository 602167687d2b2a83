"""What a column of times holds: time-stamps, dates, times of day or numbers; and its moments as whole numbers.

Nothing here looks at names. Cost: one pass over the column.
"""

from __future__ import annotations

import enum
import re

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as kinds

from jobs.exits import WrongWorkload
from jobs.log_files.times.local_times import moments_of_local
from jobs.workload.operating_days import UNITS

_DATE = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"
_CLOCK = r"^[0-9]{1,2}:[0-9]{2}:[0-9]{2}([.,][0-9]{1,9})?$"
_MINUTES = r"^[0-9]{1,2}:[0-9]{2}$"
_STAMP = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}([ T][0-9]{2}:[0-9]{2}(:[0-9]{2}([.,][0-9]{1,9})?)?)?"
_NO_ZONE, _ZONED = f"({_STAMP})$", f"{_STAMP}(Z|[+-][0-9]{{2}}(:?[0-9]{{2}})?)?$"
_NUMBER = r"[+-]?[0-9]+(\.[0-9]*)?"
_COMMA = r"(:[0-9]{2}:[0-9]{2}),([0-9]{1,9})"
_ROUNDED = 2.0**-51
"""How far a number and its product with a power of ten are rounded at most, as a part of them."""
DAY = "day"
"""What numbers may count, beside UNITS: a day has 86,400 seconds."""
_SINCE_1980, _YEAR_10000 = 315_532_800, 253_402_300_800


class Holds(enum.Enum):
    """What the values of a column can be."""

    STAMPS = "time-stamps"
    DATES = "dates"
    CLOCKS = "times of day"
    MINUTES = "hours and minutes"
    NUMBERS = "numbers"


def plain(stored: pa.DataType) -> pa.DataType:
    """A type without its encoding: dictionaries as their values, all texts as string."""
    if kinds.is_dictionary(stored):
        return plain(stored.value_type)
    return pa.string() if kinds.is_large_string(stored) or kinds.is_string_view(stored) else stored


def held(column: pa.ChunkedArray) -> Holds | None:
    """What a column holds; None: nothing that can be a time.

    >>> held(pa.chunked_array([["18:01:47,978"]])).value, held(pa.chunked_array([["2015-10-18"]])).value
    ('times of day', 'dates')
    """
    kind = plain(column.type)
    if kinds.is_timestamp(kind):
        return Holds.STAMPS
    if kinds.is_date(kind):
        return Holds.DATES
    if kinds.is_time(kind):
        return Holds.CLOCKS
    if kinds.is_integer(kind) or kinds.is_floating(kind):
        return Holds.NUMBERS
    if not kinds.is_string(kind) or column.null_count == len(column):
        return None
    texts = column.cast(pa.string())
    for pattern, holds in ((_DATE, Holds.DATES), (_CLOCK, Holds.CLOCKS), (_MINUTES, Holds.MINUTES)):
        if pc.all(pc.match_substring_regex(texts, pattern)).as_py():
            return holds
    return Holds.STAMPS if kinds.is_timestamp(read_stamps(column).type) else None


def read_stamps(column: pa.ChunkedArray, zone: str = "UTC") -> pa.ChunkedArray:
    """A text column as time-stamps if all its values are ISO 8601; else unchanged.

    Beside others that have an offset, those without one are times of `zone`.

    A comma before parts of a second is read as a point, as Java's loggers write it.

    >>> read_stamps(pa.chunked_array([["2025-06-20T09:01:50.27+02:00"]])).to_pylist()[0].isoformat()
    '2025-06-20T07:01:50.270000+00:00'
    >>> read_stamps(pa.chunked_array([["2015-10-18 18:01:47,978"]])).to_pylist()[0].isoformat()
    '2015-10-18T18:01:47.978000'
    >>> read_stamps(pa.chunked_array([["soon"]])).to_pylist()
    ['soon']
    """
    if not kinds.is_string(plain(column.type)) or column.null_count == len(column):
        return column
    texts = column.cast(pa.string())
    if pc.any(pc.match_substring_regex(texts, _COMMA)).as_py():
        texts = pc.replace_substring_regex(texts, _COMMA, r"\1.\2")
    for stamp in (pa.timestamp(unit, zone) for unit in ("us", "ns") for zone in (None, "UTC")):
        try:
            return texts.cast(stamp)
        except pa.ArrowInvalid:
            continue
    local = pc.match_substring_regex(texts, _NO_ZONE)
    zoned = pc.replace_substring_regex(texts, _NO_ZONE, r"\1Z")
    if zoned.equals(texts):
        return column
    stamps = read_stamps(zoned)
    if zone == "UTC" or not kinds.is_timestamp(stamps.type):
        return stamps
    moments = moments_of_local(stamps.cast(pa.timestamp(stamps.type.unit)), zone)
    return pc.if_else(local, moments, stamps)


def without_offset(column: pa.ChunkedArray) -> int:
    """How many texts of a column are time-stamps without an offset.

    >>> without_offset(pa.chunked_array([["2024-01-31 08:00", "2024-01-31 08:00Z", None]]))
    1
    """
    if not kinds.is_string(plain(column.type)):
        return 0
    return pc.sum(pc.match_substring_regex(column.cast(pa.string()), _NO_ZONE).cast(pa.int64())).as_py() or 0


def no_stamp(column: pa.ChunkedArray) -> str | None:
    """The first text of a column that is no time-stamp; where the first text is a number, the first that is none.

    >>> no_stamp(pa.chunked_array([["2024-01-31 08:00", "soon"]])), no_stamp(pa.chunked_array([["7", "soon"]]))
    ('soon', 'soon')
    >>> no_stamp(pa.chunked_array([["2024-01-31 08:00", "2024-01-31 24:00"]]))
    '2024-01-31 24:00'
    """
    if not kinds.is_string(plain(column.type)):
        return None
    texts = column.cast(pa.string()).drop_null()
    are_numbers = len(texts) and re.fullmatch(_NUMBER, texts[0].as_py())
    odd = texts.filter(pc.invert(pc.match_substring_regex(texts, f"^({_NUMBER})$" if are_numbers else _ZONED)))
    if len(odd):
        return str(odd[0].as_py())
    return None if are_numbers else _no_date(texts)


def looks_like_stamps(column: pa.ChunkedArray) -> bool:
    """Whether the first text of a column is written as a time-stamp.

    >>> looks_like_stamps(pa.chunked_array([["2024-01-31 24:00", "soon"]]))
    True
    """
    if not kinds.is_string(plain(column.type)):
        return False
    texts = column.cast(pa.string()).drop_null()
    return bool(len(texts) and pc.match_substring_regex(texts[0], _ZONED).as_py())


def _first(column: pa.ChunkedArray) -> str | None:
    """The first text of a column."""
    if not kinds.is_string(plain(column.type)) or column.null_count == len(column):
        return None
    return str(column.drop_null()[0].as_py())


def _no_date(texts: pa.ChunkedArray) -> str | None:
    """The first text that is written as a time-stamp, but is none in the calendar, such as 24:00; found by halving."""
    if kinds.is_timestamp(read_stamps(texts).type):
        return None
    low, high = 0, len(texts)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (
            (middle, high) if kinds.is_timestamp(read_stamps(texts.slice(low, middle - low)).type) else (low, middle)
        )
    return str(texts[low].as_py())


def unit_of(column: pa.ChunkedArray) -> str:
    """A time column's own unit. Numbers are seconds, unless they are too large for seconds of these centuries.

    >>> unit_of(pa.chunked_array([[1362729600000]])), unit_of(pa.chunked_array([pa.array([0], pa.timestamp("us"))]))
    ('ms', 'us')
    """
    if kinds.is_timestamp(column.type) or kinds.is_time(column.type):
        return str(column.type.unit)
    if not (kinds.is_integer(column.type) or kinds.is_floating(column.type)):
        return "s"
    size = abs(_least(column))
    return next((unit for unit, least in (("ns", 10**17), ("us", 10**14), ("ms", 10**11)) if size >= least), "s")


def finer_unit(column: pa.ChunkedArray, unit: str) -> str:
    """The unit in which numbers of `unit` that have fractions are whole: a thousandth, a millionth or less, as needed.

    >>> finer_unit(pa.chunked_array([[0.04, 3.48]]), "s"), finer_unit(pa.chunked_array([[1.0, 2.0]]), "s")
    ('ms', 's')
    """
    if unit == DAY:
        seconds = pc.multiply(column, 86_400.0)
        is_whole = pc.all(pc.less(pc.abs(pc.subtract(seconds, pc.round(seconds))), 1e-3)).as_py()
        return "s" if is_whole else "ms"
    units = list(UNITS)
    for finer in units[units.index(unit) :]:
        scaled = pc.multiply(column, float(UNITS[finer] // UNITS[unit]))
        apart = pc.abs(pc.subtract(scaled, pc.round(scaled)))
        if not pc.any(pc.greater(apart, pc.multiply(pc.abs(scaled), _ROUNDED))).as_py():
            return finer
    return units[-1]


def moments(column: pa.ChunkedArray, name: str, unit: str, of_numbers: str | None = None) -> pa.ChunkedArray:
    """Times as int64 in `unit`: time-stamps since 1970, times of day since midnight, numbers as they are.

    `of_numbers`: the unit that numbers count, if it is not `unit`. Finer times are cut to the unit; numbers with
    fractions are rounded to it, and NaN is no time. Raises WrongWorkload if the column holds no times.

    >>> stamps = pa.chunked_array([pa.array([1_999, -1], pa.timestamp("ms"))])
    >>> moments(stamps, "time", "s").to_pylist()
    [1, -1]
    >>> moments(pa.chunked_array([[0.04, 3.48]]), "Start Time [s]", "ms", "s").to_pylist()
    [40, 3480]
    """
    factor = per_number(unit, of_numbers or unit)
    if kinds.is_integer(column.type):
        return column.cast(pa.int64()) if factor == 1 else pc.multiply_checked(column.cast(pa.int64()), factor)
    if kinds.is_floating(column.type):
        return _whole(column, name, factor)
    if kinds.is_date(column.type):
        column = column.cast(pa.timestamp("s"))
    if not (kinds.is_timestamp(column.type) or kinds.is_time(column.type)):
        hint = "; give numbers, time-stamps such as 2013-03-08T07:59:00, or their form (--ts-format)"
        if (text := no_stamp(column) or _first(column)) is not None:
            raise WrongWorkload(f"'{name}' holds '{text}', which is no time{hint}; or say --missing '{text}'")
        raise WrongWorkload(f"'{name}' holds no times but {column.type}{hint}")
    have, want = UNITS[column.type.unit], UNITS[unit]
    numbers = column.cast(pa.int32()) if column.type.bit_width == 32 else column
    numbers = numbers.cast(pa.int64())
    if want >= have:
        return pc.multiply_checked(numbers, want // have)
    cut = pc.divide(numbers, have // want)  # rounding towards zero would make times before 1970 late
    late = pc.greater(pc.multiply(cut, have // want), numbers)
    return pc.subtract(cut, late.cast(pa.int64()))


def per_number(unit: str, numbers: str) -> int:
    """How many of a unit one of the numbers is that count `numbers`.

    >>> per_number("ms", "s"), per_number("s", DAY)
    (1000, 86400)
    """
    return 86_400 * UNITS[unit] if numbers == DAY else UNITS[unit] // UNITS[numbers]


def are_dates(column: pa.ChunkedArray, unit: str) -> bool:
    """Whether times can be shown as dates: time-stamps, and numbers that are large enough (1980 to 9999)."""
    if kinds.is_timestamp(column.type) or kinds.is_date(column.type):
        return True
    if not (kinds.is_integer(column.type) or kinds.is_floating(column.type)):
        return False
    return _least(column) >= _SINCE_1980 * UNITS[unit] and _most(column) < _YEAR_10000 * UNITS[unit]


def _least(column: pa.ChunkedArray) -> float | int:
    return pc.min(_finite(column)).as_py() or 0


def _most(column: pa.ChunkedArray) -> float | int:
    return pc.max(_finite(column)).as_py() or 0


def _finite(column: pa.ChunkedArray) -> pa.ChunkedArray:
    return column.filter(pc.is_finite(column)) if kinds.is_floating(column.type) else column


def _whole(column: pa.ChunkedArray, name: str, factor: int) -> pa.ChunkedArray:
    numbers = pc.if_else(pc.is_nan(column), None, column.cast(pa.float64()))
    scaled = pc.round(pc.multiply(numbers, float(factor)))
    try:
        return scaled.cast(pa.int64())
    except pa.ArrowInvalid:
        odd = numbers.filter(pc.greater(pc.abs(scaled), 2.0**62))
        raise WrongWorkload(f"'{name}' holds {odd[0].as_py()}, which is no time") from None

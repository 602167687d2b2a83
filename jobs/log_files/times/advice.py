"""What is said where no column is sure to tell the time: the columns that may, with the options that read them."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as kinds

from jobs.log_files.times.stamps import are_dates, looks_like_stamps, no_stamp, plain, unit_of
from jobs.log_files.times.usual_forms import fitting_forms
from jobs.workload.operating_days import UNITS

_TIME = re.compile(r"(^|[^a-z])(time|ts)([^a-z]|$|stamp)", re.IGNORECASE)
_CLOCK = re.compile(r"[0-9]{1,2}:[0-9]{2}")
_WEEKDAY = re.compile(
    r"\b(mon|tue|tues|wed|thu|thur|thurs|fri|sat|sun|(mon|tues|wednes|thurs|fri|satur|sun)day)\b", re.I
)
_YEARLESS = [
    (re.compile(rf"{day} {clock}$"), f"%Y {form} {ticks}")
    for day, form in (
        (r"[A-Z][a-z]{2} [0-9]{1,2}", "%b %d"),
        (r"[0-9]{2}-[0-9]{2}", "%m-%d"),
        (r"[0-9]{2}/[0-9]{2}", "%m/%d"),
    )
    for clock, ticks in (
        (r"[0-9]{2}:[0-9]{2}:[0-9]{2}", "%H:%M:%S"),
        (r"[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{1,9}", "%H:%M:%S.%f"),
    )
]
"""Days without a year before a time of day, as `syslog` writes them, each with the form that reads it behind a year."""
_YEAR_2100 = 4_102_444_800


def is_named_like_a_time(name: str) -> bool:
    """Whether a column's name says that it holds times.

    >>> is_named_like_a_time("stock_time"), is_named_like_a_time("overtimes")
    (True, False)
    """
    return _TIME.search(name) is not None


def shown(column: pa.ChunkedArray) -> str:
    """The first value of a column."""
    first = next((value for value in column.to_pylist()[:100] if value is not None), None)
    return "nothing" if first is None else str(first)


def no_times(table: pa.Table, numbers: Sequence[str]) -> Iterator[str]:
    """What is said where no column tells the time: columns that may, with the options that read them."""
    texts = list(_texts_that_may(table))
    if may := [name for name in numbers if is_named_like_a_time(name) or _are_of_our_times(table[name])]:
        yield f"no column is sure to hold times; these numbers may: {_ts(may)} (with --unit ms if they count ms)"
    elif not texts and (rising := [name for name in numbers if _rises(table[name])]):
        yield f"no column is sure to hold times; these numbers rise from row to row: {_ts(rising)}"
    elif texts:
        yield "no column is sure to hold times"
    else:
        yield f"no column holds times; name it with --ts, one of {', '.join(table.column_names)}"
    yield from texts


def _texts_that_may(table: pa.Table) -> Iterator[str]:
    """What is said of columns of texts that may be times, with the options that read them."""
    for name in table.column_names:
        if not kinds.is_string(plain(table[name].type)):
            continue
        value, forms = shown(table[name]), fitting_forms(table[name])
        for form in forms:
            yield f"'{name}' holds '{value}': --ts {shlex.quote(name)} --ts-format '{form}'"
        if looks_like_stamps(table[name]):
            odd = no_stamp(table[name])
            yield f"'{name}' holds time-stamps but for '{odd}': if this means no time, --missing '{odd}'"
        elif not forms and _CLOCK.search(value):
            yield f"'{name}' holds '{value}': {_unread(value)}"


def _unread(text: str) -> str:
    """What to do with a text that may be a time, and that no usual form reads.

    >>> _unread("Mar 08 10:00:00")
    "it has no year, which a time needs: write one in front in the file, and --ts-format '%Y %b %d %H:%M:%S' reads it"
    >>> _unread("Mon Mar 08 10:00:00 2021"), _unread("at 10:00")
    ('no form reads a weekday: remove it from the file', 'if this is a time, --ts-format says how it is written')
    """
    if _WEEKDAY.search(text):
        dated = any(character.isdigit() for character in _CLOCK.split(text, 1)[0])
        what = "remove it from the file" if dated else "write a date in its place in the file"
        return f"no form reads a weekday: {what}"
    if form := next((form for day, form in _YEARLESS if day.match(text)), None):
        return f"it has no year, which a time needs: write one in front in the file, and --ts-format '{form}' reads it"
    return "if this is a time, --ts-format says how it is written"


def _ts(names: Sequence[str]) -> str:
    return ", ".join(f"--ts {shlex.quote(name)}" for name in names)


def _are_of_our_times(column: pa.ChunkedArray) -> bool:
    """Whether numbers are dates from 1980 to 2100: longer ones are rather identifiers."""
    unit = unit_of(column)
    return are_dates(column, unit) and bool(pc.max(column).as_py() < _YEAR_2100 * UNITS[unit])


def _rises(column: pa.ChunkedArray) -> bool:
    """Whether no number is less than the one above it, and more than half of them differ."""
    values = column.drop_null().to_numpy()
    steps = np.diff(values)
    return len(values) > 1 and bool((steps >= 0).all()) and 2 * int((steps > 0).sum()) >= len(steps)

"""Which columns of a file tell when its events happened, in which form and unit: said by the user, or derived.

Derived are only columns that cannot be read in two ways: time-stamps; a column of dates beside one of times of day,
which are read together; numbers in a column that is named like a time. Numbers that look like times of day (HHMMSS)
beside a column of days are refused, with the options that read them.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as kinds

from jobs.exits import WrongWorkload
from jobs.log_files.reading.given_columns import given_column
from jobs.log_files.times.advice import is_named_like_a_time, no_times, shown
from jobs.log_files.times.forms import TimeForm
from jobs.log_files.times.local_times import moments_of_local
from jobs.log_files.times.number_forms import looks_like_clock
from jobs.log_files.times.stamps import (
    DAY,
    Holds,
    are_dates,
    finer_unit,
    held,
    moments,
    plain,
    read_stamps,
    unit_of,
)
from jobs.log_files.times.usual_forms import fits
from jobs.workload.operating_days import UNITS

TIMES = ("ts", "time", "timestamp", "stamp", "datetime", "event_time")
"""Names of columns of numbers that hold times."""

_CLOCKS = (Holds.CLOCKS, Holds.MINUTES)
_DAYS = re.compile(r"(^|[^a-z])(date|day)", re.IGNORECASE)
_BETWEEN = "+"
"""Joins names of columns that tell the time together."""


@dataclass(frozen=True)
class TimeOptions:
    """What the user says of the time; None: derived from the file. `zone`: of times without an offset, and of how times
    are shown.

    Raises WrongWorkload for a zone that is not known.
    """

    columns: str | None = None
    form: str | None = None
    unit: str | None = None
    origin: str | None = None
    zone: str = "UTC"

    def __post_init__(self) -> None:
        try:
            ZoneInfo(self.zone)
        except (ZoneInfoNotFoundError, ValueError) as error:
            raise WrongWorkload(f"unknown time zone '{self.zone}'") from error


@dataclass(frozen=True)
class TimeSource:
    """Columns that tell the time, and how they are read into whole numbers of `unit`.

    `numbers`: the unit that numbers count, coarser than `unit` where they have fractions. `origin`: what is added to
    times that count from some moment. `zone`: whose clocks show times without an offset. `is_unit_guessed`: whether
    nothing told the unit of numbers. `others`: columns that could be meant as well, where the user named none.
    """

    columns: tuple[str, ...]
    unit: str
    numbers: str
    form: TimeForm | None = None
    origin: int | None = None
    zone: str = "UTC"
    is_unit_guessed: bool = False
    others: tuple[str, ...] = ()

    @staticmethod
    def of(sample: pa.Table, options: TimeOptions) -> TimeSource:
        """The source of a file's times by its first rows. Raises WrongWorkload, which says what to add."""
        form = None if options.form is None else TimeForm(options.form)
        others: tuple[str, ...] = ()
        if options.columns is not None:
            columns = named_columns(sample, options.columns)
        elif form is not None and (written := [name for name in sample.column_names if fits(form, sample[name])]):
            columns, others = (written[0],), tuple(written[1:])
        else:
            columns = time_columns(sample)
            others = _other_stamps(sample, columns)
        return TimeSource(columns, "s", "s", form, zone=options.zone, others=others).over(sample, options)

    def over(self, table: pa.Table, options: TimeOptions) -> TimeSource:
        """This source with the unit and origin that the times of a table ask for. Raises WrongWorkload."""
        form, source = self.form, replace(self, origin=None)
        column = source.stamps(table)
        is_number = kinds.is_integer(column.type) or kinds.is_floating(column.type)
        numbers = options.unit or unit_of(column)
        if form is not None and options.unit is None and not form.is_fine:
            numbers = "s"
        unit = finer_unit(column, numbers) if kinds.is_floating(column.type) else "s" if numbers == DAY else numbers
        is_guessed = is_number and options.unit is None and not are_dates(column, numbers)
        source = replace(source, unit=unit, numbers=numbers, is_unit_guessed=is_guessed)
        return source if options.origin is None else replace(source, origin=source._begin(column, options))

    @property
    def name(self) -> str:
        """As the user writes it."""
        return _BETWEEN.join(self.columns)

    @property
    def text(self) -> str:
        """For a remark.

        >>> TimeSource(("Date", "Time"), "us", "us").text
        "columns 'Date' and 'Time' tell the time in us"
        """
        names = " and ".join(f"'{name}'" for name in self.columns)
        verb = f"column {names} tells" if len(self.columns) == 1 else f"columns {names} tell"
        may = f" (or --ts {', '.join(shlex.quote(name) for name in self.others)}?)" if self.others else ""
        return f"{verb} the time in {self.unit}{may}"

    def stamps(self, table: pa.Table) -> pa.ChunkedArray:
        """The times of a table: time-stamps of UTC, times of day, or numbers as the file has them."""
        stamps = self.as_written(table)
        is_stamp = kinds.is_date(stamps.type) or (kinds.is_timestamp(stamps.type) and stamps.type.tz is None)
        is_local = self.zone != "UTC" and is_stamp and (self.form is None or self.form.has_date)
        return moments_of_local(stamps, self.zone) if is_local else stamps

    def as_written(self, table: pa.Table) -> pa.ChunkedArray:
        """The times of a table as the file has them: time-stamps, dates, times of day or numbers."""
        if self.form is not None:
            return self.form.read(self._texts(table), self.name)
        if len(self.columns) == 1:
            column = table[self.columns[0]]
            if kinds.is_string(plain(column.type)) and held(column) in _CLOCKS:
                return _joined("1970-01-01", column).cast(pa.time64("us"))
            return read_stamps(column, self.zone)
        if len(self.columns) > 2:
            raise WrongWorkload(f"--ts {self.name}: how more than two columns tell the time must be said: --ts-format")
        day, clock = (table[name] for name in self.columns)
        if held(day) is not Holds.DATES or held(clock) not in _CLOCKS:
            values = " and ".join(f"'{name}' holds {shown(table[name])}" for name in self.columns)
            raise WrongWorkload(f"--ts {self.name}: {values}; which form is this? --ts-format {_form_for(day, clock)}")
        return _joined(_date_texts(day), clock)

    def moments(self, stamps: pa.ChunkedArray) -> pa.ChunkedArray:
        """What `stamps` gave as int64 in `unit`, with the origin. Raises WrongWorkload."""
        times = moments(stamps, self.name, self.unit, self.numbers)
        return times if self.origin is None else pc.add_checked(times, self.origin)

    def are_dates(self, stamps: pa.ChunkedArray) -> bool:
        """Whether times can be shown as dates."""
        is_relative = self.form is not None and not self.form.has_date
        is_count = is_relative or self.numbers == DAY
        return self.origin is not None or (not is_count and are_dates(stamps, self.numbers))

    def _texts(self, table: pa.Table) -> pa.ChunkedArray:
        """The columns' texts, joined by spaces. Whole numbers get back the zeros that they lost in front."""
        assert self.form is not None
        forms = self.form.text.split(" ")
        pieces = forms if len(forms) == len(self.columns) else [self.form.text] if len(self.columns) == 1 else []
        texts = []
        for place, name in enumerate(self.columns):
            column = table[name]
            text = column.cast(pa.string())
            if kinds.is_integer(column.type) and pieces and (width := _width(pieces[place])):
                text = pc.utf8_lpad(text, width, "0")
            texts.append(text)
        return texts[0] if len(texts) == 1 else pc.binary_join_element_wise(*texts, " ")

    def _begin(self, column: pa.ChunkedArray, options: TimeOptions) -> int:
        """The user's origin in log time."""
        try:
            begin = datetime.fromisoformat(str(options.origin))
        except ValueError:
            raise WrongWorkload(
                f"--origin '{options.origin}' is no date such as 2024-01-31, or 2024-01-31T08:00"
            ) from None
        if self.are_dates(column):
            raise WrongWorkload(
                f"--origin: the times of '{self.name}' are dates, they do not count from another moment"
            )
        if begin.tzinfo is None:
            begin = begin.replace(tzinfo=ZoneInfo(options.zone))
        return (begin - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1) * UNITS[self.unit] // 10**6


def named_columns(table: pa.Table, text: str) -> tuple[str, ...]:
    """The columns that the user names, as `time` or `Date+Time`. Raises WrongWorkload, which names the nearest column.

    >>> named_columns(pa.table({"Date": [1], "Time": [2], "a+b": [3]}), "Date+Time")
    ('Date', 'Time')
    """
    names = [text] if text in table.column_names else text.split(_BETWEEN)
    return tuple(given_column(table, name) for name in names)


def time_columns(table: pa.Table) -> tuple[str, ...]:
    """The columns that tell the time, if they can be read in one way only. Else WrongWorkload.

    >>> time_columns(pa.table({"price": [1.5], "Time": [3]}))
    ('Time',)
    >>> time_columns(pa.table({"Date": ["2015-10-18"], "Time": ["18:01:47,978"]}))
    ('Date', 'Time')
    """
    if "ts" in table.column_names:
        return ("ts",)
    holds = {name: held(table[name]) for name in table.column_names}
    holds = {
        n: Holds.CLOCKS if kind is Holds.MINUTES and is_named_like_a_time(n) else kind for n, kind in holds.items()
    }
    stamps, days, clocks = (_of(holds, kind) for kind in (Holds.STAMPS, Holds.DATES, Holds.CLOCKS))
    if stamps is not None:
        return (stamps,)
    if days is not None:
        return (days,) if clocks is None else (days, clocks)
    if clocks is not None:
        return (clocks,)
    numbers = next((n for n, kind in holds.items() if kind is Holds.NUMBERS and n.lower() in TIMES), None)
    if numbers is None:
        raise WrongWorkload("; ".join(no_times(table, [n for n, kind in holds.items() if kind is Holds.NUMBERS])))
    for day in _days(table):
        if day != numbers and looks_like_clock(table[numbers]):
            form = _form_for(table[day], table[numbers])
            raise WrongWorkload(
                f"'{numbers}' holds {shown(table[numbers])}, '{day}' {shown(table[day])}: a number, or a time of day "
                f"and its day? --ts {day}{_BETWEEN}{numbers} --ts-format {form} reads both, --ts {numbers} numbers"
            )
    return (numbers,)


def _other_stamps(table: pa.Table, columns: Sequence[str]) -> tuple[str, ...]:
    """Other columns of time-stamps, where one was taken."""
    if held(table[columns[0]]) is not Holds.STAMPS:
        return ()
    return tuple(n for n in table.column_names if n not in columns and held(table[n]) is Holds.STAMPS)


def _of(holds: dict[str, Holds | None], kind: Holds) -> str | None:
    return next((name for name, kept in holds.items() if kept is kind), None)


def _days(table: pa.Table) -> Iterator[str]:
    """Columns of whole numbers that are named like days."""
    for field in table.schema:
        if kinds.is_integer(field.type) and _DAYS.search(field.name):
            yield field.name


def _form_for(day: pa.ChunkedArray, clock: pa.ChunkedArray) -> str:
    """A form that may be meant, to be said to the user."""
    if not (kinds.is_integer(day.type) and kinds.is_integer(clock.type)):
        return "'%Y-%m-%d %H:%M:%S', for example"
    year = "%Y" if (pc.max(day).as_py() or 0) >= 10**6 else "%y"
    return f"'{year}%m%d %H%M%S'"


def _width(form: str) -> int | None:
    """How many characters a part of a form stands for, if always the same number."""
    try:
        return TimeForm(form).width
    except WrongWorkload:
        return None


def _date_texts(column: pa.ChunkedArray) -> pa.ChunkedArray:
    return column.cast(pa.date32()).cast(pa.string()) if kinds.is_date(column.type) else column.cast(pa.string())


def _joined(days: pa.ChunkedArray | str, clock: pa.ChunkedArray) -> pa.ChunkedArray:
    hours = pc.replace_substring_regex(clock.cast(pa.string()), "^([0-9]):", r"0\1:")
    return read_stamps(pc.binary_join_element_wise(days, hours, "T"))

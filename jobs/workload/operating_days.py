"""Operating days: a log's days begin at the minute of its daily schedule, in UTC.

Day D is [D + begin, D + 1 day + begin). All days are equally long, also when local clocks change.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, timedelta

UNITS = {"s": 1, "ms": 1_000, "us": 1_000_000, "ns": 1_000_000_000}
"""For each unit of log time, how many make a second."""

_DAILY = re.compile(r"(?P<minute>[0-9]{1,2})\s+(?P<hour>[0-9]{1,2})\s+\*\s+\*\s+\*")
_EPOCH = date(1970, 1, 1)


@dataclass(frozen=True)
class OperatingDays:
    """Days as intervals of log time. `begin`: the time from 00:00 UTC to a day's start; `unit`: the log's.

    >>> days = OperatingDays(timedelta(hours=8), "s")
    >>> days.interval(date(2013, 3, 8))
    (1362729600, 1362816000)
    >>> days.day_of(1362729599), days.day_of(1362729600)
    (datetime.date(2013, 3, 7), datetime.date(2013, 3, 8))
    """

    begin: timedelta
    unit: str = "s"

    @property
    def length(self) -> int:
        """A day's length in the log's unit."""
        return 86_400 * UNITS[self.unit]

    @property
    def offset(self) -> int:
        """How long after midnight UTC a day begins, in the log's unit."""
        return int(self.begin.total_seconds()) * UNITS[self.unit]

    def interval(self, day: date) -> tuple[int, int]:
        """The day's first moment and the first one after it, in the log's unit."""
        first = day_number(day) * self.length + self.offset
        return first, first + self.length

    def day_of(self, ts: int) -> date:
        """The operating day that contains a moment."""
        return _EPOCH + timedelta(days=self.day_number_of(ts))

    def day_number_of(self, ts: int) -> int:
        """The operating day that contains a moment, as days since 1970-01-01; also outside the calendar."""
        return (ts - self.offset) // self.length

    @property
    def calendar(self) -> tuple[int, int]:
        """The first and the last moment of the years 0001 to 9999; of nanoseconds, of what 64 bits hold, but for days.

        >>> OperatingDays(timedelta(0), "ns").calendar[1] < 1 << 63
        True
        """
        first, last = self.interval(date.min)[0], self.interval(date.max)[1] - 1
        most = (1 << 63) - 2 * self.length  # room for the arithmetic of `sql`
        return max(first, -most), min(last, most)

    def days(self, first: date, last: date) -> tuple[date, ...]:
        """The days from `first` to `last`, both inclusive."""
        return tuple(first + timedelta(days=n) for n in range((last - first).days + 1))

    def sql(self, ts: str = "ts") -> str:
        """The SQL expression of a moment's operating day, which Spark and delta-rs read alike.

        Spark divides doubles, delta-rs integers. Both are exact: the day's begin is a multiple of a day's length, and
        such a multiple has few enough digits for a double, even in nanoseconds.
        """
        since = f"({ts} - {self.offset})"
        begin = f"({since} - (({since} % {self.length}) + {self.length}) % {self.length})"
        return f"DATE '1970-01-01' + CAST({begin} / {self.length} AS INT)"


def day_number(day: date) -> int:
    """Days since 1970-01-01."""
    return (day - _EPOCH).days


def begin_of(schedule: str) -> timedelta:
    """The start of a day, from a daily cron expression, `minute hour * * *`, in UTC; ValueError for any other.

    >>> begin_of("0 8 * * *")
    datetime.timedelta(seconds=28800)
    """
    match = _DAILY.fullmatch(schedule.strip())
    if match is None or int(match["hour"]) > 23 or int(match["minute"]) > 59:
        raise ValueError(f"expected a daily schedule 'minute hour * * *' in UTC, found '{schedule[:60]}'")
    return timedelta(hours=int(match["hour"]), minutes=int(match["minute"]))

"""Log times for a person: dates where the file has dates, else the numbers that it has."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from jobs.reports.words.clock import Clock
from jobs.workload.operating_days import UNITS

_BEYOND_MICROSECONDS = re.compile(r"[.,][0-9]{6}([0-9]{1,3})")


@dataclass(frozen=True)
class LogClock:
    """How moments and durations of a log are shown; `wall` None: as numbers."""

    wall: Clock | None
    unit: str = "s"

    @staticmethod
    def of(unit: str, zone: str, *, are_dates: bool) -> LogClock:
        """The clock of a log in a time zone that exists."""
        return LogClock(Clock(unit, zone) if are_dates else None, unit)

    def time(self, moment: int) -> str:
        """A moment, with as many digits as it needs.

        >>> LogClock(None).time(7), LogClock(Clock()).time(1362747540), LogClock(Clock("ms")).time(1362747541250)
        ('7', '2013-03-08 12:59', '2013-03-08 12:59:01.250')
        >>> LogClock(Clock("ns"), "ns").time(1362747541_000_000_001)
        '2013-03-08 12:59:01.000000001'
        """
        return str(moment) if self.wall is None else f"{self.wall.at(moment):%Y-%m-%d} {self.short(moment)}"

    def moment(self, text: str) -> int | None:
        """The moment that a person wrote: a number, or a date with a time of day in the clock's zone. Else None.

        >>> LogClock(None).moment("-7"), LogClock(Clock()).moment("2013-03-08 12:59:01"), LogClock(None).moment("x")
        (-7, 1362747541, None)
        >>> LogClock(Clock("ns"), "ns").moment("2013-03-08 12:59:01.000000001")
        1362747541000000001
        """
        try:
            return int(text)
        except ValueError:
            pass
        if self.wall is None:
            return None
        try:
            written = datetime.fromisoformat(text)
        except ValueError:
            return None
        since = written.replace(tzinfo=ZoneInfo(self.wall.zone)) - datetime(1970, 1, 1, tzinfo=UTC)
        digits = _BEYOND_MICROSECONDS.search(text)  # a datetime cuts them off
        nanoseconds = since // timedelta(microseconds=1) * 1000 + (int(digits[1].ljust(3, "0")) if digits else 0)
        return nanoseconds * UNITS[self.unit] // 10**9

    def span(self, start: int, end: int) -> str:
        """A half-open interval. If times are numbers, it is shown up to its last moment.

        >>> LogClock(None).span(0, 10), LogClock(Clock()).span(1362729600, 1362733200)
        ('0 to 9', '2013-03-08 08:00 to 09:00')
        """
        return f"{start} to {end - 1}" if self.wall is None else self.between(start, end)

    def between(self, first: int, last: int) -> str:
        """Two moments; the second one with its day only if that differs.

        >>> LogClock(None).between(3, 9), LogClock(Clock()).between(1362729600, 1362816000)
        ('3 to 9', '2013-03-08 08:00 to 2013-03-09 08:00')
        """
        if self.wall is None:
            return f"{first} to {last}"
        begin, finish = self.wall.at(first), self.wall.at(last)
        return f"{self.time(first)} to {self.short(last) if begin.date() == finish.date() else self.time(last)}"

    def short(self, moment: int) -> str:
        """A moment without its day, for places that show the day.

        >>> LogClock(None).short(7), LogClock(Clock()).short(1362747541)
        ('7', '12:59:01')
        """
        return str(moment) if self.wall is None else self.wall.time_of_day(moment)

    def length(self, duration: int) -> str:
        """A duration.

        >>> LogClock(None).length(1), LogClock(None, "ms").length(1500), LogClock(Clock()).length(5400)
        ('1 s', '1,500 ms', '1.5 hours')
        """
        return f"{duration:,} {self.unit}" if self.wall is None else self.wall.length(duration)

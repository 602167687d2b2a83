"""Log times and operating days as a reader's clock shows them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

from jobs.workload.operating_days import UNITS


@dataclass(frozen=True)
class Clock:
    """Turns times of a log, int64 in `unit` since the epoch, into local times of `zone`."""

    unit: str = "s"
    zone: str = "UTC"

    def at(self, moment: int) -> datetime:
        """The local time of a moment, cut to the microsecond.

        >>> Clock("ms", "America/New_York").at(1362747540_000).isoformat()
        '2013-03-08T07:59:00-05:00'
        """
        seconds, rest = divmod(moment, UNITS[self.unit])
        instant = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(
            seconds=seconds, microseconds=rest * 10**6 // UNITS[self.unit]
        )
        return instant.astimezone(ZoneInfo(self.zone))

    def nanoseconds(self, moment: int) -> int:
        """The part of a second of a moment.

        >>> Clock("ms").nanoseconds(1362747540_250), Clock("ns").nanoseconds(-1)
        (250000000, 999999999)
        """
        return moment % UNITS[self.unit] * 10**9 // UNITS[self.unit]

    def iso(self, moment: int | None) -> str:
        """For files: ISO 8601 with the offset from UTC; empty for no moment.

        >>> Clock("ns").iso(1362747540_000_000_001), Clock("ms").iso(1362747540_250)
        ('2013-03-08T12:59:00.000000001+00:00', '2013-03-08T12:59:00.250000+00:00')
        """
        if moment is None:
            return ""
        local, beyond = self.at(moment), self.nanoseconds(moment) % 1000
        if not beyond:
            return local.isoformat()
        text = local.isoformat(timespec="microseconds")
        return f"{text[:26]}{beyond:03d}{text[26:]}"

    def time(self, moment: int) -> str:
        """For tables: day and time of day; seconds and their parts, by threes, only if there are any.

        >>> Clock().time(1362747540), Clock().time(1362747541), Clock("ms").time(1362747541250)
        ('8 Mar 12:59', '8 Mar 12:59:01', '8 Mar 12:59:01.250')
        >>> Clock("ns").time(1362747540_000_000_001)
        '8 Mar 12:59:00.000000001'
        """
        local = self.at(moment)
        return f"{local.day} {local:%b} {self.time_of_day(moment)}"

    def time_of_day(self, moment: int) -> str:
        """As in `time`, without the day.

        >>> Clock("ms").time_of_day(1362747541250), Clock().time_of_day(1362747540)
        ('12:59:01.250', '12:59')
        """
        local, nanoseconds = self.at(moment), self.nanoseconds(moment)
        if not nanoseconds:
            return f"{local:%H:%M:%S}" if local.second else f"{local:%H:%M}"
        return f"{local:%H:%M:%S}.{f'{nanoseconds:09d}'.removesuffix('000').removesuffix('000')}"

    def span(self, start: int, end: int) -> str:
        """A half-open interval.

        >>> Clock().span(1362729600, 1362816000), Clock().span(1362729600, 1362733200)
        ('8 Mar 08:00 to 9 Mar 08:00', '8 Mar 08:00 to 09:00')
        """
        same = self.at(start).date() == self.at(end).date()
        last = self.time(end)
        return f"{self.time(start)} to {last.split(' ', 2)[2] if same else last}"

    def length(self, duration: int) -> str:
        """A duration in its largest fitting unit.

        >>> Clock().length(86400), Clock().length(5400), Clock().length(40 * 60), Clock("ms").length(1500)
        ('24 hours', '1.5 hours', '40 minutes', '1.5 seconds')
        >>> Clock("ns").length(210), Clock("ms").length(40), Clock("us").length(1500), Clock().length(0)
        ('210 nanoseconds', '40 milliseconds', '1.5 milliseconds', '0 seconds')
        """
        if 0 < duration < UNITS[self.unit]:
            return _below_a_second(duration * 10**9 // UNITS[self.unit])
        seconds = duration / UNITS[self.unit]
        for size, name in ((86400.0, "day"), (3600.0, "hour"), (60.0, "minute"), (1.0, "second")):
            if seconds >= size * (2 if name == "day" else 1) or name == "second":
                amount = f"{seconds / size:.1f}".removesuffix(".0")
                return f"{amount} {name}{'' if amount == '1' else 's'}"
        raise AssertionError("every duration has seconds")

    def hours(self, moment: int, origin: int) -> float:
        """Hours from `origin` to a moment."""
        return (moment - origin) / self.units_per_hour

    @property
    def units_per_hour(self) -> int:
        """Log units in an hour."""
        return UNITS[self.unit] * 3600


def _below_a_second(nanoseconds: int) -> str:
    size, name = next(
        (size, name)
        for size, name in ((10**6, "millisecond"), (1000, "microsecond"), (1, "nanosecond"))
        if nanoseconds >= size
    )
    amount = f"{nanoseconds / size:.1f}".removesuffix(".0")
    return f"{amount} {name}{'' if amount == '1' else 's'}"


def spoken(day: date) -> str:
    """A day in a sentence.

    >>> spoken(date(2013, 3, 8))
    '8 March 2013'
    """
    return f"{day.day} {day:%B %Y}"


def brief(day: date) -> str:
    """A day in a table.

    >>> brief(date(2013, 3, 8))
    'Fri 8 Mar 2013'
    """
    return f"{day:%a} {day.day} {day:%b %Y}"

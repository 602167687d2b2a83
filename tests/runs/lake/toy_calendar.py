"""Operating days of one length, in the log's unit."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta


@dataclass(frozen=True)
class ToyCalendar:
    """The first day begins at 0."""

    first: date
    length: int

    def interval(self, day: date) -> tuple[int, int]:
        begin = (day - self.first).days * self.length
        return begin, begin + self.length

    def day_of(self, ts: int) -> date:
        return self.first + timedelta(days=ts // self.length)

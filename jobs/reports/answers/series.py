"""A query's number on every day, each beside the 28 days before it: what was usual, and which days stand out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cached_property
from itertools import pairwise
from typing import Any

from jobs.reports.answers.changes import TRAILING, Change
from jobs.reports.answers.missing import is_missing
from jobs.reports.words.quantities import Magnitude, quantity

LEAST = 7
"""The fewest days before a day that tell what is usual."""


@dataclass(frozen=True)
class SeriesDay:
    """One day with a result. `change` compares it with the days before; `definition` names what it was computed by."""

    day: date
    change: Change
    is_complete: bool
    definition: str

    @property
    def value(self) -> Magnitude:
        return self.change.today

    @property
    def sentence(self) -> str:
        """The number, and how it compares with the days before."""
        number, change = quantity(self.value), self.change.sentence
        return change if change.startswith((f"{number} ", "At least ")) else f"{number}. {change}"

    @cached_property
    def quarters(self) -> tuple[Magnitude, Magnitude, Magnitude, Magnitude, Magnitude] | None:
        """Smallest, quartiles and largest of the days before; None if these are fewer than `LEAST`."""
        ordered = sorted(self.change.before.values(), key=lambda value: value.key)
        if len(ordered) < LEAST:
            return None
        low, first, middle, third, high = (ordered[round(part * (len(ordered) - 1) / 4)] for part in range(5))
        return low, first, middle, third, high

    @cached_property
    def stands_out(self) -> bool:
        """Whether there was more than on any of the days before, of which there are enough."""
        quarters = self.quarters
        return quarters is not None and self.value.key > quarters[-1].key


@dataclass(frozen=True)
class Series:
    """The days of a query, in order. `without_result`: those for which the budget of work was too small."""

    days: tuple[SeriesDay, ...]
    without_result: tuple[date, ...] = ()

    @property
    def standing_out(self) -> list[SeriesDay]:
        """The days that stand out, the largest number first."""
        days = [on for on in self.days if on.stands_out]
        return sorted(days, key=lambda on: (on.value.key, on.day), reverse=True)

    @property
    def is_judged(self) -> bool:
        """Whether some day has enough days before it that it could stand out."""
        return any(on.quarters is not None for on in self.days)

    @property
    def redefined(self) -> list[date]:
        """The days from which on results were computed by another definition than the day before them."""
        return [later.day for earlier, later in pairwise(self.days) if earlier.definition != later.definition]

    @property
    def incomplete(self) -> list[date]:
        """The days whose results look back to days that are missing or refused."""
        return [on.day for on in self.days if not on.is_complete]


def series_of(records: Mapping[date, Mapping[str, Any]], headlines: Mapping[date, Magnitude]) -> Series:
    """The series of a query. `records`: its rows of `result_days`; a day without a headline has zero.

    Cost: 28 numbers a day.
    """
    numbers: dict[date, Magnitude] = {}
    bounded: set[date] = set()
    days = []
    for day, record in sorted(records.items()):
        if is_missing(record):
            continue
        earlier = [day - timedelta(days=back) for back in range(TRAILING, 0, -1)]
        before = {on: numbers[on] for on in earlier if on in numbers}
        value = headlines.get(day, Magnitude.of(0))
        at_least = record.get("matches_at_least") is not None
        change = Change(value, before, sum(on in bounded for on in before), at_least)
        days.append(SeriesDay(day, change, bool(record["complete"]), record["definition"]))
        numbers[day] = value
        if at_least:
            bounded.add(day)
    return Series(tuple(days), tuple(day for day, record in sorted(records.items()) if is_missing(record)))

"""A calendar of a workload's days: which have a report or are not well, and on how many questions each stands out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import groupby

from jobs.reports.words.clock import brief
from jobs.reports.words.quantities import counted

WEEKDAYS = ("Mo", "Tu", "We", "Th", "Fr", "Sa", "Su")
LEVELS = (0, 1, 2, 4)
"""Numbers of answers that stand out, from which on a day has the next stronger colour."""


@dataclass(frozen=True)
class CalendarDay:
    """A day in its month. `link`: empty without a report; `look`: names for the stylesheet."""

    number: int
    link: str = ""
    words: str = ""
    look: str = ""


@dataclass(frozen=True)
class Month:
    """A month's weeks, each of seven places from Monday on; None: a place of another month."""

    title: str
    weeks: tuple[tuple[CalendarDay | None, ...], ...]


def months_of(links: Mapping[date, str], states: Mapping[date, str], out: Mapping[date, int]) -> list[Month]:
    """Every month from the first to the last day of `states`, the latest first.

    `links`: the reports by day; `states`: a word for each known day; `out`: on how many questions each stands out; not
    of days that have too few before them.
    """
    if not states:
        return []
    day, last, every = min(states).replace(day=1), max(states), []
    while day <= last:
        every.append(day)
        day += timedelta(days=1)
    while every[-1].month == (every[-1] + timedelta(days=1)).month:
        every.append(every[-1] + timedelta(days=1))
    months = [list(month) for _, month in groupby(every, lambda on: (on.year, on.month))]
    return [
        Month(f"{month[0]:%B %Y}", _weeks(month[0], [_day(on, links, states, out) for on in month]))
        for month in reversed(months)
    ]


def _weeks(first: date, days: list[CalendarDay]) -> tuple[tuple[CalendarDay | None, ...], ...]:
    places: list[CalendarDay | None] = [None] * first.weekday() + list(days)
    places += [None] * (-len(places) % 7)
    return tuple(tuple(places[begin : begin + 7]) for begin in range(0, len(places), 7))


def _day(on: date, links: Mapping[date, str], states: Mapping[date, str], out: Mapping[date, int]) -> CalendarDay:
    if on not in states:
        return CalendarDay(on.day)
    number = out.get(on, 0)
    level = sum(number >= least for least in LEVELS) - 1
    is_well = states[on] == "complete"
    above = f"{counted(number, 'answer')} above all days before" if on in out else "too few days before to compare"
    words = f"{brief(on)}, {states[on]}, {above}"
    return CalendarDay(on.day, links.get(on, ""), words, f"level-{level}" if is_well else f"level-{level} unwell")

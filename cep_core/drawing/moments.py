"""Ticks of an axis of time-stamps: at full seconds, minutes, hours, days or months, as dense as there is room."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

_STEPS = tuple(
    timedelta(seconds=seconds)
    for seconds in (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200)
) + tuple(timedelta(days=days) for days in (1, 2, 4, 7, 14))
_MONTHS = (1, 2, 3, 6, 12, 24, 60, 120, 600, 1200)


def moment_ticks(first: datetime, last: datetime, most: int) -> list[datetime]:
    """At most `most` round moments from `first` to `last`, in their own zone's time.

    >>> [f"{tick:%H:%M}" for tick in moment_ticks(datetime(2026, 1, 1, 9, 50), datetime(2026, 1, 1, 11, 40), 4)]
    ['10:00', '10:30', '11:00', '11:30']
    >>> [f"{tick:%b}" for tick in moment_ticks(datetime(2026, 1, 1, 9, 50), datetime(2026, 6, 9), 6)]
    ['Feb', 'Mar', 'Apr', 'May', 'Jun']
    """
    for step in _STEPS:
        if (last - first) / step < most + 1 and len(ticks := list(_multiples(first, last, step))) <= most:
            return ticks
    for months in _MONTHS:
        if len(ticks := list(_full_months(first, last, months))) <= most:
            return ticks
    return []


def labels_of(ticks: list[datetime]) -> list[str]:
    """Words for ticks: what tells them apart, with the day below the first one and where it changes.

    >>> labels_of([datetime(2026, 1, 1, 18), datetime(2026, 1, 2, 0), datetime(2026, 1, 2, 6)])
    ['18:00\\n1 Jan 2026', '00:00\\n2 Jan', '06:00']
    """
    whole_days = all(tick.time() == datetime.min.time() for tick in ticks) and len(ticks) > 1
    seconds = any(tick.second for tick in ticks)
    labels = []
    for place, tick in enumerate(ticks):
        before = ticks[place - 1] if place else None
        day = f"{tick.day} {tick:%b}"
        year = f" {tick.year}" if before is None or before.year != tick.year else ""
        if whole_days:
            labels.append(day + (f"\n{year.strip()}" if year else ""))
        elif before is None or before.date() != tick.date():
            labels.append(f"{tick:%H:%M:%S}\n{day}{year}" if seconds else f"{tick:%H:%M}\n{day}{year}")
        else:
            labels.append(f"{tick:%H:%M:%S}" if seconds else f"{tick:%H:%M}")
    return labels


def _multiples(first: datetime, last: datetime, step: timedelta) -> Iterator[datetime]:
    begin = datetime(first.year, first.month, first.day, tzinfo=first.tzinfo)
    if step >= timedelta(days=1):
        begin -= timedelta(days=begin.toordinal() % step.days)
    tick = begin + -(-(first - begin) // step) * step
    while tick <= last:
        yield tick
        tick += step


def _full_months(first: datetime, last: datetime, months: int) -> Iterator[datetime]:
    number = -(-(first.year * 12 + first.month - 1) // months) * months
    while number < 12 * 9999:
        tick = datetime(number // 12, number % 12 + 1, 1, tzinfo=first.tzinfo)
        if tick > last:
            return
        if tick >= first:
            yield tick
        number += months

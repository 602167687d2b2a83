"""Axes of log time, labelled by the reader's clock, and axes of counts of any size."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Literal

from cep_core.drawing.moments import labels_of, moment_ticks
from cep_core.drawing.plot import Plot
from cep_core.drawing.ticks import round_ticks
from jobs.reports.words.clock import Clock
from jobs.reports.words.quantities import Magnitude, quantity

_LENGTHS = (("days", 24.0), ("hours", 1.0), ("minutes", 1 / 60), ("seconds", 1 / 3600))
BEYOND = 309.0
"""Of infinity: the least power of ten that no double reaches. Counts that are larger stand on axes without infinity."""
FAR = 300.0
"""A power of ten to which all others are close on a linear axis."""
_STEPS = (1, 2, 3, 6, 12, 24, 48, 96, 168, 336)


def label_times(plot: Plot, clock: Clock, origin: int, first: int, last: int) -> None:
    """Put ticks on the x axis, whose coordinates are hours from `origin`, at full local hours between two times.

    With fewer than two full hours between them, at minutes or seconds.
    """
    low, high = clock.hours(first, origin), clock.hours(last, origin)
    margin = max(high - low, 1e-9) * 0.02
    plot.x.limits(low - margin, high + margin)
    step = next((step for step in _STEPS if (high - low) / step <= (4 if plot.narrow else 9)), _STEPS[-1])
    local = clock.at(origin)
    into_day = local.hour + local.minute / 60
    start = math.ceil((low + into_day) / step - 1e-9) * step - into_day
    ticks = []
    while start <= high + 1e-9:
        ticks.append(start)
        start += step
    per_hour = clock.units_per_hour
    labels = []
    for tick in ticks:
        moment = clock.at(origin + round(tick * per_hour))
        labels.append(f"{moment:%H:%M}\n{moment.day} {moment:%b}" if moment.hour == 0 else f"{moment:%H:%M}")
    if len(ticks) < 2:
        moments = _moments(clock, first, last, 4 if plot.narrow else 9)
        since = clock.at(origin).astimezone(UTC)
        ticks = [(moment.astimezone(UTC) - since) / timedelta(hours=1) for moment in moments]
        labels = labels_of(moments)
    plot.x.ticks(ticks, labels)
    plot.x.label = f"time of day, {clock.zone}"


def _moments(clock: Clock, first: int, last: int, most: int) -> list[datetime]:
    """Round local moments between two times; the first of these where there is none."""
    begin, end = clock.at(first), clock.at(last)
    return moment_ticks(begin, end, most) or [begin]


def label_lengths(plot: Plot, clock: Clock, longest: int) -> None:
    """Label an x axis of hours since a match's first event, in a unit that suits the longest match."""
    hours = longest / clock.units_per_hour
    unit, size = next((unit, size) for unit, size in _LENGTHS if hours >= 2 * size or unit == "seconds")
    margin = max(hours, 1e-9) * 0.02
    plot.x.limits(-margin, hours + margin)
    ticks = round_ticks(0, (hours + margin) / size, 5 if plot.narrow else 10, integer=unit != "seconds")
    plot.x.ticks([tick * size for tick in ticks], map(quantity, ticks))
    plot.x.label = f"{unit} since the first event"


def label_days(plot: Plot, last: date, first: int) -> None:
    """Label an x axis of days, from `first` (negative) to 0, which is the day `last`."""
    low = min(first, -1)
    plot.x.limits(low - 0.5, 0.5)
    step = max(1, math.ceil(-low / (3 if plot.narrow else 7)))
    ticks = range(0, low - 1, -step)
    days = [last + timedelta(days=tick) for tick in ticks]
    plot.x.ticks(ticks, [f"{on.day} {on:%b}" for on in days])


def _log10(value: Magnitude) -> float:
    """A positive value's place on a logarithmic axis; infinity is beside the largest number."""
    return BEYOND if value.log10 == math.inf else value.log10


def explodes(values: Sequence[Magnitude]) -> bool:
    """Whether values need a logarithmic axis.

    Positive ones span many orders of magnitude, or two may be so far apart that no number tells how far.
    """
    positive = [_log10(value) for value in values if value.sign > 0]
    if any(value.sign and value.log10 > FAR for value in values):
        return True
    return bool(positive) and (max(positive) > 6 or max(positive) - min(positive) > 2.5)


def height(value: Magnitude, *, logarithmic: bool) -> float:
    """The position of a value on a count axis. On a logarithmic axis, zero and negative values are at the bottom.

    Infinity has a place beyond all numbers. What is no number stands where zero does.

    >>> height(Magnitude.of(None, 47.0), logarithmic=True), height(Magnitude.of(12), logarithmic=False)
    (47.0, 12.0)
    >>> height(Magnitude.of(math.inf), logarithmic=True), height(Magnitude.of(-math.inf), logarithmic=True)
    (309.0, -0.3)
    """
    if logarithmic:
        return _log10(value) if value.sign > 0 else -0.3
    if not value.sign:
        return 0.0
    return float(value.exact) if value.exact is not None else value.sign * 10**value.log10


def label_counts(
    plot: Plot, values: Sequence[Magnitude], what: str, *, logarithmic: bool, axis: Literal["x", "y"] = "y"
) -> None:
    """Label an axis of counts. On a logarithmic axis, coordinates are log10 and ticks are written as numbers."""
    along = plot.y if axis == "y" else plot.x
    along.label = what + (" (log scale)" if logarithmic else "")
    if not logarithmic:
        along.limits(0 if all(value.sign >= 0 for value in values) else None, None)
        return
    positive = [_log10(value) for value in values if value.sign > 0]
    low = -0.3 if any(value.sign <= 0 for value in values) or min(positive) < 1 else min(positive) - 0.3
    high = max(positive, default=0.0)
    step = max(1, math.ceil((high - max(low, 0)) / (4 if axis == "x" and plot.narrow else 6)))
    top = high + max(0.3, (high - low) * 0.06)
    ticks = [tick for tick in range(max(0, math.ceil(low)), math.floor(high) + step + 1, step) if tick <= top]
    along.limits(low, top)
    along.ticks(ticks, [f"{10**tick:,}" if tick < 6 else f"1e{tick}" for tick in ticks])

"""The day's events by hour and type, compared with the days before."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date
from statistics import median

from cep_core.drawing.marks import Marker, Whiskers
from cep_core.drawing.plot import Plot
from cep_core.drawing.svg import Stroke
from cep_core.drawing.tones import GREY, INK, Look, series
from jobs.reports.answers.tallies import PERIODS
from jobs.reports.figures.drawing.figure import Figure
from jobs.reports.figures.drawing.time_axis import label_times
from jobs.reports.words.clock import Clock, spoken
from jobs.reports.words.quantities import counted, quantity
from jobs.reports.words.values import shown

TYPES = 7


def rhythm_figure(
    today: Mapping[tuple[str, int], int],
    before: Mapping[date, Mapping[int, int]],
    declared: Sequence[str],
    interval: tuple[int, int],
    day: date,
    clock: Clock,
) -> Figure | None:
    """Stacked bars by event type; median and range of the days before as a tick and a thin line.

    `today`: (event type, period) -> events; `before`: for each day, period -> events. Periods are the 24th parts of the
    operating day's `interval`. `declared`: the log's event types in their own order.
    """
    total = sum(today.values())
    if not total:
        return None
    types = Counter[str]()
    for (event_type, _), events in today.items():
        types[event_type] += events
    top = sorted(types, key=lambda name: (-types[name], name))[:TYPES]
    names = [*declared, *sorted(types.keys() - set(declared))]
    top, rest = [name for name in names if name in top], [name for name in types if name not in top]
    columns = {shown(name, 24): [today.get((name, period), 0) for period in range(PERIODS)] for name in top}
    if rest:
        columns["other"] = [sum(today.get((name, period), 0) for name in rest) for period in range(PERIODS)]
    # in order of declaration, not of size, so that a type has the same colour on every day
    looks = {"other": Look(GREY, "o"), **{shown(name, 24): look for name, look in series(names).items()}}
    middle, low, high = _spread(list(before.values()))
    start, end = interval
    width = (end - start) / PERIODS

    def draw(plot: Plot) -> None:
        xs = [clock.hours(start + round((period + 0.5) * width), start) for period in range(PERIODS)]
        size = clock.hours(start + round(width), start) * 0.86
        floor = [0.0] * PERIODS
        for name, counts in columns.items():
            plot.columns(xs, counts, size, looks[name].colour, floor=floor, label=name)
            floor = [under + count for under, count in zip(floor, counts, strict=True)]
        if before:
            plot.add(Whiskers(xs, low, high, Stroke(INK, 0.8)))
            plot.points(xs, middle, Marker("_", INK, 7), label="days before")
        plot.y.label = "events per hour"
        plot.y.limits(0, None)
        plot.x.grid = False
        label_times(plot, clock, start, start, end)
        plot.has_key = True

    peak = max(range(PERIODS), key=lambda period: sum(counts[period] for counts in columns.values()))
    at = clock.span(start + round(peak * width), start + round((peak + 1) * width))
    usual = f" Ticks and thin lines: median and range of the {len(before)} loaded days before (at most 28)."
    if len(before) < 2:
        usual = " Ticks: the loaded day before." if before else ""
    return Figure(
        "events-by-hour",
        f"Stacked bars of {quantity(total)} events by type over {spoken(day)}; the most in one hour: {at}.",
        f"Events by type in each hour of the operating day; n = {counted(total, 'event')}.{usual}",
        ["period_start", *columns, "median_before", "smallest_before", "largest_before"],
        [
            [
                clock.iso(start + round(period * width)),
                *(counts[period] for counts in columns.values()),
                *((middle[period], low[period], high[period]) if before else (None, None, None)),
            ]
            for period in range(PERIODS)
        ],
        draw,
        (3.0, 3.2),
    )


def _spread(days: Sequence[Mapping[int, int]]) -> tuple[list[float], list[int], list[int]]:
    if not days:
        return [], [], []
    by_period = [[day.get(period, 0) for day in days] for period in range(PERIODS)]
    return (
        [float(median(values)) for values in by_period],
        [min(values) for values in by_period],
        [max(values) for values in by_period],
    )

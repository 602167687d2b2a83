"""When the day's results happened: one row for each query, a stronger colour for more results.

If only listed matches can be counted, the row, its words and its numbers say so.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from datetime import date

from cep_core.drawing.marks import Boxes, Edges
from cep_core.drawing.plot import Plot
from jobs.reports.answers.tallies import PERIODS
from jobs.reports.figures.drawing.figure import Figure
from jobs.reports.figures.drawing.palette import TODAY
from jobs.reports.figures.drawing.time_axis import explodes, height, label_times
from jobs.reports.words.clock import Clock, spoken
from jobs.reports.words.quantities import Magnitude


def when_figure(
    periods: Mapping[str, Mapping[int, Magnitude]],
    said: Mapping[str, Callable[[Magnitude], str]],
    listed: Collection[str],
    interval: tuple[int, int],
    day: date,
    clock: Clock,
) -> Figure | None:
    """None if no query has any result.

    `periods`: for each query, 24th part of the day -> its number there; `said`: the largest number in words;
    `listed`: the queries of which only listed matches are counted.
    """
    tallies = {name: values for name, values in periods.items() if any(value.sign > 0 for value in values.values())}
    if not tallies:
        return None
    start, end = interval
    width = (end - start) / PERIODS

    def moment(period: int) -> int:
        return start + round(period * width)

    def draw(plot: Plot) -> None:
        cells: list[Edges] = []
        depths = []
        for row, values in enumerate(tallies.values()):
            logarithmic = explodes(list(values.values()))
            heights = {period: height(value, logarithmic=logarithmic) for period, value in values.items()}
            top = max(heights.values())
            for period, size in heights.items():
                if values[period].sign > 0:
                    left = clock.hours(moment(period), start)
                    across = clock.hours(moment(period + 1), start) - left
                    cells.append((left, left + across * 0.94, row - 0.4, row + 0.4))
                    depths.append(0.12 + 0.88 * max(0.0, size) / top if top > 0 else 1.0)
        plot.add(Boxes(cells, TODAY, depths))
        plot.rows([f"{name} (listed)" if name in listed else name for name in tallies])
        label_times(plot, clock, start, start, end)

    peaks = {name: max(values, key=lambda period: (values[period].key, -period)) for name, values in tallies.items()}
    hours = "; ".join(
        f"{name} {clock.time(moment(period))}{' (of those listed)' if name in listed else ''}"
        for name, period in peaks.items()
    )
    tall = 0.9 + 0.32 * len(tallies)
    return Figure(
        "results-by-hour",
        f"Heat strip of when each query's results of {spoken(day)} ended. The hour with the most: {hours}.",
        "When results ended, hour by hour: a match ends at its last event, a window at its end, a violation is "
        "at its own moment. A stronger colour means more; each row has its own scale. "
        + " ".join(f"{name}: {said[name](values[peaks[name]])}." for name, values in tallies.items()),
        ["query", "counted", "period_start", "value", "log10"],
        [
            [
                name,
                "listed" if name in listed else "all",
                clock.iso(moment(period)),
                value.exact,
                value.log10 if value.sign else None,
            ]
            for name, values in tallies.items()
            for period, value in sorted(values.items())
        ],
        draw,
        (tall, tall),
    )

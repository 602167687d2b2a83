"""When a day's violations happened, by the moment of each; some lie before the day in which they became certain."""

from __future__ import annotations

from collections import Counter
from datetime import date

import pyarrow as pa

from cep_core.drawing.marks import Across, Shade
from cep_core.drawing.plot import Plot
from cep_core.drawing.svg import Stroke
from cep_core.drawing.tones import FAINT, QUIET
from jobs.reports.answers.tallies import PERIODS
from jobs.reports.figures.drawing.figure import Figure
from jobs.reports.figures.drawing.palette import TODAY
from jobs.reports.figures.drawing.time_axis import label_times
from jobs.reports.words.clock import Clock, spoken
from jobs.reports.words.quantities import counted, quantity

LONGEST = 3 * PERIODS
"""The most periods before the day that are drawn; earlier violations are counted in the first of these."""


def moments_figure(
    name: str, results: pa.Table, interval: tuple[int, int], day: date, clock: Clock, *, cut: bool
) -> Figure | None:
    """A bar for each 24th part of the day, and for as many such parts before it as have violations."""
    stamps = results["ts"].to_pylist()
    if not stamps:
        return None
    start, end = interval
    width = (end - start) / PERIODS
    first = max(int((min(stamps) - start) // width), -LONGEST)
    tally = Counter(max(int((ts - start) // width), first) for ts in stamps)
    low = min(first, 0)
    early = sum(number for period, number in tally.items() if period < 0)

    def moment(period: int) -> int:
        return start + round(period * width)

    def draw(plot: Plot) -> None:
        across = clock.hours(moment(1), moment(0))
        if low < 0:
            plot.add(Shade(low * across, 0, FAINT, label="before the operating day"))
            plot.add(Across(0, Stroke(QUIET, 1.0), upright=True))
        plot.columns([(period + 0.5) * across for period in tally], list(tally.values()), 0.88 * across, TODAY)
        plot.x.grid = False
        plot.y.limits(0, None)
        plot.y.integer = True
        plot.y.label = "violations"
        label_times(plot, clock, start, moment(low), end)
        plot.has_key = True

    peak = max(tally, key=lambda period: (tally[period], -period))
    some = "listed violations" if cut else "violations"
    early_note = f" {counted(early, 'violation')} before the day (grey) became certain in it." if early else ""
    return Figure(
        f"{name}-moments",
        f"Bars of {some} by the moment of the violation. Most, {quantity(tally[peak])}, from "
        f"{clock.span(moment(peak), moment(peak + 1))}.",
        f"When the {some} certain on {spoken(day)} happened, by parts of {clock.length(round(width))}.{early_note} "
        f"n = {quantity(len(stamps))}; at most {quantity(tally[peak])} in one part.",
        ["period_start", "violations"],
        [[clock.iso(moment(period)), number] for period, number in sorted(tally.items())],
        draw,
        (2.2, 2.4),
    )

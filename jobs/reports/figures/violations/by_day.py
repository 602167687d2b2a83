"""A policy's violations day by day: this day beside the days before."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, timedelta

from cep_core.drawing.marks import Across, Words
from cep_core.drawing.plot import Plot
from cep_core.drawing.svg import Stroke
from cep_core.drawing.tones import INK
from jobs.reports.answers.changes import TRAILING
from jobs.reports.figures.drawing.figure import Figure
from jobs.reports.figures.drawing.palette import BEFORE, TODAY
from jobs.reports.words.clock import spoken
from jobs.reports.words.quantities import Magnitude, counted, median, quantity


def by_day_figure(name: str, numbers: Mapping[date, int], day: date) -> Figure | None:
    """A bar for each evaluated day; None without an earlier day. `numbers`: violations of the evaluated days."""
    first = day - timedelta(days=TRAILING)
    drawn = {on: number for on, number in sorted(numbers.items()) if first <= on <= day}
    before = [number for on, number in drawn.items() if on < day]
    if not before or day not in drawn:
        return None
    usual = median([Magnitude.of(number) for number in before])

    def draw(plot: Plot) -> None:
        before = {(on - day).days: number for on, number in drawn.items() if on < day}
        plot.columns(list(before), list(before.values()), 0.8, BEFORE)
        plot.columns([0], [drawn[day]], 0.8, TODAY)
        plot.add(
            Across(float(usual.exact or 0), Stroke(INK, 1.0, (4, 2)), label="median before"),
            Words(0, drawn[day], quantity(drawn[day]), TODAY, "middle", "above"),
        )
        plot.x.limits(-TRAILING - 0.8, 0.8)
        ticks = range(-TRAILING, 1, 14 if plot.narrow else 7)
        plot.x.ticks(ticks, [f"{(day + timedelta(tick)).day} {day + timedelta(tick):%b}" for tick in ticks])
        plot.x.grid = False
        plot.y.limits(0, max(1.0, max(drawn.values()) * 1.12))
        plot.y.integer = True
        plot.y.label = "violations"
        plot.has_key = True

    spread = f"{quantity(min(before))} to {quantity(max(before))}, median {quantity(usual)}"
    return Figure(
        f"{name}-by-day",
        f"Bars of violations by operating day: {quantity(drawn[day])} on {spoken(day)}; on the days before {spread}.",
        f"Violations by the operating day in which they became certain: {spoken(day)} (blue) and the evaluated days of "
        f"the {TRAILING} before (grey); a day without a bar had none, or was not evaluated. "
        f"n = {counted(len(before), 'day')} before, {spread} violations a day.",
        ["day", "violations"],
        [[on.isoformat(), number] for on, number in drawn.items()],
        draw,
        (2.2, 2.2),
    )

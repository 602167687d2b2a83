"""A policy's violations day by day: this day beside the days before."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, timedelta

from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from jobs.reports.answers.changes import TRAILING
from jobs.reports.figures.drawing.figure import Figure
from jobs.reports.figures.drawing.palette import BEFORE, INK, TODAY
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

    def draw(axes: Axes, narrow: bool) -> None:
        places = [(on - day).days for on in drawn]
        colours = [TODAY if on == day else BEFORE for on in drawn]
        axes.bar(places, list(drawn.values()), width=0.8, color=colours)
        axes.axhline(float(usual.exact or 0), color=INK, linewidth=1.0, linestyle="--", label="median before")
        axes.text(0, drawn[day], quantity(drawn[day]), color=TODAY, ha="center", va="bottom")
        axes.set_xlim(-TRAILING - 0.8, 0.8)
        ticks = range(-TRAILING, 1, 14 if narrow else 7)
        axes.set_xticks(list(ticks), [f"{(day + timedelta(tick)).day} {day + timedelta(tick):%b}" for tick in ticks])
        axes.set_ylim(0, max(1.0, max(drawn.values()) * 1.12))
        axes.yaxis.set_major_locator(MaxNLocator(4, integer=True))
        axes.set_ylabel("violations")
        axes.grid(visible=False, axis="x")
        axes.figure.legend(loc="outside upper left")

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

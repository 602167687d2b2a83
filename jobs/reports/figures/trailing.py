"""Each query's headline number today among the days before, every query on its own scale."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date

from cep_core.drawing.marks import Marker, Polyline, Words
from cep_core.drawing.plot import Plot
from cep_core.drawing.svg import Stroke
from cep_core.drawing.tones import INK
from jobs.reports.answers.changes import TRAILING, Change
from jobs.reports.figures.drawing.figure import Figure
from jobs.reports.figures.drawing.palette import BEFORE, TODAY
from jobs.reports.figures.drawing.time_axis import explodes, height
from jobs.reports.words.clock import spoken
from jobs.reports.words.quantities import Magnitude, counted, quantity
from jobs.reports.words.values import listed


def trailing_figure(changes: Mapping[str, Change], day: date) -> Figure | None:
    """One row for each query: a grey dot for each day before, a bar at their median, a large dot today.

    If only the listed matches of a query were counted on some day, the query is named but not drawn.
    """
    usable = {name: change for name, change in changes.items() if change.before and change.exact}
    uncounted = [name for name, change in changes.items() if change.before and not change.exact]
    if not usable:
        return None
    days = max(len(change.before) for change in usable.values())
    places = {name: _places(change) for name, change in usable.items()}

    def draw(plot: Plot) -> None:
        for row, (name, change) in enumerate(usable.items()):
            today, usual, before = places[name]
            plot.add(
                Polyline(before, [row] * len(before), None, Marker("o", BEFORE, 4.5, 0.55)),
                Polyline([usual, usual], [row - 0.25, row + 0.25], Stroke(INK)),
                Polyline([today], [row], None, Marker("D", TODAY, 7)),
                Words(1.06, row, quantity(change.today), TODAY),
            )
        plot.add(Words(1.06, -0.8, "today", TODAY))
        plot.rows(list(usable), above=1.0)
        plot.x.limits(-0.03, 1.06)
        plot.x.ticks([0, 1], ["0", "most"])

    above = [
        name for name, change in usable.items() if change.spread is not None and change.today.key > change.spread[1].key
    ]
    finding = f"Above every day before: {listed(above)}" if above else "No query is above every day before"
    undrawn = ""
    if uncounted:
        undrawn = f" Not drawn, because matches were counted only as far as listed: {listed(uncounted)}."
    unknown = f"; {listed(uncounted)} not compared" if uncounted else ""
    return Figure(
        "trailing-days",
        f"Strip chart of each query's headline number on {spoken(day)} among the days before. {finding}{unknown}.",
        f"Each row is one query: today's headline number (diamond and number), the evaluated days of the {TRAILING} "
        f"before (dots) and their median (bar); n = {counted(days, 'day')}. Each row has its own scale, from 0 to its "
        f"largest day; it is logarithmic where counts explode.{undrawn}",
        ["query", "day", "value", "log10"],
        [
            [name, on.isoformat(), value.exact, value.log10 if value.sign else None]
            for name, change in usable.items()
            for on, value in [*change.before.items(), (day, change.today)]
        ],
        draw,
        (0.85 + 0.32 * len(usable), 0.85 + 0.32 * len(usable)),
    )


def _places(change: Change) -> tuple[float, float, list[float]]:
    """Positions in [0, 1] of today, of the median and of the days before."""
    usual = change.usual or Magnitude.of(0)
    every = [change.today, usual, *change.before.values()]
    logarithmic = explodes(every)
    heights = [max(0.0, height(value, logarithmic=logarithmic)) for value in every]
    top = max(heights) or 1.0
    today, middle, *before = (value / top for value in heights)
    return today, middle, before

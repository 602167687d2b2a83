"""Predicted seconds of a day with more and more workers, and the parts that they are made of."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from cep_core.drawing.marks import Marker
from cep_core.drawing.plot import Plot
from cep_core.drawing.svg import Stroke
from cep_core.drawing.tones import INK, QUIET, SERIES
from jobs.reports.figures.drawing.figure import Figure
from jobs.reports.words.clock import spoken
from jobs.reports.words.quantities import elapsed, quantity
from jobs.stages.measuring.wall_time import Wall, enough

PARTS = ("divided", "evaluate")
"""The parts of the wall time that more workers shorten."""


def more_workers_figure(walls: Sequence[Wall], day: date) -> Figure | None:
    """A line for the whole, one for each part that is shared, one for what no worker shortens; None of fewer than three
    numbers of workers."""
    if len(walls) < 3:
        return None
    places = [wall.workers for wall in walls]
    least = [wall.least for wall in walls]

    def draw(plot: Plot) -> None:
        plot.line(places, least, Stroke(QUIET, 1.0, (4, 2)), label="start and driver")
        for part, look in zip(PARTS, SERIES, strict=False):
            seconds = [getattr(wall, part) for wall in walls]
            plot.line(places, seconds, Stroke(look.colour, 1.2), marker=Marker(look.marker, look.colour, 5), label=part)
        plot.line(
            places, [wall.total for wall in walls], Stroke(INK, 1.6), marker=Marker("o", INK, 5), label="together"
        )
        plot.x.logarithmic = plot.y.logarithmic = True
        plot.x.ticks(places, map(quantity, places))
        plot.x.label = "workers, a core each"
        plot.y.label = "seconds"
        plot.has_key = True

    first, best, last = walls[0], enough(walls), walls[-1]
    return Figure(
        "more-workers",
        f"Line chart of the predicted time of {spoken(day)}: {elapsed(first.total)} with 1 worker, "
        f"{elapsed(best.total)} with {quantity(best.workers)}, {elapsed(last.total)} with {quantity(last.workers)}.",
        f"Predicted wall time of {spoken(day)} in seconds, both axes logarithmic, n = {len(walls)} numbers of workers: "
        "start and driver (dashed), which no worker shortens, what is divided evenly, evaluation, and all together. A "
        "prediction from one run's seconds, without spread.",
        ["workers", "start", "driver", "divided", "evaluate", "together", "waits_for"],
        [
            [
                wall.workers,
                wall.start,
                wall.alone,
                wall.divided,
                wall.evaluate,
                wall.total,
                ", ".join(wall.slowest) if wall.held else None,
            ]
            for wall in walls
        ],
        draw,
        (3.0, 3.4),
    )

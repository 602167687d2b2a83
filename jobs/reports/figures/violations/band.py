"""A day's episodes as bands: a row for each value on which violations concentrate, from when to when each lasted."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any

import pyarrow as pa

from cep_core.drawing.marks import Across, Marker
from cep_core.drawing.plot import Plot
from cep_core.drawing.svg import Stroke
from cep_core.drawing.tones import QUIET
from jobs.reports.answers.concentration import Concentration, length
from jobs.reports.figures.drawing.figure import Figure
from jobs.reports.figures.drawing.palette import TODAY
from jobs.reports.figures.drawing.time_axis import label_times
from jobs.reports.words.clock import Clock, spoken
from jobs.reports.words.quantities import counted, quantity
from jobs.reports.words.values import shown

ROWS = 12
"""The most rows."""


def band_figure(
    name: str,
    episodes: pa.Table,
    whose: Concentration | None,
    interval: tuple[int, int],
    day: date,
    clock: Clock,
    total: int,
) -> Figure | None:
    """`episodes`: the listed ones of the day, `total`: how many there are. None if there are none.

    Without a column on which violations concentrate, all episodes share a row.
    """
    rows: list[Mapping[str, Any]] = episodes.to_pylist()
    drawn: dict[str | None, list[Mapping[str, Any]]] = {"all": rows}
    if whose is not None:
        drawn = {value: [r for r in rows if r[whose.column] == value] for value in list(whose.counts)[:ROWS]}
    shown_rows = [row for own in drawn.values() for row in own]
    if not shown_rows:
        return None
    start, end = interval
    first = min(start, *(row["first_ts"] for row in shown_rows))

    def draw(plot: Plot) -> None:
        for place, own in enumerate(drawn.values()):
            for row in own:
                ends = [clock.hours(row["first_ts"], start), clock.hours(row["last_ts"], start)]
                plot.line(ends, [place, place], Stroke(TODAY, 6, opacity=0.75))
                plot.points(ends[:1], [place], Marker("o", TODAY, 5))
                for side, marker, x in (("begin", "<", ends[0]), ("end", ">", ends[1])):
                    if row[f"touches_{side}"] and row["points"] > 1:
                        plot.points([x], [place], Marker(marker, QUIET, 7))
        if first < start:
            plot.add(Across(0, Stroke(QUIET, 1.0), upright=True))
        plot.rows([f"{shown(value, 14)} ×{len(own)}" for value, own in drawn.items()])
        label_times(plot, clock, start, first, end)

    longest = max(shown_rows, key=lambda row: (row["last_ts"] - row["first_ts"], -row["first_ts"]))
    lasts = length(longest["last_ts"] - longest["first_ts"], clock)
    cut = f"the {len(rows):,} listed of {quantity(total)}" if len(rows) < total else quantity(total)
    others = f" The {len(drawn)} with the most violations." if whose and len(whose.counts) > len(drawn) else ""
    by = "" if whose is None else f" by {whose.title}"
    columns = [] if whose is None else [whose.column]
    line = " The line is the beginning of the operating day." if first < start else ""
    return Figure(
        f"{name}-episodes",
        f"Bands of {counted(len(shown_rows), 'episode')} of {spoken(day)}{by}; the longest"
        f"{f', of {shown(longest[whose.column])},' if whose else ''} lasts {lasts}.",
        f"Episodes{by}: a dot where one begins, a band as long as it lasts, an arrow where it reaches the "
        f"day's end and may go on. ×: how many episodes.{others}{line} n = {len(shown_rows):,} of {cut} episodes of "
        f"{spoken(day)}.",
        [*columns, "first_time", "last_time", "first_ts", "last_ts", "violations"],
        [
            [
                *(row[column] for column in columns),
                clock.iso(row["first_ts"]),
                clock.iso(row["last_ts"]),
                row["first_ts"],
                row["last_ts"],
                row["points"],
            ]
            for row in shown_rows
        ],
        draw,
        (0.9 + 0.27 * len(drawn), 0.9 + 0.27 * len(drawn)),
    )

"""A day's episodes as bands: a row for each value on which violations concentrate, from when to when each lasted.

Of a day with many episodes, those that no reader could tell apart are drawn as one, so a row of a drawing has a few
hundred marks however many episodes there are. All are counted, and are in the file of numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

import pyarrow as pa

from cep_core.drawing.marks import Across, Marker
from cep_core.drawing.plot import Plot
from cep_core.drawing.svg import Stroke
from cep_core.drawing.tones import QUIET
from jobs.reports.answers.concentration import Concentration, length
from jobs.reports.figures.drawing.closeness import joined, thinned
from jobs.reports.figures.drawing.figure import Figure
from jobs.reports.figures.drawing.palette import TODAY
from jobs.reports.figures.drawing.time_axis import label_times
from jobs.reports.words.clock import Clock, spoken
from jobs.reports.words.quantities import counted, quantity
from jobs.reports.words.values import shown

ROWS = 12
"""The most rows."""
EACH = 200
"""The most episodes of a figure that are drawn one by one."""
APART = 2.0
"""Points between what can be told apart: less than half a dot."""


BAND, BEGIN = Stroke(TODAY, 6, opacity=0.75), Marker("o", TODAY, 5)


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
        apart = clock.hours(end, first) * APART / plot.width
        for place, own in enumerate(drawn.values()):
            if len(shown_rows) > EACH:
                _draw_merged(plot, place, own, clock, start, apart)
                continue
            for row in own:
                ends = [clock.hours(row["first_ts"], start), clock.hours(row["last_ts"], start)]
                plot.line(ends, [place, place], BAND)
                plot.points(ends[:1], [place], BEGIN)
                for side, marker, x in (("begin", "<", ends[0]), ("end", ">", ends[1])):
                    if _goes_on(row, side):
                        plot.points([x], [place], Marker(marker, QUIET, 7))
        if first < start:
            plot.add(Across(0, Stroke(QUIET, 1.0), upright=True))
        plot.rows([f"{shown(value, 14)} ×{len(own):,}" for value, own in drawn.items()])
        label_times(plot, clock, start, first, end)

    longest = max(shown_rows, key=lambda row: (row["last_ts"] - row["first_ts"], -row["first_ts"]))
    lasts = length(longest["last_ts"] - longest["first_ts"], clock)
    cut = f"the {len(rows):,} listed of {quantity(total)}" if len(rows) < total else quantity(total)
    others = f" The {len(drawn)} with the most violations." if whose and len(whose.counts) > len(drawn) else ""
    by = "" if whose is None else f" by {whose.title}"
    columns = [] if whose is None else [whose.column]
    line = " The line is the beginning of the operating day." if first < start else ""
    merged = " Episodes too close to be told apart are drawn as one." if len(shown_rows) > EACH else ""
    return Figure(
        f"{name}-episodes",
        f"Bands of {counted(len(shown_rows), 'episode')} of {spoken(day)}{by}; the longest"
        f"{f', of {shown(longest[whose.column])},' if whose else ''} lasts {lasts}.",
        f"Episodes{by}: a dot where one begins, a band as long as it lasts, an arrow where it reaches the "
        f"day's end and may go on. ×: how many episodes.{merged}{others}{line} "
        f"n = {len(shown_rows):,} of {cut} episodes of {spoken(day)}.",
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


def _draw_merged(
    plot: Plot, place: int, episodes: Sequence[Mapping[str, Any]], clock: Clock, start: int, apart: float
) -> None:
    """Draw the episodes of a row with one band for those that overlap or are no farther `apart`, and one dot or arrow
    for those that are closer. Dots are above arrows, which otherwise would hide most of them."""
    spans = sorted((clock.hours(row["first_ts"], start), clock.hours(row["last_ts"], start)) for row in episodes)
    bands = joined([(begin, end) for begin, end in spans if begin < end], apart)
    xs = [x for begin, end in bands for x in (begin, end, end)]
    plot.line(xs, [place, place, float("nan")] * len(bands), BAND)
    for side, marker, which in (("begin", "<", "first_ts"), ("end", ">", "last_ts")):
        reached = sorted(clock.hours(row[which], start) for row in episodes if _goes_on(row, side))
        _draw_dots(plot, place, reached, Marker(marker, QUIET, 7), apart)
    _draw_dots(plot, place, [begin for begin, _ in spans], BEGIN, apart)


def _draw_dots(plot: Plot, place: int, xs: Sequence[float], marker: Marker, apart: float) -> None:
    if kept := thinned(xs, apart):
        plot.points(kept, [place] * len(kept), marker)


def _goes_on(row: Mapping[str, Any], side: str) -> bool:
    """Whether an episode reaches this end of the day and may go on there."""
    return bool(row[f"touches_{side}"] and row["points"] > 1)

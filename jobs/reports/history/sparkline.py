"""A line as small as a word: how a number went over the days. It stands in the page itself and takes its colours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from jobs.reports.answers.series import Series
from jobs.reports.figures.drawing.time_axis import explodes, height

WIDTH, HEIGHT, EDGE = 240.0, 36.0, 3.0
"""In pixels; at the edge no line is drawn."""


@dataclass(frozen=True)
class Sparkline:
    """Courses of the line and of the marks of days that stand out, in SVG's language; `last`: the place of its end."""

    line: str
    marks: Sequence[tuple[str, str]]
    last: tuple[str, str]
    words: str

    @property
    def box(self) -> str:
        """The drawing's own coordinates."""
        return f"0 0 {WIDTH:g} {HEIGHT:g}"


def sparkline(series: Series) -> Sparkline | None:
    """None for fewer than two days. The height is linear, or logarithmic where counts explode."""
    days = series.days
    if len(days) < 2:
        return None
    logarithmic = explodes([on.value for on in days])
    heights = [height(on.value, logarithmic=logarithmic) for on in days]
    low, high = min(0.0, *heights), max(heights)
    length, first = (days[-1].day - days[0].day).days, days[0].day

    def place(number: int) -> tuple[str, str]:
        x = EDGE + (days[number].day - first).days / length * (WIDTH - 2 * EDGE)
        y = HEIGHT - EDGE - (heights[number] - low) / ((high - low) or 1.0) * (HEIGHT - 2 * EDGE)
        return f"{x:.4g}", f"{y:.4g}"

    places = [place(number) for number in range(len(days))]
    marks = [places[number] for number, on in enumerate(days) if on.stands_out]
    many = f"{len(marks)} above all days before" if marks else "none above all days before"
    if not series.is_judged:
        many = "too few to say which stand out"
    words = f"{len(days)} days, {many}{', logarithmic' if logarithmic else ''}"
    return Sparkline(f"M{'L'.join(' '.join(at) for at in places)}", marks, places[-1], words)

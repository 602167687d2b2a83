"""A query's number on every day, above a band of what was usual on the days before."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from itertools import groupby

from cep_core.drawing.marks import Across, Area, Marker
from cep_core.drawing.plot import Plot
from cep_core.drawing.svg import Stroke
from cep_core.drawing.tones import INK, QUIET, VERMILION
from jobs.reports.answers.changes import TRAILING
from jobs.reports.answers.series import Series, SeriesDay
from jobs.reports.figures.drawing.figure import Figure
from jobs.reports.figures.drawing.palette import BEFORE, TODAY
from jobs.reports.figures.drawing.time_axis import explodes, height, label_counts
from jobs.reports.words.clock import spoken
from jobs.reports.words.quantities import Magnitude, counted, quantity

MOST_TICKS = {False: 12, True: 4}
"""Names of months or days that stand beside each other, on a desktop and on a phone."""


def over_days_figure(name: str, series: Series, unit: str) -> Figure | None:
    """A dot for each day; None for fewer than two days. `unit`: what is counted."""
    days = series.days
    if len(days) < 2:
        return None
    first, last = days[0].day, days[-1].day
    every = [on.value for on in days]
    logarithmic = explodes(every)
    banded = [list(run) for usual, run in groupby(days, lambda on: on.quarters is not None) if usual]

    def at(on: SeriesDay) -> float:
        return float((on.day - first).days)

    def up(value: Magnitude) -> float:
        return height(value, logarithmic=logarithmic)

    def draw(plot: Plot) -> None:
        for run in banded:
            xs = [at(on) for on in run]
            low, quarter, middle, third, high = zip(*(map(up, on.quarters or ()) for on in run), strict=True)
            plot.add(Area(xs, low, high, BEFORE, 0.16, label="range of the days before"))
            plot.add(Area(xs, quarter, third, BEFORE, 0.28, label="their middle half"))
            plot.line(xs, middle, Stroke(INK, 0.8), label="their median")
        for day in series.redefined:
            plot.add(Across((day - first).days - 0.5, Stroke(QUIET, 1.0, (4, 3)), upright=True, label="defined anew"))
        size = 4.0 if plot.narrow else 4.5
        complete = [on for on in days if on.is_complete]
        looks = (
            ("too few days before", Marker("o", BEFORE, size), [on for on in complete if on.quarters is None]),
            ("as usual", Marker("o", TODAY, size), [on for on in complete if on.quarters and not on.stands_out]),
            ("more than before", Marker("D", VERMILION, size), [on for on in complete if on.stands_out]),
            ("incomplete", Marker("o", TODAY, size, hollow=True), [on for on in days if not on.is_complete]),
        )
        for words, marker, shown in looks:
            if shown:
                plot.points([at(on) for on in shown], [up(on.value) for on in shown], marker, label=words)
        label_counts(plot, every, unit, logarithmic=logarithmic)
        _label_dates(plot, first, last)
        plot.has_key = True

    largest = max(days, key=lambda on: (on.value.key, -on.day.toordinal()))
    out = series.standing_out
    stands = f"{counted(len(out), 'day')} above all evaluated days of the {TRAILING} before"
    band = ", where these are seven or more."
    if not series.is_judged:
        stands, band = "too few days to say which stand out", ": no day has seven of them, so none is judged yet."
    anew = "from there on the query, its events or the program were others"
    dashed = f" A dashed line: {anew}." if series.redefined else ""
    scale = " The axis is logarithmic." if logarithmic else ""
    if logarithmic and any(value.sign == 0 for value in every):
        scale = " The axis is logarithmic; 0 is at its lower edge."
    return Figure(
        f"{name}-over-days",
        f"Dots of {unit} on {counted(len(days), 'day')} from {spoken(first)} to {spoken(last)}; the largest, "
        f"{quantity(largest.value)}, on {spoken(largest.day)}; {stands}.",
        f"{unit[:1].upper()}{unit[1:]} on each evaluated day. Bands and line: range, middle half and median of the "
        f"evaluated days among the {TRAILING} before{band} A diamond has more than any of these."
        f"{dashed} n = {counted(len(days), 'day')}, from {quantity(min(every, key=_key))} to "
        f"{quantity(largest.value)}.{scale}",
        ["day", "value", "log10", "at_least", "complete", "median_before", "least_before", "most_before", "definition"],
        [_row(on) for on in days],
        draw,
        (3.2, 3.4),
    )


def _row(on: SeriesDay) -> list[str | int | float | None]:
    usual, spread = on.change.usual, on.change.spread
    return [
        on.day.isoformat(),
        on.value.exact,
        on.value.log10 if on.value.sign else None,
        int(on.change.today_at_least),
        int(on.is_complete),
        None if usual is None else usual.exact,
        *((None, None) if spread is None else (spread[0].exact, spread[1].exact)),
        on.definition[:12],
    ]


def _key(value: Magnitude) -> tuple[float, int | float]:
    return value.key


def _label_dates(plot: Plot, first: date, last: date) -> None:
    """Label an x axis of days since `first`: with months, or with days if there are few."""
    length = (last - first).days
    margin = max(0.5, 0.01 * length)
    plot.x.limits(-margin, length + margin)
    most = MOST_TICKS[plot.narrow]
    begins = [on for on in _days(first, last) if on.day == 1]
    if len(begins) >= 2:
        shown = begins[:: -(-len(begins) // most)]
        words = [f"{on:%b}\n{on.year}" if on == shown[0] or on.month == 1 else f"{on:%b}" for on in shown]
    else:
        shown = list(_days(first, last))[:: -(-(length + 1) // most)]
        words = [f"{on.day} {on:%b}" for on in shown]
    plot.x.ticks([(on - first).days for on in shown], words)
    plot.x.label = "operating day"


def _days(first: date, last: date) -> Sequence[date]:
    return [first + timedelta(days=number) for number in range((last - first).days + 1)]

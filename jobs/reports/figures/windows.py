"""A trend aggregation's day: the headline of each window, a line for each of the top groups."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Any

from cep_core.drawing.marks import Boxes, Marker, Words
from cep_core.drawing.plot import Plot
from cep_core.drawing.svg import Stroke
from cep_core.drawing.tones import series
from cep_core.language.patterns.query import Query
from jobs.reports.answers.aggregations.aggregation import groups, label, noun, titled
from jobs.reports.answers.aggregations.ranking import Ranking, headline_item
from jobs.reports.figures.drawing.figure import Figure
from jobs.reports.figures.drawing.palette import TODAY
from jobs.reports.figures.drawing.time_axis import explodes, height, label_counts, label_times
from jobs.reports.words.clock import Clock, spoken
from jobs.reports.words.quantities import Magnitude, counted, quantity

LINES = 6
BARS = 12


@dataclass(frozen=True)
class _Named:
    """The names of the headline and its groups, in words and in the file of numbers."""

    number: str
    group: str
    number_column: str
    group_column: str

    @staticmethod
    def of(query: Query) -> _Named:
        item = headline_item(query)
        counted_things = f"{noun(item)}s" if noun(item) else ""
        return _Named(
            counted_things or titled(query, item),
            " and ".join(groups(query)),
            counted_things or label(item),
            " and ".join(query.group_by) or "group",
        )


def windows_figure(query: Query, name: str, ranking: Ranking, day: date, clock: Clock) -> Figure | None:
    """Lines over the day's windows, or bars if the day has one window; None without results."""
    if not ranking.values:
        return None
    names = query.group_by
    values: dict[str, dict[int, Magnitude]] = {}
    begun = ranking.starts()
    for group, start, value in zip(ranking.labels, begun, ranking.values, strict=True):
        values.setdefault(group, {})[start] = value or Magnitude.of(0)
    starts = sorted(set(begun))
    times = {start: clock.iso(start) for start in starts}
    [best] = ranking.rows(1)
    size = best["window_end"] - best["window_start"]
    called = _Named.of(query)
    unit, by = called.number, called.group
    count = counted(len(begun), "result")
    if len(starts) == 1:
        span = clock.span(starts[0], starts[0] + size)
        return _bars(name, {group: windows[starts[0]] for group, windows in values.items()}, called, span, day)
    top = dict(list(values.items())[:LINES])
    every = [value for windows in top.values() for value in windows.values()]
    logarithmic = explodes(every)
    looks = series(list(top))

    def draw(plot: Plot) -> None:
        for group, windows in top.items():
            xs = [clock.hours(start, starts[0]) for start in starts]
            ys = [
                height(windows[start], logarithmic=logarithmic) if start in windows else float("nan")
                for start in starts
            ]
            look = looks[group]
            plot.line(xs, ys, Stroke(look.colour), marker=Marker(look.marker, look.colour, 5), label=group)
        label_counts(plot, every, unit, logarithmic=logarithmic)
        label_times(plot, clock, starts[0], starts[0], starts[-1])
        plot.x.label = f"window start, {clock.zone}"
        plot.has_key = bool(names)

    first = next(iter(top))
    shown_of = f"the {len(top)} largest of {len(values)} values of {by}" if len(values) > len(top) else f"each {by}"
    each = f", for {shown_of}" if names else ""
    return Figure(
        f"{name}-windows",
        f"Line chart of {unit} in each window of {spoken(day)}; the largest is {quantity(max(every, key=_key))}"
        + (f" ({by} {first})" if names else "")
        + ".",
        f"{unit.capitalize() if unit.islower() else unit} in each window of {clock.length(size)}{each}. "
        f"n = {count} in {counted(len(starts), 'window')} certain on {spoken(day)}; a gap is a window without results."
        + (" The axis is logarithmic." if logarithmic else ""),
        [
            called.group_column,
            "window_start_time",
            "window_start",
            called.number_column,
            f"log10 of {called.number_column}",
        ],
        [
            [group, times[start], start, _plain(value), value.log10 if value.sign else None]
            for group, windows in values.items()
            for start, value in sorted(windows.items())
        ],
        draw,
        (3.0, 3.2),
    )


def _bars(
    name: str,
    values: dict[str, Magnitude],
    called: _Named,
    span: str,
    day: date,
) -> Figure:
    unit, by = called.number, called.group
    top = dict(list(values.items())[:BARS])
    every = list(top.values())
    logarithmic = explodes(every)

    def draw(plot: Plot) -> None:
        lengths = [height(value, logarithmic=logarithmic) for value in top.values()]
        plot.add(Boxes([(0.0, length, row - 0.35, row + 0.35) for row, length in enumerate(lengths)], TODAY))
        for row, (length, value) in enumerate(zip(lengths, top.values(), strict=True)):
            plot.add(Words(length, row, quantity(value), moved=(4, 0)))
        plot.rows(list(top))
        plot.x.limits(min(0.0, *lengths), None)
        plot.x.label = f"log10 of {unit}" if logarithmic else unit

    tall = 0.9 + 0.24 * len(top)
    return Figure(
        f"{name}-windows",
        f"Bar chart of {unit} by {by or 'group'} on {spoken(day)}; the largest is {quantity(max(every, key=_key))}.",
        f"{unit.capitalize() if unit.islower() else unit} in the one window certain on {spoken(day)}, "
        f"{span}. n = {counted(len(values), 'result')}.",
        [called.group_column, called.number_column, f"log10 of {called.number_column}"],
        [[group, _plain(value), value.log10 if value.sign else None] for group, value in values.items()],
        draw,
        (tall, tall),
    )


def _key(value: Magnitude) -> tuple[float, int | float]:
    return value.key


def _plain(value: Magnitude) -> Any:
    return value.exact

"""A trend aggregation's day: the headline of each window, a line for each of the top groups.

Cost: a sort of the day's results by group and window; a number is written for each.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

import numpy as np

from cep_core.arrays import differ
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
from jobs.reports.words.values import Cell

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


@dataclass(frozen=True)
class _Results:
    """Headlines by group and window: groups as ranked, the windows of each ascending. `begins`: where groups begin."""

    groups: Sequence[str]
    starts: Sequence[int]
    values: Sequence[Magnitude]
    begins: Sequence[int]

    def first(self, most: int) -> dict[str, dict[int, Magnitude]]:
        """The windows of the first groups."""
        ends = [*self.begins[1:], len(self.groups)][:most]
        return {
            self.groups[begin]: dict(zip(self.starts[begin:end], self.values[begin:end], strict=True))
            for begin, end in zip(self.begins, ends, strict=False)
        }

    def numbers(self, times: Mapping[int, str]) -> list[tuple[Cell, ...]]:
        """Rows of a file."""
        exact = [_plain(value) for value in self.values]
        log10 = [value.log10 if value.sign else None for value in self.values]
        return list(zip(self.groups, map(times.__getitem__, self.starts), self.starts, exact, log10, strict=True))


def _results(ranking: Ranking) -> _Results:
    """A result for each group and window. Groups that are written alike are one, with the last of their results."""
    places = {label: place for place, label in enumerate(dict.fromkeys(ranking.labels))}
    groups = np.fromiter(map(places.__getitem__, ranking.labels), np.int64, len(ranking.labels))
    starts = np.array(ranking.starts(), np.int64)
    order = np.lexsort((starts, groups))  # equal ones stay in the order of the ranking
    groups, starts = groups[order], starts[order]
    last = np.append((groups[1:] != groups[:-1]) | (starts[1:] != starts[:-1]), True)
    groups, starts, chosen = groups[last], starts[last], order[last].tolist()
    labels, none = list(places), Magnitude.of(0)
    return _Results(
        [labels[place] for place in groups.tolist()],
        starts.tolist(),
        [ranking.values[number] or none for number in chosen],
        np.flatnonzero(differ(groups)).tolist(),
    )


def windows_figure(query: Query, name: str, ranking: Ranking, day: date, clock: Clock) -> Figure | None:
    """Lines over the day's windows, or bars if the day has one window; None without results."""
    if not ranking.values:
        return None
    names, results = query.group_by, _results(ranking)
    starts = sorted(set(results.starts))
    [best] = ranking.rows(1)
    size = best["window_end"] - best["window_start"]
    called = _Named.of(query)
    unit, by = called.number, called.group
    count = counted(len(ranking.values), "result")
    if len(starts) == 1:
        span = clock.span(starts[0], starts[0] + size)
        return _bars(name, dict(zip(results.groups, results.values, strict=True)), called, span, day)
    top = results.first(LINES)
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
    number = len(results.begins)
    shown_of = f"the {len(top)} largest of {number} values of {by}" if number > len(top) else f"each {by}"
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
        results.numbers({start: clock.iso(start) for start in starts}),
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

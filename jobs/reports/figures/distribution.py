"""The spread of a trend aggregation's results: each window of today, by group, over those of the days before.

Of a day with many windows, of those at nearly the same place only a few are drawn: more would look no different.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import date

import pyarrow as pa

from cep_core.drawing.marks import Marker
from cep_core.drawing.plot import Plot
from cep_core.drawing.svg import Stroke
from cep_core.drawing.tones import INK
from cep_core.language.patterns.query import Query
from jobs.reports.answers.aggregations.aggregation import groups, noun, titled
from jobs.reports.answers.aggregations.ranking import Ranking, headline_item, of_labels, rank
from jobs.reports.figures.drawing.closeness import fewer_alike
from jobs.reports.figures.drawing.figure import Figure
from jobs.reports.figures.drawing.palette import BEFORE, TODAY
from jobs.reports.figures.drawing.time_axis import explodes, height, label_counts
from jobs.reports.words.clock import spoken
from jobs.reports.words.quantities import Magnitude, counted, quantity
from jobs.reports.words.values import listed

ROWS = 12
EACH, ALIKE = 500, 2
"""The most dots of a figure that are all drawn; and how many are drawn at one place if there are more."""
LEAST = 8
"""The least number of results for a figure; for fewer, the table is enough."""


def distribution_figure(query: Query, name: str, ranking: Ranking, earlier: pa.Table, day: date) -> Figure | None:
    """A row for each top group: a dot for each window of today; range, quartiles and median of the days before.

    `earlier`: results of the days before, with their column `day`. None if today has fewer than `LEAST` results.
    """
    today = _by_group(ranking)
    if len(ranking.values) < LEAST:
        return None
    top = list(today)[:ROWS]
    before = _by_group(rank(query, of_labels(query, earlier, top)))
    every = [value for group in top for value in (*today[group], *before.get(group, ()))]
    logarithmic = explodes(every)
    item = headline_item(query)
    unit = f"{noun(item)}s" if noun(item) else titled(query, item)
    by = " and ".join(groups(query))

    def at(value: Magnitude) -> float:
        return height(value, logarithmic=logarithmic)

    number = sum(len(today[group]) for group in top)
    heights = [at(value) for value in every]
    across = (max(heights) - min(heights)) or 1.0

    def draw(plot: Plot) -> None:
        for row, group in enumerate(top):
            past = before.get(group, [])
            if past:
                low, first, middle, third, high = (at(value) for value in _quartiles(past))
                plot.line([low, high], [row, row], Stroke(BEFORE, 1.2))
                plot.line([first, third], [row, row], Stroke(BEFORE, 7, opacity=0.45))
                plot.line([middle, middle], [row - 0.28, row + 0.28], Stroke(INK))
            values = [at(value) for value in today[group]]
            dots = list(zip(values, (row + place for place in _stacked(values, across)), strict=True))
            if number > EACH:
                dots = [dots[kept] for kept in fewer_alike(dots, across / plot.width, ALIKE)]
            plot.points([x for x, _ in dots], [y for _, y in dots], Marker("o", TODAY, 5, 0.6))
        plot.rows(top)
        label_counts(plot, every, f"{unit} in one window", logarithmic=logarithmic, axis="x")

    days = len(earlier["day"].unique()) if earlier.num_rows else 0
    past = sum(len(before.get(group, ())) for group in top)
    whose = f" for the {len(top)} largest of {len(today)} values of {by}" if len(today) > len(top) else f" by {by}"
    usual = (
        f" Grey: the {counted(past, 'result')} of {counted(days, 'day')} before, range (line), middle half (bar) and "
        "median (tick)."
        if past
        else " There is no earlier day to compare with."
    )
    above = [g for g in top if before.get(g) and today[g][0].key > max(value.key for value in before[g])]
    finding = f"Above everything before: {listed(above)}." if above and by else ""
    largest = today[top[0]][0]
    return Figure(
        f"{name}-distribution",
        f"Dot strips of {unit} in each window of {spoken(day)}; the largest is {quantity(largest)}"
        f"{f' ({by} {top[0]})' if by else ''}. {finding}".rstrip(),
        f"{unit.capitalize() if unit.islower() else unit} in one window{whose if by else ''}; each dot is one window"
        f"{f'; of more at one place, {ALIKE} are drawn' if number > EACH else ''}. "
        f"n = {counted(number, 'result')} certain on {spoken(day)}; a window without results has no dot.{usual}"
        f"{' The axis is logarithmic.' if logarithmic else ''}",
        [" and ".join(query.group_by) or "group", "when", "value", "log10"],
        [
            [group, when, value.exact, value.log10 if value.sign else None]
            for group in top
            for when, values in (("today", today[group]), ("before", before.get(group, [])))
            for value in values
        ],
        draw,
        (1.0 + 0.27 * len(top), 1.0 + 0.27 * len(top)),
    )


def _by_group(ranking: Ranking) -> dict[str, list[Magnitude]]:
    """The headline of every result by group, the group with the largest first, largest values first."""
    values: dict[str, list[Magnitude]] = {}
    for group, value in zip(ranking.labels, ranking.values, strict=True):
        if value is not None:
            values.setdefault(group, []).append(value)
    return values


def _stacked(values: Sequence[float], across: float) -> list[float]:
    """Heights within a row that put dots at nearly the same place above and below each other.

    >>> _stacked([5.0, 5.0, 5.0, 90.0], 100.0)
    [0.0, 0.12, -0.12, 0.0]
    """
    seen: Counter[int] = Counter()
    places = []
    for value in values:
        near = round(80 * value / across)
        step = (seen[near] + 1) // 2 * 0.12 * (1 if seen[near] % 2 else -1)
        places.append(max(-0.36, min(0.36, step)) + 0.0)
        seen[near] += 1
    return places


def _quartiles(values: Sequence[Magnitude]) -> list[Magnitude]:
    """The smallest value, the quartiles and the largest value.

    No means are taken: they may be beyond every number type.
    """
    ordered = sorted(values, key=lambda value: value.key)
    return [ordered[round(part * (len(ordered) - 1) / 4)] for part in range(5)]

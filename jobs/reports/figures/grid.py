"""Figures of a grid of experiments: a measure of each strategy along an axis, mean and spread over seeds."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from cep_core.drawing.marks import Across, Marker, Words, spread_bars
from cep_core.drawing.plot import Plot
from cep_core.drawing.svg import Stroke
from cep_core.drawing.tones import QUIET
from cep_core.experiments.grids.grid import LOAD, PARTS, TAU, TRAINED, Grid
from cep_core.experiments.grids.summaries import Point, Summary
from cep_core.experiments.loads import described_load
from cep_core.shedding.shedders.nothing import UNSHED
from jobs.reports.figures.drawing.figure import Figure
from jobs.reports.figures.drawing.palette import BOUND, strategy_look
from jobs.reports.words.quantities import share
from jobs.reports.words.values import listed, spanned

AXES = {
    "match_probability": "match probability (matches / partial matches)",
    LOAD: "rate, share of what the operator can bear",
    TAU: "how much dearer the first query's partial matches are",
    TRAINED: "days before that train the model",
    "window": "window, events",
    "n": "n",
}

WORDS = {
    "lost": "matches missed",
    "overhead": "share of all work that is shedding",
    "model_time": "building the model, virtual ms",
}


def figures_of(grid: Grid, summary: Summary) -> list[Figure]:
    """What was lost along the grid's axis. If the grid asks for them: latency over time and the cost of shedding."""
    figures = [along_axis(grid, summary, axis_of(grid), "lost")]
    if grid.over_time:
        figures.append(over_time(grid, summary))
    if "cheaper_than_events" in grid.relations:
        figures.append(along_axis(grid, summary, "window", "overhead", logarithmic=True))
    if "model_takes_longer" in grid.relations:
        figures.append(along_axis(grid, summary, "window", "model_time"))
    return figures


def axis_of(grid: Grid) -> str:
    """The axis along which a grid varies: one that it names, or the one that its queries' parameters stand for."""
    for axis in (TAU, TRAINED):
        if axis in grid.axes:
            return axis
    return LOAD if len(grid.loads) > 1 else "match_probability"


def along_axis(grid: Grid, summary: Summary, axis: str, metric: str, *, logarithmic: bool = False) -> Figure:
    """One line for each strategy, with error bars of one standard deviation, at one value of each further axis.

    Dotted: the least loss of dropping partial matches. The numbers are those of all values.
    """
    drawn = [name for name in grid.strategies if name != UNSHED.name]
    fixed = _fixed(grid, axis)
    lines = {name: summary.along(axis, name, **fixed) for name in drawn}
    runs = max((point.metrics[metric].n for points in lines.values() for point in points), default=0)

    def draw(plot: Plot) -> None:
        for name, points in lines.items():
            look = strategy_look(name)
            xs, ys = [_at(point, axis) for point in points], [point[metric] for point in points]
            wide = [point.metrics[metric].deviation for point in points]
            plot.add(spread_bars(xs, ys, wide, look.colour))
            marker = Marker(look.marker, look.colour, 6.5)
            plot.line(xs, ys, Stroke(look.colour, 1.4), marker=marker, label=name)
        anywhere = next(iter(lines.values()), [])
        least = [point for point in anywhere if metric == "lost" and "least_lost" in point.metrics]
        if any(point["least_lost"] for point in least):
            low = [_at(point, axis) for point in least], [point["least_lost"] for point in least]
            plot.line(*low, Stroke(QUIET, dashes=(1, 2)), label="lower bound")
        plot.y.logarithmic = logarithmic
        if not logarithmic:
            plot.y.limits(0, None)
            plot.y.words = lambda tick: _worded(metric, tick)
        if axis in ("match_probability", LOAD):
            plot.x.words = share
        if axis == LOAD:
            plot.x.ticks(grid.loads, map(share, grid.loads))
        elif axis in (TAU, TRAINED):
            plot.x.ticks(grid.axes[axis], [f"{value:g}" for value in grid.axes[axis]])
        plot.x.label = axis.replace("_", " ") if plot.narrow else AXES.get(axis, axis)
        plot.y.label = WORDS[metric]
        plot.has_key = True

    ends = [
        f"{name} {_ends([_worded(metric, point[metric]) for point in points])}"
        for name, points in lines.items()
        if points
    ]
    return Figure(
        f"{grid.name}-{metric}",
        f"Line chart of {WORDS[metric]} against {AXES.get(axis, axis)}: {listed(ends)}.",
        f"{grid.title}: {WORDS[metric]} by {AXES.get(axis, axis)}{_where(grid, fixed)}; n = {runs} seeds at each "
        f"point, bars of one standard deviation.{_further(grid, fixed)}",
        ["strategy", *_names(summary), "match_probability", f"{metric}_mean", f"{metric}_deviation", "n"],
        [
            [
                name,
                *(point.setting[setting_name] for setting_name in _names(summary)),
                point["match_probability"],
                point[metric],
                point.metrics[metric].deviation,
                point.metrics[metric].n,
            ]
            for name in drawn
            for point in summary.along(axis, name)
        ],
        draw,
        (3.2, 3.4),
    )


def over_time(grid: Grid, summary: Summary) -> Figure:
    """The highest latency in each part of the compared events: one line for each strategy and load, and the bound."""
    lines = {
        (point.strategy, point.setting[LOAD]): [point[f"latency_part_{part:02d}"] / 1e6 for part in range(PARTS)]
        for point in summary.points
        if point.strategy != UNSHED.name
    }
    bound = grid.bound / 1e6
    highest = max((max(values) for values in lines.values()), default=0.0)

    def draw(plot: Plot) -> None:
        for (name, load), values in lines.items():
            look = strategy_look(name)
            stroke = Stroke(look.colour, dashes=() if load == grid.loads[0] else (4, 2))
            marker = Marker(look.marker, look.colour, 5)
            plot.line(range(1, PARTS + 1), values, stroke, marker=marker, label=f"{name}, {share(load)}")
        plot.add(Across(bound, Stroke(BOUND, 1.2, (4, 2))))
        plot.add(Words(1, bound, "latency bound", BOUND, side="above", moved=(0, -1)))
        plot.y.limits(0, max(bound, highest) * 1.15)
        plot.x.label = "part of the judged events"
        plot.y.label = "highest latency, virtual ms"
        plot.has_key = True

    return Figure(
        f"{grid.name}-latency",
        f"Line chart of the highest latency in each of {PARTS} parts: at most {highest:.0f} of {bound:.0f} virtual ms.",
        f"{grid.title}: highest latency of an event in each of {PARTS} parts of the judged events, mean over "
        f"n = {len(grid.seeds)} seeds; the bound is {bound:.0f} virtual ms.",
        ["strategy", LOAD, *(f"part_{part + 1}_ms" for part in range(PARTS))],
        [[name, load, *values] for (name, load), values in lines.items()],
        draw,
        (3.2, 3.6),
    )


def _ends(texts: Sequence[str]) -> str:
    """Where a line begins and ends, in words.

    >>> _ends(["37 %", "40 %", "38 %"]), _ends(["0 %", "0 %"]), _ends(["30 %", "29 %", "30 %"])
    ('37 % to 38 %', '0 %', '30 % at both ends')
    """
    between = " at both ends" if len(set(texts)) > 1 and texts[0] == texts[-1] else ""
    return f"{spanned(texts[0], texts[-1])}{between}"


def _worded(metric: str, value: float) -> str:
    """The text of a measure in a figure: a share, or virtual milliseconds."""
    return f"{value / 1e6:.0f} ms" if metric == "model_time" else share(value)


def _names(summary: Summary) -> Sequence[str]:
    return list(summary.points[0].setting) if summary.points else []


def _at(point: Point, axis: str) -> float:
    return point.setting[axis] if axis in point.setting else point[axis]


def _fixed(grid: Grid, axis: str) -> dict[str, float]:
    """The value of each further axis at which lines are drawn: of loads the described one, else the middle one.

    Parameters of queries may all vary along the match probability, which they decide.
    """
    fixed: dict[str, float] = {}
    for name, values in grid.axes.items():
        varies = axis == "match_probability" and name not in (LOAD, TAU, TRAINED)
        if name != axis and not varies:
            fixed[name] = described_load(values) if name == LOAD else sorted(values)[len(values) // 2]
    return fixed


def _where(grid: Grid, fixed: Mapping[str, float]) -> str:
    """The values at which lines are drawn, for the caption: the load, and what else has several."""
    at = [
        f"{share(value)} of the rate that the operator can bear"
        if name == LOAD
        else f"{name.replace('_', ' ')} {value:g}"
        for name, value in fixed.items()
        if name == LOAD or len(grid.axes[name]) > 1
    ]
    return f", at {listed(at)}" if at else ""


def _further(grid: Grid, fixed: Mapping[str, float]) -> str:
    """That there are numbers which are not drawn."""
    settings = math.prod(len(set(grid.axes[name])) for name in fixed)
    return f" Drawn is one of {settings} such settings; the numbers have all." if settings > 1 else ""

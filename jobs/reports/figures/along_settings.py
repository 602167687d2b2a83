"""A measure of every shedding strategy along loads or bounds: mean over seeds, standard deviation as a bar."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from cep_core.drawing.marks import Area, Marker, spread_bars
from cep_core.drawing.plot import Plot
from cep_core.drawing.svg import Stroke
from cep_core.drawing.tones import QUIET
from cep_core.experiments.loads import Setting
from cep_core.experiments.spread import Spread
from cep_core.shedding.strategies import strategy_named
from jobs.reports.comparisons.shedding_answer import over_what
from jobs.reports.comparisons.shedding_comparison import SheddingComparison, SheddingOutcome
from jobs.reports.figures.drawing.figure import Figure
from jobs.reports.figures.drawing.palette import strategy_look
from jobs.reports.words.quantities import share, virtual
from jobs.reports.words.values import listed, shown

Measure = Callable[[SheddingOutcome], Spread | None]
Lines = Mapping[str, Sequence[tuple[Setting, Spread]]]


def along_settings(
    compared: SheddingComparison,
    name: str,
    settings: Sequence[Setting],
    strategies: Sequence[str],
    measure: Measure,
    words: tuple[str, str],
    *,
    least: bool = False,
) -> Figure | None:
    """One line for each strategy, in shares, along settings that differ in their load or in their bound.

    None for fewer than two settings, and if the measure is 0 everywhere. `words`: the name of the measure on the axis,
    and its object in a sentence. `least`: also draw the least value that a strategy that drops partial matches can
    reach.
    """
    measured = {
        strategy: [
            (setting, spread)
            for setting in settings
            if (outcome := compared.outcome(strategy, setting)) is not None and (spread := measure(outcome)) is not None
        ]
        for strategy in strategies
    }
    lines = {strategy: line for strategy, line in measured.items() if line}
    top = max((spread.mean + spread.deviation for line in lines.values() for _, spread in line), default=0.0)
    if not top or len(settings) < 2:
        return None
    by_bound = len({setting.load for setting in settings}) == 1
    axis = "latency bound" if by_bound else f"load over {over_what(compared, settings[0].over)}"
    places = {point: point.bound / 1e6 if by_bound else 100 * point.load for point in settings}
    ticks = [virtual(point.bound) if by_bound else share(point.load) for point in settings]
    floor = [(point, lowest) for point in settings if least and (lowest := compared.least_lost(point)) is not None]
    above = any(lowest for _, lowest in floor)

    def draw(plot: Plot) -> None:
        if above:
            low = [places[point] for point, _ in floor], [100 * value for _, value in floor]
            plot.add(Area(low[0], [0.0] * len(floor), low[1], QUIET, 0.18))
            plot.line(*low, Stroke(QUIET, 1.2, (1, 1.5)), label="lower bound")
        for strategy, line in lines.items():
            look, record = strategy_look(strategy), strategy_named(strategy)
            xs, ys = [places[point] for point, _ in line], [100 * spread.mean for _, spread in line]
            deviations = [100 * spread.deviation for _, spread in line]
            if any(deviations):
                plot.add(spread_bars(xs, ys, deviations, look.colour))
            dashes = (4.0, 2.0) if record is not None and record.out_of_reach else ()
            marker = Marker(look.marker, look.colour, 6.5)
            plot.line(xs, ys, Stroke(look.colour, dashes=dashes), marker=marker, label=shown(strategy, 24))
        plot.x.logarithmic = by_bound
        plot.x.ticks(places.values(), ticks)
        plot.x.label = axis
        plot.y.label = words[0]
        plot.y.words = lambda tick: f"{tick:g} %"
        plot.y.limits(0, 105 * min(top, 1.0))
        plot.has_key = True

    at = compared.setting if compared.setting in settings else settings[len(settings) // 2]
    spreads = {strategy: spread for strategy, line in lines.items() for setting, spread in line if setting == at}
    ordered = sorted(spreads.items(), key=lambda pair: pair[1].mean)
    finding = "; ".join(f"{shown(strategy)} {share(spread.mean)}" for strategy, spread in ordered)
    reach = "no strategy that drops partial matches and keeps the bound can miss so few"
    shaded = f" Shaded: {reach}." if above else " The lower bound is 0 % throughout." if floor else ""
    rows: list[list[str | int | float | None]] = [
        [strategy, point.load, point.over, point.bound, spread.mean, spread.deviation, spread.n]
        for strategy, line in lines.items()
        for point, spread in line
    ]
    rows += [["lower bound", point.load, point.over, point.bound, value, 0.0, 1] for point, value in floor]
    return Figure(
        name,
        f"Line chart of {words[0]} against the {axis} for {len(lines)} strategies. "
        f"At {virtual(at.bound) if by_bound else share(at.load)}: {finding}.",
        f"{words[1]}{shaded} {seeds_text(lines)}",
        ["strategy", "load", "load_over", "bound_ns", "mean", "standard_deviation", "n"],
        rows,
        draw,
        (3.3, 3.9),
    )


def seeds_text(lines: Lines) -> str:
    """A sentence that says how many runs a point stands for."""
    numbers = {strategy: max(spread.n for _, spread in line) for strategy, line in lines.items()}
    drawn = [strategy for strategy, n in numbers.items() if n > 1]
    if not drawn:
        return "n = 1 run a point."
    most = max(numbers.values())
    names = listed([shown(strategy) for strategy in drawn])
    by_chance = f"n = {most} seeds a point for {names}: mean, bars are one standard deviation"
    return f"{by_chance}; n = 1 for the others, which draw no random numbers."

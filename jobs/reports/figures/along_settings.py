"""A measure of every shedding strategy along loads or bounds: mean over seeds, standard deviation as a bar."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from matplotlib.axes import Axes
from matplotlib.ticker import NullFormatter, NullLocator

from cep_core.experiments.loads import Setting
from cep_core.experiments.spread import Spread
from cep_core.shedding.strategies import strategy_named
from jobs.reports.comparisons.shedding_answer import over_what
from jobs.reports.comparisons.shedding_comparison import SheddingComparison, SheddingOutcome
from jobs.reports.figures.drawing.figure import Figure
from jobs.reports.figures.drawing.palette import QUIET, strategy_look
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

    def draw(axes: Axes, narrow: bool) -> None:
        if above:
            low = [places[point] for point, _ in floor], [100 * value for _, value in floor]
            axes.fill_between(low[0], 0, low[1], color=QUIET, alpha=0.18, linewidth=0)
            axes.plot(*low, color=QUIET, linewidth=1.2, linestyle=(0, (1, 1.5)), label="lower bound")
        for strategy, line in lines.items():
            look, record = strategy_look(strategy), strategy_named(strategy)
            axes.errorbar(
                [places[point] for point, _ in line],
                [100 * spread.mean for _, spread in line],
                yerr=[100 * spread.deviation for _, spread in line],
                color=look.colour,
                marker=look.marker,
                markersize=5.5,
                linestyle=(0, (4, 2)) if record is not None and record.out_of_reach else "-",
                elinewidth=1.0,
                capsize=2.5,
                label=shown(strategy, 24),
                clip_on=False,
            )
        if by_bound:
            axes.set_xscale("log")
            axes.xaxis.set_minor_locator(NullLocator())
            axes.xaxis.set_minor_formatter(NullFormatter())
        axes.set_xticks(list(places.values()), ticks)
        axes.set_xlabel(axis)
        axes.set_ylabel(words[0])
        axes.yaxis.set_major_formatter(lambda tick, _: f"{tick:g} %")
        axes.set_ylim(0, 105 * min(top, 1.0))
        axes.figure.legend(loc="outside upper left", ncols=2 if narrow else 5, columnspacing=1.0, handlelength=1.6)

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
        f"{words[1]}{shaded} {seeds_told(lines)}",
        ["strategy", "load", "load_over", "bound_ns", "mean", "standard_deviation", "n"],
        rows,
        draw,
        (3.3, 3.9),
    )


def seeds_told(lines: Lines) -> str:
    """A sentence that says how many runs a point stands for."""
    numbers = {strategy: max(spread.n for _, spread in line) for strategy, line in lines.items()}
    drawn = [strategy for strategy, n in numbers.items() if n > 1]
    if not drawn:
        return "n = 1 run a point."
    most = max(numbers.values())
    by_chance = (
        f"n = {most} seeds a point for {listed([shown(one) for one in drawn])}: mean, bars are one standard deviation"
    )
    return f"{by_chance}; n = 1 for the others, which draw no random numbers."

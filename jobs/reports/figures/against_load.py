"""A measure of every shedding strategy against the load: mean over seeds, standard deviation as a bar."""

from __future__ import annotations

from collections.abc import Callable

from matplotlib.axes import Axes

from cep_core.experiments.spread import Spread
from jobs.reports.figures.figure import Figure
from jobs.reports.palette import strategy_look
from jobs.reports.quantities import share
from jobs.reports.shedding_comparison import Outcome, Shedding
from jobs.reports.values import listed, shown

Measure = Callable[[Outcome], Spread]


def against_load(
    compared: Shedding, name: str, strategies: list[str], measure: Measure, what: str, about: str
) -> Figure | None:
    """A line a strategy, in shares; None where the measure is 0 throughout.

    `what` names the measure on the axis, `about` says in a sentence what it is and of what.
    """
    lines = {
        strategy: [(one.load, measure(one)) for one in compared.outcomes if one.strategy == strategy]
        for strategy in strategies
    }
    top = max((spread.mean + spread.deviation for line in lines.values() for _, spread in line), default=0.0)
    if not top:
        return None

    def draw(axes: Axes, narrow: bool) -> None:
        for strategy, line in lines.items():
            look = strategy_look(strategy)
            axes.errorbar(
                [100 * load for load, _ in line],
                [100 * spread.mean for _, spread in line],
                yerr=[100 * spread.deviation for _, spread in line],
                color=look.colour,
                marker=look.marker,
                markersize=5.5,
                elinewidth=1.0,
                capsize=2.5,
                label=shown(strategy, 24),
                clip_on=False,
            )
        axes.set_xticks([100 * load for load in compared.loads], [f"{100 * load:g} %" for load in compared.loads])
        axes.set_xlabel("load")
        axes.set_ylabel(what)
        axes.yaxis.set_major_formatter(lambda tick, _: f"{tick:g} %")
        axes.set_ylim(0, 100 * top * 1.05)
        axes.figure.legend(loc="outside upper left", ncols=3 if narrow else 7, columnspacing=1.0, handlelength=1.6)

    at = [(strategy, spread.mean) for strategy, line in lines.items() for load, spread in line if load == compared.load]
    ordered = sorted(at, key=lambda pair: pair[1])
    finding = "; ".join(f"{shown(strategy)} {share(value)}" for strategy, value in ordered)
    return Figure(
        name,
        f"Line chart of {what} against load for {len(lines)} strategies. At {share(compared.load)}: {finding}.",
        f"{about} {seeds_told(lines)}",
        ["strategy", "load", "mean", "standard_deviation", "n"],
        [
            [strategy, load, spread.mean, spread.deviation, spread.n]
            for strategy, line in lines.items()
            for load, spread in line
        ],
        draw,
        (3.1, 3.4),
    )


def seeds_told(lines: dict[str, list[tuple[float, Spread]]]) -> str:
    """How many runs a point stands for, in a sentence."""
    numbers = {strategy: max((spread.n for _, spread in line), default=0) for strategy, line in lines.items()}
    drawn = [strategy for strategy, n in numbers.items() if n > 1]
    if not drawn:
        return "n = 1 run a point."
    most = max(numbers.values())
    by_chance = (
        f"n = {most} seeds a point for {listed([shown(one) for one in drawn])}: mean, bars are one standard deviation"
    )
    return f"{by_chance}; n = 1 for the others, which know no chance."

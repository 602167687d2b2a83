"""Slicing strategies of one plan's queries: for each the maximum load, the lower bound, and the copies of an event."""

from __future__ import annotations

import textwrap

from matplotlib.axes import Axes

from cep_core.experiments.slicing_strategies import IN_USE
from jobs.reports.comparisons.slicing_comparison import SlicingComparison
from jobs.reports.figures.drawing.figure import Figure
from jobs.reports.figures.drawing.palette import BOUND, FAINT, strategy_look
from jobs.reports.words.quantities import quantity, share
from jobs.reports.words.values import listed, shown


def strategies_figure(comparison: SlicingComparison) -> Figure | None:
    """One row for each strategy, lowest maximum load first; None if nothing was measured."""
    measured, bound = list(comparison.strategies), comparison.lower_bound
    if not measured:
        return None

    def draw(axes: Axes, narrow: bool) -> None:
        for row, bar in enumerate(measured):
            look = strategy_look(bar.strategy)
            axes.plot([0, bar.load], [row, row], color=FAINT, linewidth=2, zorder=1)
            axes.plot([bar.load], [row], look.marker, color=look.colour, markersize=8)
            copies = "" if bar.replication is None or narrow else f", {bar.replication:.2f} copies"
            axes.annotate(
                f"{share(bar.load)}{copies}", (bar.load, row), xytext=(8, 0), textcoords="offset points", va="center"
            )
        if bound is not None:
            axes.axvline(bound, color=BOUND, linewidth=1.2, linestyle=(0, (4, 2)))
            axes.annotate(
                "lower bound", (bound, -0.75), color=BOUND, xytext=(3, 0), textcoords="offset points", va="center"
            )
        axes.set_yticks(range(len(measured)), [_title(bar.strategy, narrow) for bar in measured])
        for text, bar in zip(axes.get_yticklabels(), measured, strict=True):
            text.set_fontweight("bold" if bar.strategy == IN_USE.name else "normal")
        axes.set_ylim(len(measured) - 0.4, -1.0)
        widest = max(bar.load for bar in measured) or 1.0  # no event is relevant: nothing has a width
        axes.set_xlim(0, widest * (1.4 if narrow else 1.3))
        axes.xaxis.set_major_formatter(lambda tick, _: share(tick))
        axes.grid(visible=False, axis="y")
        axes.set_xlabel("largest slice, share of events" if narrow else "largest slice, share of the relevant events")

    best = measured[0]
    against = "" if bound is None else f" The lower bound is {share(bound)}."
    tall = 1.0 + 0.3 * len(measured)
    taller = 1.0 + 0.38 * len(measured)
    return Figure(
        f"slicing-{comparison.plan['plan_id']}",
        f"Dot chart of {len(measured)} slicing strategies for {listed(comparison.queries)}; "
        f"{shown(best.strategy)} has the lowest maximum load, {share(best.load)}.{against}",
        f"Largest slice of each strategy as a share of the relevant events (unsliced: 100 %) and copies of an event, "
        f"for {listed(comparison.queries)}; counted once on the real events of {comparison.period}, "
        f"n = {len(measured)} strategies of at most {quantity(comparison.plan['slices'])} slices.{against}",
        ["strategy", "maximum_load", "replication", "imbalance"],
        [[bar.strategy, bar.load, bar.replication, bar.imbalance] for bar in measured],
        draw,
        (tall, taller),
    )


def _title(strategy: str, narrow: bool) -> str:
    """A strategy's name; on a phone in two lines, so that the numbers keep their room."""
    text = shown(strategy, 40)
    return "\n".join(textwrap.wrap(text, 16)) if narrow else text

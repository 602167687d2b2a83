"""Slicing strategies of one plan's queries: for each the maximum load, the lower bound, and the copies of an event."""

from __future__ import annotations

import textwrap

from cep_core.drawing.marks import Across, Marker, Words
from cep_core.drawing.plot import Plot
from cep_core.drawing.svg import Stroke
from cep_core.drawing.tones import FAINT
from cep_core.experiments.slicing_strategies import IN_USE
from jobs.reports.comparisons.slicing_comparison import SlicingComparison
from jobs.reports.figures.drawing.figure import Figure
from jobs.reports.figures.drawing.palette import BOUND, strategy_look
from jobs.reports.words.quantities import quantity, share
from jobs.reports.words.values import listed, shown


def strategies_figure(comparison: SlicingComparison) -> Figure | None:
    """One row for each strategy, lowest maximum load first; None if nothing was measured."""
    measured, bound = list(comparison.strategies), comparison.lower_bound
    if not measured:
        return None

    def draw(plot: Plot) -> None:
        if bound is not None:
            plot.add(Across(bound, Stroke(BOUND, 1.2, (4, 2)), upright=True))
            plot.add(Words(bound, -0.75, "lower bound", BOUND, moved=(3, 0)))
        for row, bar in enumerate(measured):
            look = strategy_look(bar.strategy)
            plot.line([0, bar.load], [row, row], Stroke(FAINT, 2))
            plot.points([bar.load], [row], Marker(look.marker, look.colour, 9.5))
            copies = "" if bar.replication is None or plot.narrow else f", {bar.replication:.2f} copies"
            plot.add(Words(bar.load, row, f"{share(bar.load)}{copies}", moved=(8, 0)))
        names = [_title(bar.strategy, plot.narrow) for bar in measured]
        bold = [row for row, bar in enumerate(measured) if bar.strategy == IN_USE.name]
        plot.rows(names, above=1.0, bold=bold)
        widest = max(bar.load for bar in measured) or 1.0  # no event is relevant: nothing has a width
        plot.x.limits(0, widest * 1.03)
        plot.x.words = share
        plot.x.label = (
            "largest slice, share of events" if plot.narrow else "largest slice, share of the relevant events"
        )

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
    return "\n".join(textwrap.wrap(text, 17)) if narrow else text

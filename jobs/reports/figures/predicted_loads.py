"""Predicted against measured load of the plans of the same queries, day by day: whether plans still fit the log."""

from __future__ import annotations

import math
from datetime import timedelta

from matplotlib.axes import Axes

from cep_core.experiments.slicing_strategies import IN_USE
from jobs.reports.comparisons.slicing_history import TOO_HIGH, History
from jobs.reports.figures.drawing.figure import Figure
from jobs.reports.figures.drawing.palette import BOUND, INK, strategy_look
from jobs.reports.words.clock import spoken
from jobs.reports.words.quantities import counted, share
from jobs.reports.words.values import listed


def predicted_loads_figure(history: History) -> Figure | None:
    """A line for the prediction and one for what was measured; None with fewer than two measured days."""
    loads = history.loads
    if len(loads) < 2:
        return None
    last = loads[-1].day
    places = [(load.day - last).days for load in loads]
    high = [load for load in loads if load.is_too_high]

    def draw(axes: Axes, narrow: bool) -> None:
        look = strategy_look(IN_USE.name)
        predicted = [load.predicted for load in loads]
        measured = [load.measured for load in loads]
        axes.plot(places, predicted, color=BOUND, linewidth=1.0, linestyle=(0, (4, 2)), label="predicted")
        axes.plot(
            places, measured, color=look.colour, marker=look.marker, markersize=4, linewidth=1.2, label="measured"
        )
        if high:
            axes.plot(
                [(load.day - last).days for load in high],
                [load.measured for load in high],
                "o",
                markersize=11,
                markerfacecolor="none",
                markeredgecolor=INK,
                linestyle="none",
                label=f"above {TOO_HIGH:g} times",
            )
        low = min(places[0], -1)
        axes.set_xlim(low - 0.5, 0.5)
        step = max(1, math.ceil(-low / (3 if narrow else 7)))
        ticks = list(range(0, low - 1, -step))
        axes.set_xticks(ticks, [f"{on.day} {on:%b}" for on in (last + timedelta(days=tick) for tick in ticks)])
        axes.set_ylim(0, 1.15 * (max(*predicted, *measured) or 1.0))
        axes.yaxis.set_major_formatter(lambda tick, _: share(tick))
        axes.set_ylabel("largest slice")
        axes.figure.legend(loc="outside upper left", ncols=1 if narrow else 3, columnspacing=1.0)

    newest = history.days[-1][1]
    told = f"Above {TOO_HIGH:g} times the prediction: {counted(len(high), 'day')}."
    return Figure(
        f"slicing-predicted-{newest.plan['plan_id']}",
        f"Predicted and measured largest slice of the plans in use for {listed(newest.queries)}, day by day to "
        f"{spoken(last)}. {told}",
        f"Largest slice of the plan of each day for {listed(newest.queries)}, as a share of the relevant events: what "
        f"the planner predicted (dashed) and what was counted (line). n = {counted(len(loads), 'day')} from "
        f"{spoken(loads[0].day)} to {spoken(last)}. {told}",
        ["day", "plan", "predicted_load", "measured_load", "ratio"],
        [[load.day.isoformat(), load.plan_id, load.predicted, load.measured, load.ratio] for load in loads],
        draw,
        (2.5, 3.0),
    )

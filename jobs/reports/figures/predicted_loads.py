"""Predicted against measured load of the plans of the same queries, day by day: whether plans still fit the log."""

from __future__ import annotations

from cep_core.drawing.marks import Marker
from cep_core.drawing.plot import Plot
from cep_core.drawing.svg import Stroke
from cep_core.drawing.tones import INK
from cep_core.experiments.slicing_strategies import IN_USE
from jobs.reports.comparisons.slicing_history import TOO_HIGH, History
from jobs.reports.figures.drawing.figure import Figure
from jobs.reports.figures.drawing.palette import BOUND, strategy_look
from jobs.reports.figures.drawing.time_axis import label_days
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

    def draw(plot: Plot) -> None:
        look = strategy_look(IN_USE.name)
        predicted = [load.predicted for load in loads]
        measured = [load.measured for load in loads]
        plot.line(places, predicted, Stroke(BOUND, 1.0, (4, 2)), label="predicted")
        marker = Marker(look.marker, look.colour, 5)
        plot.line(places, measured, Stroke(look.colour, 1.2), marker=marker, label="measured")
        if high:
            plot.points(
                [(load.day - last).days for load in high],
                [load.measured for load in high],
                Marker("o", INK, 11, hollow=True),
                label=f"above {TOO_HIGH:g} times",
            )
        label_days(plot, last, places[0])
        plot.y.limits(0, 1.15 * (max(*predicted, *measured) or 1.0))
        plot.y.words = share
        plot.y.label = "largest slice"
        plot.has_key = True

    newest = history.days[-1][1]
    above = f"Above {TOO_HIGH:g} times the prediction: {counted(len(high), 'day')}."
    return Figure(
        f"slicing-predicted-{newest.plan['plan_id']}",
        f"Predicted and measured largest slice of the plans in use for {listed(newest.queries)}, day by day to "
        f"{spoken(last)}. {above}",
        f"Largest slice of the plan of each day for {listed(newest.queries)}, as a share of the relevant events: what "
        f"the planner predicted (dashed) and what was counted (line). n = {counted(len(loads), 'day')} from "
        f"{spoken(loads[0].day)} to {spoken(last)}. {above}",
        ["day", "plan", "predicted_load", "measured_load", "ratio"],
        [[load.day.isoformat(), load.plan_id, load.predicted, load.measured, load.ratio] for load in loads],
        draw,
        (2.5, 3.0),
    )

"""The largest slice over the trailing days: of the plan in use, and of the strategy that would have been best."""

from __future__ import annotations

from cep_core.drawing.marks import Marker
from cep_core.drawing.plot import Plot
from cep_core.drawing.svg import Stroke
from cep_core.experiments.slicing_strategies import IN_USE
from jobs.reports.comparisons.slicing_history import History
from jobs.reports.figures.drawing.figure import Figure
from jobs.reports.figures.drawing.palette import BOUND, strategy_look
from jobs.reports.figures.drawing.time_axis import label_days
from jobs.reports.words.clock import spoken
from jobs.reports.words.quantities import counted, share
from jobs.reports.words.values import listed, shown


def trailing_slicing_figure(history: History) -> Figure | None:
    """A line for the plan in use, and for each day a marker of the best strategy; None without a comparison."""
    compared = [(day, comparison, comparison.best) for day, comparison in history.days]
    days = [(day, comparison, best) for day, comparison, best in compared if best is not None]
    if not days:
        return None
    last = days[-1][0]
    places = [(day - last).days for day, _, _ in days]
    used = [
        (place, comparison.in_use.load)
        for place, (_, comparison, _) in zip(places, days, strict=True)
        if comparison.in_use is not None
    ]
    bounds = [
        (place, comparison.lower_bound)
        for place, (_, comparison, _) in zip(places, days, strict=True)
        if comparison.lower_bound is not None
    ]

    def draw(plot: Plot) -> None:
        look = strategy_look(IN_USE.name)
        if bounds:
            xs, ys = zip(*bounds, strict=True)
            plot.line(xs, ys, Stroke(BOUND, 1.0, (4, 2)), label="lower bound")
        if used:
            xs, ys = zip(*used, strict=True)
            plot.line(xs, ys, Stroke(look.colour, 1.2), marker=Marker(look.marker, look.colour, 5), label=IN_USE.name)
        for place, (_, _, best) in zip(places, days, strict=True):
            look = strategy_look(best.strategy)
            if best.strategy != IN_USE.name:
                marker = Marker(look.marker, look.colour, 7.5)
                plot.points([place], [best.load], marker, label=shown(best.strategy, 28))
        label_days(plot, last, places[0])
        plot.y.limits(0, 1.15 * (max([best.load for _, _, best in days] + [load for _, load in used]) or 1.0))
        plot.y.words = share
        plot.y.label = "largest slice"
        plot.has_key = True

    queries = listed(days[-1][1].queries)
    wins = "; ".join(f"{shown(name)} {n}" for name, n in history.wins.most_common())
    return Figure(
        f"slicing-trailing-{days[-1][1].plan['plan_id']}",
        f"Largest slice of the plan in use for {queries} and of the best strategy, day by day to {spoken(last)}. "
        f"Days best: {wins}.",
        f"Largest slice as a share of the relevant events: the plan in use (line), and the strategy that would have "
        f"been best where that is another (single markers), for {queries}. n = {counted(len(days), 'day')} compared "
        f"from {spoken(days[0][0])} to {spoken(last)}, each counted once on its real events; "
        f"a day without a mark was not compared. Days best: {wins}.",
        ["day", "best", "best_load", "plan_in_use_load", "lower_bound"],
        [
            [
                day.isoformat(),
                best.strategy,
                best.load,
                comparison.in_use.load if comparison.in_use else None,
                comparison.lower_bound,
            ]
            for day, comparison, best in days
        ],
        draw,
        (2.5, 3.0),
    )

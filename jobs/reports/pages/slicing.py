"""The Slicing page: the strategy that would have been best today, the plan in use, what more workers would give."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from jobs.reports.answers.changes import TRAILING
from jobs.reports.answers.listing import Heading, numbers
from jobs.reports.comparisons.more_workers import walls_of_day
from jobs.reports.comparisons.slicing_comparison import SlicingComparison, comparisons
from jobs.reports.comparisons.slicing_history import History, Record, earlier_comparisons, history
from jobs.reports.day_report import DayReport
from jobs.reports.figures.drawing.figure import Figure
from jobs.reports.figures.more_workers import more_workers_figure
from jobs.reports.figures.predicted_loads import predicted_loads_figure
from jobs.reports.figures.slicing_loads import strategies_figure
from jobs.reports.figures.trailing_slicing import trailing_slicing_figure
from jobs.reports.lake_reader import rows
from jobs.reports.page import Page
from jobs.reports.words.clock import spoken
from jobs.reports.words.quantities import counted, elapsed, quantity, share
from jobs.reports.words.values import listed, shown
from jobs.stages.measuring.wall_time import Wall, beyond, verdict

HEAVIEST = 30
"""The number of heavy values that are listed."""


@dataclass(frozen=True)
class PlanSection:
    """One plan on the page."""

    comparison: SlicingComparison
    sentence: str
    figure: Figure | None
    history: Figure | None
    predicted: Figure | None
    """Predicted against measured load over the last days."""
    warning: str
    records: list[list[str]]
    strategies: list[list[str]]
    plan: list[list[str]]
    decisions: list[str]
    seconds: str
    planned: list[list[str]]

    @property
    def title(self) -> str:
        return listed(self.comparison.queries)


def page(report: DayReport) -> Page:
    """The page: strategies side by side, for each plan by which the day was evaluated."""
    earlier = earlier_comparisons(report.reader, report.day)
    sections = [
        _section(comparison, history(earlier, report.day, comparison))
        for comparison in comparisons(report.reader, report.day)
    ]
    walls = walls_of_day(report.reader, report.day)
    workers = more_workers_figure(walls, report.day)
    heavy = rows(report.reader.read("heavy_hitters", report.day, report.day), "event_type", "attribute", "value")
    heavy.sort(key=lambda row: -row["frequency"])
    content = {
        "title": "Slicing",
        "findings": _findings(report, sections),
        "warnings": [section.warning for section in sections if section.warning],
        "sections": sections,
        "strategy_headings": _STRATEGIES,
        "record_headings": _RECORDS,
        "planned_headings": _PLANNED,
        "trailing": TRAILING,
        "plan_headings": [Heading("heavy in"), Heading("shares")],
        "workers": _workers(walls, workers),
        "heavy": {"headings": _HEAVY, "rows": [_heavy(row) for row in heavy[:HEAVIEST]], "total": len(heavy)},
    }
    drawn = [figure for section in sections for figure in (section.figure, section.history, section.predicted)]
    drawn.append(workers)
    figures = tuple(figure for figure in drawn if figure is not None)
    return Page("slicing.html", "slicing.html", content, figures)


_STRATEGIES = [
    Heading("strategy"),
    *numbers("maximum load", "copies of an event", "largest / mean slice"),
    Heading("setting", prose=True),
]
_PLANNED = [
    *numbers("slices", "maximum load", "copies of an event", "lower bound"),
]
_WORKERS = [
    Heading("workers", number=True),
    *numbers("start", "driver", "divided", "evaluate", "together", measured=True),
    Heading("all wait for a slice of", measured=True, prose=True),
]
_RECORDS = [
    Heading("strategy"),
    *numbers("days best", "days measured", "largest slice", "against the plan in use"),
]
_HEAVY = [
    Heading("event type"),
    Heading("attribute"),
    Heading("value"),
    *numbers("events", "heavy above", "error at most"),
]


def _findings(report: DayReport, sections: list[PlanSection]) -> list[str]:
    if not sections:
        return [f"No slicing plan covers {spoken(report.day)}."]
    sentences = [section.sentence for section in sections if section.sentence]
    return sentences or [f"No strategies have been compared for {spoken(report.day)}."]


def compared(comparison: SlicingComparison) -> str:
    """The sentence that says which strategy would have been best, and by how much compared with the plan in use."""
    best, used, names = comparison.best, comparison.in_use, listed(comparison.queries)
    if best is None:
        return ""
    if used is None:
        return (
            f"For {names}, {shown(best.strategy)} would have been best: its largest slice has {share(best.load)} of "
            "the events."
        )
    if best.load >= used.load:
        rivals = [strategy for strategy in comparison.strategies if strategy.load > used.load]
        nearest = (
            f", {share(1 - used.load / rivals[0].load)} below the next, {shown(rivals[0].strategy)}"
            if rivals
            else ", as with every other strategy"
        )
        return (
            f"For {names}, the plan in use was best: its largest slice has {share(used.load)} of the events{nearest}."
        )
    return (
        f"For {names}, {shown(best.strategy)} would have been best: its largest slice has {share(best.load)} of the "
        f"events, {share(1 - best.load / used.load)} less than the plan in use ({share(used.load)})."
    )


def _section(comparison: SlicingComparison, past: History) -> PlanSection:
    plan = comparison.plan
    content: dict[str, Any] = json.loads(plan["plan"])
    several = len(past.days) > 1
    clause = "" if comparison.best is None else past.clause(comparison.best.strategy)
    sentence = compared(comparison)
    return PlanSection(
        comparison,
        f"{sentence.removesuffix('.')}; {clause}." if clause else sentence,
        strategies_figure(comparison),
        trailing_slicing_figure(past) if several else None,
        predicted_loads_figure(past),
        past.warning,
        [_recorded(record) for record in past.records] if several else [],
        [
            [
                shown(strategy.strategy),
                share(strategy.load),
                "–" if strategy.replication is None else f"{strategy.replication:.2f}",
                "–" if strategy.imbalance is None else f"{strategy.imbalance:.2f}",
                _setting(strategy.parameters),
            ]
            for strategy in comparison.strategies
        ],
        [
            [
                shown(heavy.replace(",", ", ")) if heavy else "nothing",
                " × ".join(f"{shown(name)} {quantity(count)}" for name, count in shares.items()) or "one data slice",
            ]
            for heavy, shares in json.loads(plan["shares"]).items()
        ],
        [shown(text, 300) for text in content.get("decisions", [])],
        _seconds(comparison),
        [
            [
                quantity(strategy.slices),
                share(strategy.load),
                f"{strategy.replication:.2f}",
                share(strategy.lower_bound),
            ]
            for strategy in comparison.planned
        ],
    )


def _workers(walls: list[Wall], figure: Figure | None) -> dict[str, Any] | None:
    """The predicted time with more workers; None if nothing was planned for them."""
    if not walls:
        return None
    sentence = verdict(walls)
    return {
        "sentence": f"{sentence[0].upper()}{sentence[1:]}.",
        "beyond": beyond(walls),
        "figure": figure,
        "headings": _WORKERS,
        "rows": [
            [
                quantity(wall.workers),
                *(f"{value:,.1f}" for value in (wall.start, wall.alone, wall.divided, wall.evaluate, wall.total)),
                listed(list(wall.slowest)) if wall.held else "–",
            ]
            for wall in walls
        ],
    }


def _recorded(record: Record) -> list[str]:
    against = f"{share(abs(record.margin))} {'smaller' if record.margin > 0 else 'larger'}" if record.margin else "–"
    return [shown(record.strategy), quantity(record.wins), quantity(record.days), share(record.load), against]


def _seconds(comparison: SlicingComparison) -> str:
    if comparison.all_seconds is None:
        return ""
    if comparison.slowest_seconds is None:
        return f"all slices {elapsed(comparison.all_seconds)}; small ones were evaluated together"
    return f"slowest slice {elapsed(comparison.slowest_seconds)}, all slices {elapsed(comparison.all_seconds)}"


def _setting(parameters: Mapping[str, Any]) -> str:
    """A strategy's parameters in words.

    >>> _setting({"variables": ["x", "y"], "shares": {"": [2, 1], "x": [1, 2]}, "ranges": 1})
    'x 2 × y 1; heavy in x: x 1 × y 2'
    >>> _setting({"variable": "x"})
    'variable x'
    """
    if "shares" not in parameters:
        return "; ".join(f"{name} {shown(value) or 'none'}" for name, value in sorted(parameters.items()))
    names, cubes = parameters["variables"], parameters["shares"]
    words = [
        (f"heavy in {heavy.replace(',', ', ')}: " if heavy else "")
        + (" × ".join(f"{name} {share}" for name, share in zip(names, shares, strict=True)) or "one data slice")
        for heavy, shares in cubes.items()
    ]
    if parameters.get("ranges", 1) > 1:
        words.append(counted(parameters["ranges"], "time range"))
    return shown("; ".join(words), 160)


def _heavy(row: dict[str, Any]) -> list[str]:
    return [
        shown(row["event_type"]),
        shown(row["attribute"]),
        shown(row["value"]),
        quantity(row["frequency"]),
        quantity(row["threshold"]),
        quantity(row["error_bound"]),
    ]

"""Policies beside labels, as the page of experiments shows them: a sentence, and a table with a row for each policy."""

from __future__ import annotations

from collections.abc import Sequence

from cep_core.experiments.grids.label_grid import TOGETHER, LabelGrid
from cep_core.experiments.grids.summaries import Point, Summary
from jobs.reports.answers.listing import Heading, numbers
from jobs.reports.words.quantities import quantity, share


def scores_text(grid: LabelGrid, summary: Summary) -> str:
    """How well all policies together tell abnormal sequences from normal ones, and what the patterns say."""
    [together] = summary.along("f1", TOGETHER)
    right = round(together["precision"] * together["pointed"])
    text = (
        f"Of {quantity(together['sequences'])} {grid.sequences} {quantity(together['abnormal'])} were labelled "
        f"abnormal. A violation of some policy points at {quantity(right)} of these ({share(together['recall'])}) and "
        f"at {quantity(together['pointed'] - right)} of the others (F1 {together['f1']:.3f})."
    )
    for name in grid.patterns:
        [point] = summary.along("f1", name)
        differing = int(point["pattern_differs"])
        verdicts = "the same verdicts" if not differing else f"other verdicts at {quantity(differing)} events"
        text += f" The pattern query beside '{name}' has {verdicts}."
    return text


def headings_of(grid: LabelGrid) -> list[Heading]:
    """The headings of the table."""
    return [
        Heading("policy", prose=True),
        Heading("formula", prose=True),
        *numbers("precision", "recall", "F1", f"{grid.sequences} pointed at", "first violation"),
    ]


def rows_of(grid: LabelGrid, summary: Summary) -> list[Sequence[str]]:
    """A row for each policy in the grid's order, then one for their disjunction."""
    points = {point.strategy: point for point in summary.points}
    return [_row(name, text, points[name]) for name, text in {**grid.policies, TOGETHER: ""}.items()]


def _row(name: str, text: str, point: Point) -> Sequence[str]:
    first = quantity(point["first_violation"]) if "first_violation" in point.metrics else "\N{EN DASH}"
    scores = [f"{point[metric]:.3f}" for metric in ("precision", "recall", "f1")]
    return [name, text, *scores, quantity(point["pointed"]), first]

"""What stood in the way on a day without a match: the matches that there would be without one condition.

Cost: one evaluation of the day for each condition, within a small budget of work.
"""

from __future__ import annotations

from itertools import islice

import pyarrow as pa

from cep_core.events.table import order
from cep_core.language.budget import Budget
from cep_core.language.evaluator import Evaluator, Ownership, of_table
from cep_core.language.patterns.query import Query
from cep_core.matches.obstacles import Obstacle, obstacles
from cep_core.matching.why.relaxed import relaxations
from jobs.reports.words.quantities import Magnitude, counted
from jobs.reports.words.values import listed, shown

WORK = 500_000
"""Steps of work for each condition."""
MOST_EVENTS = 200_000
"""Of a day and what its query reaches: with more, nobody asks while a report is written."""
MOST = 3
"""The most conditions that are told."""
_WINDOW = "WITHIN"
"""The window is not told: without it a match may begin on a day that was not read."""


def blocked(query: Query, events: pa.Table, interval: tuple[int, int]) -> str:
    """A sentence; empty if nothing is known. `events`: of the day and of what the query reaches before it, in no order;
    `interval`: the day, whose matches are those that become certain in it.
    """
    ordered = order(events.sort_by([("ts", "ascending"), ("seq", "ascending")]))

    def evaluate(evaluator: Evaluator) -> pa.Table:
        return evaluator.merge(of_table(evaluator.evaluate(ordered, Ownership(days=interval))))

    # the window comes last, and is not evaluated if it is not asked for
    asked = sum(condition != _WINDOW for condition, _ in relaxations(query, 1))
    judged = islice(obstacles(query, ordered, evaluate, Budget(WORK)), asked)
    every = [each for each in judged if each.condition != _WINDOW]
    helping = sorted((each for each in every if each.matches), key=lambda each: -(each.matches or 0))
    if helping:
        first, *others = helping[:MOST]
        return f"Without {shown(first.condition)} there would be {_many(first)}{_further(others)}."
    if every and all(each.matches == 0 for each in every):
        return "Without any single one of its conditions there would be no match either."
    return ""


def _further(others: list[Obstacle]) -> str:
    return f"; {listed([f'without {shown(each.condition)} {_many(each)}' for each in others])}" if others else ""


def _many(obstacle: Obstacle) -> str:
    many = counted(Magnitude.of(obstacle.matches), "match", "matches")
    return many if obstacle.exact else f"at least {many}"

"""Trend counts: our own strategy, which keeps the partial matches with the most expected matches for their cost.

Under skip-till-any-match a partial match may become many matches: it is the root of a tree of partial matches.
Its utility here is the number of matches expected of the whole tree, divided by what the tree costs. Where nothing
branches, that is pSPICE's P / tau.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from cep_core.arrays import Floats
from cep_core.shedding.arrays.costs import Costs
from cep_core.shedding.arrays.rules import Rules
from cep_core.shedding.model.chain import trend_counts
from cep_core.shedding.model.overload import Detector
from cep_core.shedding.model.utility import utility_tables
from cep_core.shedding.shedders.strategy import Origin, SheddingStrategy
from cep_core.shedding.shedders.tables import by_table, sizes_of
from cep_core.shedding.training.operator_model import Model, PatternModel


@dataclass(frozen=True)
class TrendCounts:
    """Ranks partial matches by their expected matches, divided by their expected cost."""

    name: str = "trend counts"
    everywhere: bool = True

    def cost(self, costs: Costs, count: int) -> int:
        return costs.sorting(count, count)

    def rules(self, model: Model, detector: Detector, seed: int) -> Rules:
        sizes = sizes_of(model, None)
        solved = [_solve(own, size) for own, size in zip(model.patterns, sizes, strict=True)]
        weights = [own.weight for own in model.patterns]
        tables = utility_tables([counts for counts, _ in solved], [costs for _, costs in solved], weights, sizes)
        return by_table(model, detector, seed, tables)


def _solve(own: PatternModel, size: int) -> tuple[Floats, Floats]:
    """Expected matches and costs. Where a state moves instead of branching, a move counts as a birth: B = T - 1."""
    observations, transitions = own.observations, own.observations.transitions()
    branches = observations.births.sum(axis=1, keepdims=True) > 0
    offspring = np.where(branches, observations.offspring(), transitions - np.eye(len(transitions)))
    rewards = observations.rewards()
    cost = np.array([math.fsum(row) for row in transitions * rewards])
    return trend_counts(offspring, cost, own.left, size)


TREND_COUNTS = SheddingStrategy(
    TrendCounts.name,
    "partial matches of which the fewest matches are expected for their cost",
    "green",
    "D",
    Origin.OWN,
    TrendCounts,
)

"""Greedy look-ahead: our own yardstick, which knows the future and so cannot be used.

A run without shedding tells how many matches each partial match and its descendants still become, and what they still
cost. The utility is the number of matches divided by that cost. This is a yardstick, not an upper bound: the strategy
decides event by event, and only once the bound is in danger, so it may drop a partial match that a later event would
need (`clairvoyant` drops useless partial matches at once).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from cep_core.shedding.arrays.costs import Costs
from cep_core.shedding.arrays.rules import LOWEST_AHEAD, WITHOUT, Rules, guarded
from cep_core.shedding.hindsight.clairvoyance import Clairvoyance
from cep_core.shedding.model.overload import Detector
from cep_core.shedding.shedders.strategy import Origin, SheddingStrategy
from cep_core.shedding.training.operator_model import Model


@dataclass(frozen=True)
class GreedyLookAhead:
    """`known`: what became of every partial match in a run over the same events that dropped nothing."""

    known: Clairvoyance
    name: str = "greedy look-ahead"
    everywhere: bool = True

    def cost(self, costs: Costs, count: int) -> int:
        return costs.sorting(count, count)

    @cached_property
    def knowledge(self) -> Rules:
        """Rules that follow what each partial match is worth and costs, without dropping anything."""
        return knowing(WITHOUT, self.known)._replace(left=self.known.spent)

    def rules(self, model: Model, detector: Detector, seed: int) -> Rules:
        return knowing(guarded(detector, LOWEST_AHEAD, seed), self.known)._replace(left=self.known.spent)


def knowing(rules: Rules, known: Clairvoyance) -> Rules:
    """The rules, with what a replayed run needs to find each partial match in the recorded run, and its useful work."""
    account, nodes = known.recorded.account, known.nodes
    return rules._replace(
        worth=known.worth,
        left=known.work,
        first_child=account.first_child[:nodes],
        next_sibling=account.next_sibling[:nodes],
        root=account.root,
    )


LOOK_AHEAD = SheddingStrategy(
    GreedyLookAhead.name,
    "partial matches that bring the fewest matches for their cost, event by event: out of reach",
    "purple",
    "*",
    Origin.OUT_OF_REACH,
    GreedyLookAhead,
)

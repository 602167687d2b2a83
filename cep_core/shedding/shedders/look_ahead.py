"""Our own, and out of reach: exact look-ahead.

It knows from a run without shedding which matches each partial match and those that spring from it become, and what
they still cost: utility is one over the other. No strategy can know this. It is a yardstick, not an upper bound: it too
decides event by event, and what it drops for one event may be what a later one would have paid for.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from numba import njit

from cep_core.shedding.costs import Costs
from cep_core.shedding.model import Model
from cep_core.shedding.overload import Detector
from cep_core.shedding.rules import LOWEST_AHEAD, WITHOUT, Rules, guarded
from cep_core.shedding.run import Run
from cep_core.shedding.stream import Ints


@dataclass(frozen=True)
class GreedyLookAhead:
    """`recorded`: a run over the same events that dropped nothing and kept record."""

    recorded: Run
    name: str = "greedy look-ahead"
    everywhere: bool = True

    def cost(self, costs: Costs, count: int) -> int:
        return costs.sorting(count, count)

    @cached_property
    def knowledge(self) -> Rules:
        """What each partial match is worth and costs, with those that spring from it; drops nothing by itself."""
        run = self.recorded
        nodes = run.nodes
        account = run.account
        worth, spent = account.worth[:nodes].copy(), run.spent_by_node()
        _add_up(account.parent[:nodes], worth, spent)
        return WITHOUT._replace(
            worth=worth,
            left=spent,
            first_child=account.first_child[:nodes],
            next_sibling=account.next_sibling[:nodes],
            root=account.root,
        )

    def rules(self, model: Model, detector: Detector, seed: int) -> Rules:
        known = self.knowledge
        return guarded(detector, LOWEST_AHEAD, seed)._replace(
            worth=known.worth,
            left=known.left,
            first_child=known.first_child,
            next_sibling=known.next_sibling,
            root=known.root,
        )


@njit(cache=True)
def _add_up(parent: Ints, worth: Ints, spent: Ints) -> None:
    """Adds to each node what springs from it; children have larger numbers than their parents."""
    for node in range(parent.shape[0] - 1, -1, -1):
        if parent[node] >= 0:
            worth[parent[node]] += worth[node]
            spent[parent[node]] += spent[node]

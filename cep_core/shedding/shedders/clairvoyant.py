"""The clairvoyant: our own yardstick, which does useful work only. It knows the future and so cannot be used.

A run without shedding tells which partial matches still lead to a match, and the clairvoyant keeps only these. The
others are never begun, or they are removed with the last event that one of their matches needs. So it loses nothing as
long as events and useful partial matches alone keep the bound.

Where they do not, it first gives up the matches that the knapsacks of `least_loss` leave out, and checks a few times
whether that was enough (`replaying`). If an event would still be late, it drops partial matches that the event meets,
until the safety buffer is free for events that arrive at the same time. Those with the fewest weighted matches for the
useful work still to come are dropped first. It knows what an event costs, so it needs no f. Knowing and choosing cost
no virtual time, and what was never begun does not count as dropped.

Where useful work alone is too much, it is not an upper bound: the best possible loss lies between `least_loss` and what
the clairvoyant loses.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from cep_core.shedding.arrays.costs import Costs
from cep_core.shedding.arrays.pool import NEVER
from cep_core.shedding.arrays.rules import USEFUL, WITHOUT, Rules, guarded
from cep_core.shedding.hindsight.clairvoyance import Clairvoyance
from cep_core.shedding.model.overload import Detector
from cep_core.shedding.shedders.look_ahead import knowing
from cep_core.shedding.shedders.strategy import Origin, SheddingStrategy
from cep_core.shedding.training.operator_model import Model


@dataclass(frozen=True)
class Clairvoyant:
    """`known`: what became of every partial match in a run over the same events that dropped nothing."""

    known: Clairvoyance
    name: str = "clairvoyant"
    everywhere: bool = False

    def cost(self, costs: Costs, count: int) -> int:
        return 0

    @cached_property
    def knowledge(self) -> Rules:
        """Rules that keep useful work only, however late events are."""
        return knowing(WITHOUT, self.known)._replace(kind=USEFUL, everywhere=False, bound=NEVER)

    def rules(self, model: Model, detector: Detector, seed: int) -> Rules:
        return knowing(guarded(detector, USEFUL, seed), self.known)._replace(everywhere=False)


CLAIRVOYANT = SheddingStrategy(
    Clairvoyant.name,
    "partial matches that lead to no match any more, and of the others as few as it must: out of reach",
    "ink",
    "P",
    Origin.OUT_OF_REACH,
    Clairvoyant,
)

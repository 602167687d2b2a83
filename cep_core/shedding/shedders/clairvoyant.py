"""Our own, and out of reach: does useful work only.

It knows from a run without shedding which partial matches still lead to a match, and keeps no other: they never come to
be, or go with the last event that carries a match on. So it loses nothing as long as events and useful partial matches
alone leave the bound unharmed. Where they do not, it first does without the matches that the knapsacks of `least_loss`
leave out, and looks a few times whether that was enough (`replaying`). Whatever is late still it answers in time by
dropping, of the partial matches that the event at hand meets, those with the fewest weighted matches for the useful
work still to come, until the safety buffer is free for events that come at once; it knows what an event costs and needs
no f. Knowing and choosing cost no virtual time, and what never came to be was not dropped.

Where useful work alone is too much it is no upper bound: what it loses and `least_loss` stand on both sides of the best
that can be done.
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
        """Useful work only, however late."""
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

"""Victims from the event's own partition: our own variant of any strategy that drops partial matches.

If partial matches lie in partitions, an event meets only those of its own partition, so only dropping these saves work
for that event. pSPICE (Algorithms 1 and 2) does not know partitions: its n counts all partial matches, and any of them
may be dropped. In this variant f, g and n count the partial matches that the event meets, and victims are chosen among
them. With a single partition both are the same.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from cep_core.shedding.arrays.costs import Costs
from cep_core.shedding.arrays.rules import Rules
from cep_core.shedding.model.overload import Detector
from cep_core.shedding.shedders.pspice import PSpice
from cep_core.shedding.shedders.shedder import Shedder
from cep_core.shedding.shedders.strategy import Origin, SheddingStrategy
from cep_core.shedding.training.operator_model import Model


@dataclass(frozen=True)
class ByPartition:
    """Another strategy, restricted to the partial matches that the event meets."""

    shedder: Shedder = field(default_factory=PSpice)
    everywhere: bool = False

    @property
    def name(self) -> str:
        return f"{self.shedder.name} by partition"

    def cost(self, costs: Costs, count: int) -> int:
        return self.shedder.cost(costs, count)

    def rules(self, model: Model, detector: Detector, seed: int) -> Rules:
        return self.shedder.rules(model, detector, seed)._replace(everywhere=False)


BY_PARTITION = SheddingStrategy(
    ByPartition().name,
    "as pSPICE, but only from the partial matches that the event at hand meets",
    "olive",
    "p",
    Origin.OWN,
    ByPartition,
)

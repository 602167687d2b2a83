"""PM-BL: drops each partial match with the probability that drops as many as needed on average (pSPICE, IV-A)."""

from __future__ import annotations

from dataclasses import dataclass

from cep_core.shedding.arrays.costs import Costs
from cep_core.shedding.arrays.rules import CHANCE, Rules, guarded
from cep_core.shedding.model.overload import Detector
from cep_core.shedding.shedders.strategy import Origin, SheddingStrategy
from cep_core.shedding.training.operator_model import Model


@dataclass(frozen=True)
class ByChance:
    """Bernoulli trials, with the same detector as the other strategies."""

    name: str = "PM-BL"
    everywhere: bool = True

    def cost(self, costs: Costs, count: int) -> int:
        return costs.drawing(count, count)

    def rules(self, model: Model, detector: Detector, seed: int) -> Rules:
        return guarded(detector, CHANCE, seed)


AT_RANDOM = SheddingStrategy(
    ByChance.name,
    "partial matches at random",
    "vermilion",
    "^",
    Origin.PAPER,
    ByChance,
    spoken="dropping at random",
    random=True,
)

"""No shedding: nothing is missed, and the latency grows without limit."""

from __future__ import annotations

from dataclasses import dataclass

from cep_core.shedding.arrays.costs import Costs
from cep_core.shedding.arrays.rules import WITHOUT, Rules
from cep_core.shedding.model.overload import Detector
from cep_core.shedding.shedders.strategy import Origin, SheddingStrategy
from cep_core.shedding.training.operator_model import Model


@dataclass(frozen=True)
class Nothing:
    """Drops nothing."""

    name: str = "none"
    everywhere: bool = True

    def cost(self, costs: Costs, count: int) -> int:
        return 0

    def rules(self, model: Model, detector: Detector, seed: int) -> Rules:
        return WITHOUT


UNSHED = SheddingStrategy(Nothing.name, "nothing", "grey", "X", Origin.UNSHED, Nothing)

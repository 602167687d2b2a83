"""No shedding: what is missed is nothing, and the latency is whatever it becomes."""

from __future__ import annotations

from dataclasses import dataclass

from cep_core.shedding.costs import Costs
from cep_core.shedding.model import Model
from cep_core.shedding.overload import Detector
from cep_core.shedding.rules import WITHOUT, Rules


@dataclass(frozen=True)
class Nothing:
    """Drops nothing."""

    name: str = "none"
    everywhere: bool = True

    def cost(self, costs: Costs, count: int) -> int:
        return 0

    def rules(self, model: Model, detector: Detector, seed: int) -> Rules:
        return WITHOUT

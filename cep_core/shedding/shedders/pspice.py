"""pSPICE: drops the partial matches of lowest utility w * P / tau. pSPICE-- does the same with tau = 1."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from cep_core.shedding.arrays.costs import Costs
from cep_core.shedding.arrays.rules import Rules
from cep_core.shedding.model.chain import completion_and_time, multiplications
from cep_core.shedding.model.overload import Detector
from cep_core.shedding.model.utility import UtilityTable, utility_tables
from cep_core.shedding.shedders.strategy import Origin, SheddingStrategy
from cep_core.shedding.shedders.tables import by_table, sizes_of
from cep_core.shedding.training.operator_model import Model


@dataclass(frozen=True)
class PSpice:
    """`timeless`: pSPICE--, tau = 1. `bin_size`: the paper's bs; None: as fine as 4,096 rows allow."""

    timeless: bool = False
    bin_size: int | None = None
    everywhere: bool = True

    @property
    def name(self) -> str:
        return "pSPICE--" if self.timeless else "pSPICE"

    def cost(self, costs: Costs, count: int) -> int:
        return costs.sorting(count, count)

    def tables(self, model: Model) -> list[UtilityTable]:
        """The utility table of each pattern."""
        sizes = sizes_of(model, self.bin_size)
        solved = [
            completion_and_time(own.observations.transitions(), own.observations.rewards(), own.left, size)
            for own, size in zip(model.patterns, sizes, strict=True)
        ]
        weights = [own.weight for own in model.patterns]
        return utility_tables([p for p, _ in solved], [t for _, t in solved], weights, sizes, timeless=self.timeless)

    def building(self, model: Model) -> int:
        """The number of products that it takes to build the tables."""
        sizes = sizes_of(model, self.bin_size)
        return sum(
            multiplications(len(own.observations.moves), own.left, size)
            for own, size in zip(model.patterns, sizes, strict=True)
        )

    def rules(self, model: Model, detector: Detector, seed: int) -> Rules:
        return by_table(model, detector, seed, self.tables(model))


PSPICE = SheddingStrategy(
    PSpice().name,
    "partial matches of lowest utility: chance to complete over remaining time",
    "blue",
    "o",
    Origin.PAPER,
    PSpice,
)

TIMELESS = SheddingStrategy(
    PSpice(timeless=True).name,
    "the same without the remaining time",
    "sky",
    "s",
    Origin.PAPER,
    partial(PSpice, timeless=True),
)

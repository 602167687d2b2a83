"""What every shedding strategy provides: a name, the cost of its own work, and the rules that a run follows."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from cep_core.shedding.arrays.costs import Costs
from cep_core.shedding.arrays.rules import Rules
from cep_core.shedding.model.overload import Detector
from cep_core.shedding.model.regression import Latency, fit_latency
from cep_core.shedding.training.operator_model import Model, Seen


class Shedder(Protocol):
    """A strategy. It has no state: everything it knows is in the model that it is given."""

    @property
    def name(self) -> str: ...

    @property
    def everywhere(self) -> bool:
        """Whether f, g and n count all partial matches of the operator, or only those that the event meets."""
        ...

    def cost(self, costs: Costs, count: int) -> int:
        """The cost of choosing among `count` partial matches, if all of them are dropped."""
        ...

    def rules(self, model: Model, detector: Detector, seed: int) -> Rules:
        """The rules by which a run sheds."""
        ...


def seen_by(shedder: Shedder, model: Model) -> Seen:
    """The numbers of partial matches that a strategy's f, g and n count."""
    return model.held if shedder.everywhere else model.met


def shedding_latency(shedder: Shedder, model: Model) -> Latency:
    """g: the latency of shedding by the number of partial matches, fitted to samples (pSPICE, section III-E)."""
    counts = np.unique(seen_by(shedder, model).counts)
    return fit_latency(counts, np.array([shedder.cost(model.costs, int(count)) for count in counts], np.int64))


def detector_of(shedder: Shedder, model: Model, bound: int, buffer: int = 0) -> Detector:
    """The overload detector of a strategy: the operator's f, the strategy's g."""
    return Detector(bound, seen_by(shedder, model).processing, shedding_latency(shedder, model), buffer)

"""E-BL: drops events from windows, not partial matches (pSPICE, section IV-A, after He, Barman and Naughton).

A type's utility is proportional to how often it occurs in the patterns and in the windows; types of low utility go
first, and within a type chance decides for each event and window. The papers leave open how much goes; here the share
that goes rises from nothing at half of the latency bound to everything at the bound, with the latency that the same f
and g predict, so that all strategies have one target. Under a negation an event left out may bring a false match.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cep_core.shedding.costs import Costs
from cep_core.shedding.model import Model
from cep_core.shedding.overload import Detector
from cep_core.shedding.rules import EVENTS, Rules, guarded


@dataclass(frozen=True)
class Events:
    """Weighted by type, uniform within one."""

    name: str = "E-BL"

    def cost(self, costs: Costs, count: int) -> int:
        return costs.drawing(count, 0)

    def rules(self, model: Model, detector: Detector, seed: int) -> Rules:
        repeated = np.zeros(len(model.shares))
        for pattern in model.patterns:
            repeated += pattern.weight * pattern.repetition
        order = np.argsort(repeated * model.shares, kind="stable")
        before = np.zeros(len(order))
        before[order] = np.concatenate([[0.0], np.cumsum(model.shares[order])[:-1]])
        return guarded(detector, EVENTS, seed)._replace(before=before, share=model.shares)

"""E-BL: drops events from windows, not partial matches (pSPICE, section IV-A, after He, Barman and Naughton).

A type's utility is proportional to how often it occurs in the patterns and in the windows, here as its share of the
utility of all types. The paper then uses "uniform sampling" within a type, after weighted sampling of streams (Tatbul
and others): every type is dropped with a probability, which is higher the lower its utility. Here the probability is
proportional to the lack of utility, 1 - share. If types were dropped one after another, the least useful first, nothing
would be lost wherever enough events are of types that no pattern uses, such as 490 of the paper's 500 companies. The
paper loses 65 % there, and explains this by how likely a dropped event would have matched and is replaced by another of
its type.

The papers do not say how much to drop. Here the dropped share of the load depends on the latency that the same f and g
predict. It rises from nothing at half of the latency bound to everything at the bound, so that all strategies have the
same target. Under a negation, leaving an event out may produce a false match.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from cep_core.arrays import Floats
from cep_core.shedding.arrays.costs import Costs
from cep_core.shedding.arrays.rules import EVENTS, Rules, guarded
from cep_core.shedding.model.overload import Detector
from cep_core.shedding.shedders.strategy import Origin, SheddingStrategy
from cep_core.shedding.training.operator_model import Model

LEAST = 1e-9
"""The lack of utility of a type that has all the utility: it is dropped only after everything else."""


@dataclass(frozen=True)
class Events:
    """Drops events: weighted by type, at random within a type."""

    name: str = "E-BL"
    everywhere: bool = True

    def cost(self, costs: Costs, count: int) -> int:
        return costs.drawing(count, 0)

    def rules(self, model: Model, detector: Detector, seed: int) -> Rules:
        repeated = np.zeros(len(model.shares))
        for pattern in model.patterns:
            repeated += pattern.weight * pattern.repetition
        lack, wanted_at, scale_at = spread_over_types(repeated, model.shares)
        return guarded(detector, EVENTS, seed)._replace(lack=lack, wanted_at=wanted_at, scale_at=scale_at)


def spread_over_types(repeated: Floats, shares: Floats) -> tuple[Floats, Floats, Floats]:
    """The lack of utility of each of K types, and which scale of it drops which share of the load.

    `repeated`: how often each type occurs in the patterns, by weight; `shares`: its share of the (event, window) pairs.
    At scale c a type is dropped with probability min(1, c * lack). The second and third arrays are the corners of
    the resulting function: the share that is dropped, and c.

    Types A and B are half of the events each. A occurs twice in the pattern and B once: A is dropped half as often.

    >>> lack, wanted_at, scale_at = spread_over_types(np.array([2.0, 1.0]), np.array([0.5, 0.5]))
    >>> lack.round(3).tolist(), wanted_at.round(3).tolist(), scale_at.round(3).tolist()
    ([0.333, 0.667], [0.0, 0.75, 1.0], [0.0, 1.5, 3.0])
    """
    utility = repeated * shares
    whole = math.fsum(utility)
    lack = np.maximum(1.0 - utility / whole, LEAST) if whole else np.ones(len(shares))
    if not shares.any():
        shares = np.full(len(shares), 1.0 / max(1, len(shares)))
    order = np.argsort(-lack, kind="stable")
    dropped_share = np.cumsum(shares[order])
    # from the back: the sum of share * lack over the types that are not dropped entirely yet
    kept_lack = np.cumsum((shares * lack)[order][::-1])[::-1]
    scale = 1.0 / lack[order]
    wanted_share = np.concatenate([[0.0], dropped_share[:-1]]) + scale * kept_lack
    # only where the function bends; rounding must not make it fall
    bends = np.flatnonzero(np.diff(np.concatenate([[0.0], np.maximum.accumulate(wanted_share)])) > 0)
    return lack, np.concatenate([[0.0], wanted_share[bends]]), np.concatenate([[0.0], scale[bends]])


EVENTS_BY_TYPE = SheddingStrategy(
    Events.name, "events from windows, by type", "orange", "v", Origin.PAPER, Events, random=True
)

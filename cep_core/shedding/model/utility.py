"""The utility of a partial match: U = w * P / tau, from tables, in O(1) (pSPICE, Eq. 1 and III-C3).

P is in [0, 1]. tau is divided by the largest tau of all patterns, so that both have the same scale. All patterns share
this factor: with one factor for each, a slow pattern would lose the disadvantage that Eq. 1 gives it. Tables keep every
`size`-th number of events left. Between two rows P and tau are interpolated, then divided.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numba import njit

from cep_core.arrays import Floats
from cep_core.shedding.model.chain import between_rows

LEAST = 1e-300
"""The least remaining time; it is used where none was observed."""


@dataclass(frozen=True)
class UtilityTable:
    """Of one pattern, [rows, m]; row r is for r * size events left."""

    gain: Floats
    """w * P."""
    price: Floats
    """tau, scaled."""
    size: int

    def at(self, state: int, left: float) -> float:
        """The utility in a state with so many events left."""
        return float(utility_at(self.gain, self.price, self.size, state, float(left)))


def utility_tables(
    probabilities: Sequence[Floats],
    times: Sequence[Floats],
    weights: Sequence[float],
    sizes: Sequence[int],
    *,
    timeless: bool = False,
) -> list[UtilityTable]:
    """One table for each pattern. `timeless`: tau = 1, pSPICE-- in the paper's experiments.

    >>> [table] = utility_tables([np.array([[0, 1.0], [0.5, 1.0]])], [np.array([[0, 0], [4.0, 0]])], [2.0], [1])
    >>> table.at(0, 1)
    1.0
    """
    longest = max((float(time.max()) for time in times if time.size), default=0.0) or 1.0
    return [
        UtilityTable(weight * probability, np.ones_like(time) if timeless else time / longest, size)
        for probability, time, weight, size in zip(probabilities, times, weights, sizes, strict=True)
    ]


@njit(cache=True)
def utility_at(gain: Floats, price: Floats, size: int, state: int, left: float) -> float:
    """w * P / tau in a state with `left` events to come."""
    return between_rows(gain, size, state, left) / max(between_rows(price, size, state, left), LEAST)

"""Victims: exactly as many as asked for, lowest utility first (pSPICE, Algorithm 2), or each one by chance.

All partial matches with a utility below a threshold are dropped, then the oldest of those with the threshold's utility.
The paper sorts in O(n log n), and the virtual clock is charged for that. Here a selection finds the threshold in O(n),
with the same result.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from cep_core.arrays import Flags, Floats
from cep_core.shedding.kernels.drawing import chance


@njit(cache=True)
def lowest(utilities: Floats, number: int) -> Flags:
    """Marks the `number` lowest utilities; of equal ones, the first are marked.

    >>> lowest(np.array([3.0, 1.0, 2.0, 1.0, 2.0]), 3).tolist()
    [False, True, True, True, False]
    """
    count = utilities.shape[0]
    victims = np.zeros(count, np.bool_)
    if number <= 0:
        return victims
    if number >= count:
        victims[:] = True
        return victims
    threshold = np.partition(utilities, number - 1)[number - 1]
    remaining = number
    for r in range(count):
        if utilities[r] < threshold:
            victims[r] = True
            remaining -= 1
    for r in range(count):
        if remaining == 0:
            break
        if utilities[r] == threshold:
            victims[r] = True
            remaining -= 1
    return victims


@njit(cache=True)
def by_chance(count: int, number: int, seed: int, event: int) -> Flags:
    """Marks each of `count` with probability `number / count` (Bernoulli)."""
    victims = np.zeros(count, np.bool_)
    for r in range(count):
        victims[r] = chance(seed, event, r) * count < number
    return victims

"""Victims: exactly as many as asked, lowest utility first (pSPICE, Algorithm 2), or each by chance.

Of partial matches with the threshold's utility the oldest are dropped first, after all with a lower utility. The paper
sorts in O(n log n), and the virtual clock is charged for that; here a selection finds the threshold in O(n), with the
same result.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from cep_core.arrays import Flags, Floats
from cep_core.shedding.kernels.drawing import chance


@njit(cache=True)
def lowest(utilities: Floats, number: int) -> Flags:
    """Marks the `number` lowest utilities; among equal ones the first.

    >>> lowest(np.array([3.0, 1.0, 2.0, 1.0, 2.0]), 3).tolist()
    [False, True, True, True, False]
    """
    count = utilities.shape[0]
    goes = np.zeros(count, np.bool_)
    if number <= 0:
        return goes
    if number >= count:
        goes[:] = True
        return goes
    threshold = np.partition(utilities, number - 1)[number - 1]
    left = number
    for r in range(count):
        if utilities[r] < threshold:
            goes[r] = True
            left -= 1
    for r in range(count):
        if left == 0:
            break
        if utilities[r] == threshold:
            goes[r] = True
            left -= 1
    return goes


@njit(cache=True)
def by_chance(count: int, number: int, seed: int, event: int) -> Flags:
    """Marks each of `count` with probability `number / count` (Bernoulli)."""
    goes = np.zeros(count, np.bool_)
    for r in range(count):
        goes[r] = chance(seed, event, r) * count < number
    return goes

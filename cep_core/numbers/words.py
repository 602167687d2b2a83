"""Counts in machine words: below a limit two of them add, and multiply, without wrapping."""

from __future__ import annotations

import numpy as np
from numba import njit

LIMIT = np.int64(1 << 62)
"""Two numbers below the limit add without wrapping; one at or above it, or a negative one, flags its window."""
LIMIT_AS_FLOAT = float(1 << 62)
SMALL = np.int64(1 << 31)
"""Two numbers below this multiply without reaching the limit."""


@njit(cache=True)
def product(count: int, weight: int) -> int:
    """count * weight, both >= 0, or -1 (which flags the window) where it would reach the limit."""
    if (count | weight) >= SMALL and float(count) * float(weight) >= LIMIT_AS_FLOAT:
        return -1
    return count * weight

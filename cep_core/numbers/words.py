"""Counts in machine words. Two counts below a limit are added and multiplied without wrapping."""

from __future__ import annotations

import numpy as np

from cep_core.inner_kernels import inner

LIMIT = np.int64(1 << 62)
"""Two numbers below the limit add without wrapping. A number at or above it, or a negative one, flags its window."""
LIMIT_AS_FLOAT = float(1 << 62)
SMALL = np.int64(1 << 31)
"""Two numbers below this multiply without reaching the limit."""


@inner
def product(count: int, weight: int) -> int:
    """count * weight, both >= 0. If the product would reach the limit: -1, which flags the window."""
    if (count | weight) >= SMALL and float(count) * float(weight) >= LIMIT_AS_FLOAT:
        return -1
    return count * weight

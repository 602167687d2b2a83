"""Non-negative integers as limbs of 32 bits, the lowest first."""

from __future__ import annotations

import numpy as np

from cep_core.arrays import Bits, Ints

LIMB = np.uint64(0xFFFFFFFF)
LIMB_BITS = np.uint64(32)


def limbs_of(weights: Ints | Bits) -> Bits:
    """The limbs of integers >= 0: shape + (1 or 2,).

    >>> limbs_of(np.array([5, 2**32]))
    array([[5, 0],
           [0, 1]], dtype=uint64)
    """
    words = weights.astype(np.uint64)
    high = words >> LIMB_BITS
    return np.stack([words & LIMB, high], axis=-1) if high.any() else words[..., np.newaxis]

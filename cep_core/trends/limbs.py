"""Numbers of the kernels that walk many windows at once: one machine word each, or many limbs.

A number is L limbs in 64-bit words, lowest first. L = 1: the word itself, below 2**62, else the number is lost. L > 1:
limbs of 32 bits; sums of limbs are taken word by word and carried once a vertex, and a number is lost when something is
carried out of its last limb. A word has room for 2**32 summands of 32 bits. A count is never a float.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from cep_core.trends.graph import Bits, Ints
from cep_core.trends.integers import Integers

LIMB = np.uint64(0xFFFFFFFF)
LIMB_BITS = np.uint64(32)
WORD_LIMIT = np.uint64(1 << 62)
"""Two words below the limit add without wrapping."""
WORD_LIMIT_AS_FLOAT = float(1 << 62)


def integers_of(limbs: Bits) -> Integers:
    """A column of integers from limbs of 32 bits [n, limbs], lowest first.

    >>> integers_of(np.array([[5, 0, 0], [0, 0, 1]], dtype=np.uint64)).to_list()
    [5, 18446744073709551616]
    """
    high = limbs[:, 1]
    fits = ~limbs[:, 2:].any(axis=1) & (high < np.uint64(1 << 30))
    small = np.where(fits, limbs[:, 0] | (high << LIMB_BITS), np.uint64(0)).astype(np.int64)
    words = limbs.astype("<u4")
    return Integers(small, {int(n): int.from_bytes(words[n].tobytes(), "little") for n in np.flatnonzero(~fits)})


def limbs_of(weights: Ints) -> Bits:
    """Non-negative integers as limbs of 32 bits, lowest first: shape + (1 or 2,).

    >>> limbs_of(np.array([5, 2**32]))
    array([[5, 0],
           [0, 1]], dtype=uint64)
    """
    words = weights.astype(np.uint64)
    high = words >> LIMB_BITS
    return np.stack([words & LIMB, high], axis=-1) if high.any() else words[..., np.newaxis]


@njit(cache=True)
def settle(words: Bits, begin: int, limbs: int) -> bool:
    """Bring each limb of the number at `begin` below 2**32. Returns whether the number is lost."""
    if limbs == 1:
        return bool(words[begin] >= WORD_LIMIT)
    carry = np.uint64(0)
    for k in range(begin, begin + limbs):
        word = words[k] + carry
        words[k] = word & LIMB
        carry = word >> LIMB_BITS
    return bool(carry != 0)


@njit(cache=True)
def add_product(words: Bits, number: int, count: int, limbs: int, weight: Bits) -> bool:
    """Add weight times the number at `count` to the one at `number`, and settle that. Returns whether it is lost.

    `weight` is a word where numbers are words, else limbs of 32 bits.
    """
    if limbs == 1:
        if (words[count] | weight[0]) > LIMB and float(words[count]) * float(weight[0]) >= WORD_LIMIT_AS_FLOAT:
            return True
        words[number] += words[count] * weight[0]
        return settle(words, number, limbs)
    lost = False
    for k in range(weight.shape[0]):
        if weight[k] == 0:
            continue
        for q in range(limbs):
            word = words[count + q] * weight[k]
            low = word & LIMB
            high = word >> LIMB_BITS
            if q + k < limbs:
                words[number + q + k] += low
            elif low != 0:
                lost = True
            if q + k + 1 < limbs:
                words[number + q + k + 1] += high
            elif high != 0:
                lost = True
    return settle(words, number, limbs) or lost

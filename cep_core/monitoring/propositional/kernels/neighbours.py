"""PREV and NEXT on bit columns: a shift by one place, under the mask of gaps that lie in an interval.

Cost: one pass over the times for each interval, and a few operations a word.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from cep_core.arrays import Bits, Ints

_ONE = np.uint64(1)
_LAST = np.uint64(63)


@njit(cache=True)
def near_steps(times: Ints, first: Bits, low: int, high: int) -> Bits:
    """The places whose time since the place before lies in the interval; a sub-log's first place is none."""
    near = np.empty_like(first)
    before = np.int64(0)
    for word in range(first.shape[0]):
        bits = np.uint64(0)
        for place in range(64):
            time = times[64 * word + place]
            gap = time - before
            bits |= np.uint64(low <= gap and gap <= high) << np.uint64(place)
            before = time
        near[word] = bits & ~first[word]
    return near


def before(column: Bits) -> Bits:
    """What holds one place earlier."""
    moved = column << _ONE
    moved[1:] |= column[:-1] >> _LAST
    return moved


def after(column: Bits) -> Bits:
    """What holds one place later."""
    moved = column >> _ONE
    moved[:-1] |= column[1:] << _LAST
    return moved

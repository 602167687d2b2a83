"""SINCE and UNTIL with an interval that begins at 0, on bit columns: carries over runs, 64 places at a time.

A place with `right` holds; a place with `left` holds if its neighbour does: within a word, the carries of an addition
for SINCE, six doubling steps for UNTIL, several words at a time. The nearest witness is then the next place with
`right`. If even the places of a word that are farthest apart are near enough, no place is compared with the interval;
else the places of a block of words are (`nearness`). Borders of sub-logs stop the carry.

Cost: about twenty operations a word where no place is compared, and a few a place where all are: O(places), whatever
the interval, the rate of points and the number of sub-logs.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from cep_core.arrays import Bits
from cep_core.inner_kernels import inner
from cep_core.monitoring.propositional.arrays.columns import WordTimes
from cep_core.monitoring.propositional.kernels.nearness import (
    BLOCK,
    WordBlock,
    earliest_witness,
    latest_witness,
    soon_after,
    soon_before,
)

_NONE = np.uint64(0)
_ONE = np.uint64(1)
_ALL = np.uint64(0xFFFFFFFFFFFFFFFF)
_LAST = np.uint64(63)


@njit(cache=True)
def since_within(left: Bits, right: Bits, first: Bits, times: WordTimes, high: int) -> Bits:
    """`left SINCE[0, high] right`. Shapes and borders as in `arrays.columns`."""
    held = np.empty_like(right)
    column = right, right.view(np.uint8)
    near = np.empty(BLOCK, np.uint64)
    block = WordBlock(near, near.view(np.uint8), np.empty(8 * BLOCK, np.uint32))
    carry = _NONE
    source = 0  # the last word in which `right` held somewhere
    for begin in range(0, right.shape[0], BLOCK):
        end = min(begin + BLOCK, right.shape[0])
        before = source
        compare = False
        for word in range(begin, end):
            own = right[word]
            along = left[word] & ~first[word]
            either = along | own
            holds = own | (along & ((either + own + carry) ^ either ^ own))
            far = (own == _NONE) & (times.begins[word] - times.ends[source] > high)
            holds = _NONE if far else holds
            compare |= (holds != own) & (times.ends[word] - times.begins[source if carry else word] > high)
            held[word] = holds
            carry = holds >> _LAST
            source = word if own != _NONE else source
        if compare:
            witness = latest_witness(right, before, times) if right[before] != _NONE else times.begins[begin]
            soon_after(column, (begin, end), times, witness, high, block)
            for word in range(begin, end):
                held[word] &= near[word - begin]
            carry = held[end - 1] >> _LAST
    return held


@njit(cache=True)
def until_within(left: Bits, right: Bits, last: Bits, times: WordTimes, high: int) -> Bits:
    """`left UNTIL[0, high] right`. Shapes and borders as in `arrays.columns`."""
    held = np.empty_like(right)
    through = np.empty_like(right)  # from which places `left` holds up to the end of the word
    _within_words(left, right, last, held, through)
    column = right, right.view(np.uint8)
    near = np.empty(BLOCK, np.uint64)
    block = WordBlock(near, near.view(np.uint8), np.empty(8 * BLOCK, np.uint32))
    carry = _NONE
    source = right.shape[0] - 1  # the nearest later word in which `right` holds somewhere
    for end in range(right.shape[0], 0, -BLOCK):
        begin = max(end - BLOCK, 0)
        after = source
        compare = False
        for word in range(end - 1, begin - 1, -1):
            own = right[word]
            holds = held[word] | (through[word] & (_NONE - carry))
            far = (own == _NONE) & (times.begins[source] - times.ends[word] > high)
            holds = _NONE if far else holds
            compare |= (holds != own) & (times.ends[source if carry else word] - times.begins[word] > high)
            held[word] = holds
            carry = holds & _ONE
            source = word if own != _NONE else source
        if compare:
            witness = earliest_witness(right, after, times) if right[after] != _NONE else times.ends[end - 1]
            soon_before(column, (begin, end), times, witness, high, block)
            for word in range(begin, end):
                held[word] &= near[word - begin]
            carry = held[begin] & _ONE
    return held


@inner
def _within_words(left: Bits, right: Bits, last: Bits, held: Bits, through: Bits) -> None:
    """UNTIL of each word alone. No word depends on another: the compiler takes several in an instruction."""
    for word in range(right.shape[0]):
        holds = right[word]
        along = left[word] & ~last[word]
        for shift in (1, 2, 4, 8, 16, 32):
            step = np.uint64(shift)
            holds |= along & (holds >> step)
            along &= (along >> step) | ~(_ALL >> step)
        held[word] = holds
        through[word] = along

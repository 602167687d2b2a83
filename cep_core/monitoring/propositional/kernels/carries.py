"""SINCE and UNTIL with an interval that begins at 0, on bit columns: carries over runs, 64 places at a time.

A place with `right` holds; a place with `left` holds if its neighbour does: within a word, the carries of an addition
for SINCE, six doubling steps for UNTIL, several words at a time. The nearest witness is then the next place with
`right`. If even the places of a word that are farthest apart are near enough, no place is compared with the interval;
else the 64 places of the word are, one after the other. Borders of sub-logs stop the carry.

Cost: about twenty operations a word where no place is compared, and five a place where all are: O(places), whatever the
interval, the rate of points and the number of sub-logs.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from cep_core.arrays import Bits, Ints
from cep_core.inner_kernels import inner

Times = tuple[Ints, Ints, Ints]
"""The times of all places, of the first place of each word, and of the last: words read the latter in order."""
_NONE = np.uint64(0)
_ONE = np.uint64(1)
_ALL = np.uint64(0xFFFFFFFFFFFFFFFF)
_LAST = np.uint64(63)


@njit(cache=True)
def since_within(left: Bits, right: Bits, first: Bits, times: Times, high: int) -> Bits:
    """`left SINCE[0, high] right`. Shapes and borders as in `arrays.columns`."""
    of_places, begins, ends = times
    held = np.empty_like(right)
    carry = _NONE
    source = 0  # the last word in which `right` held somewhere
    for word in range(right.shape[0]):
        own = right[word]
        if own == _NONE and carry == _NONE:
            held[word] = _NONE
            continue
        along = left[word] & ~first[word]
        either = along | own
        holds = own | (along & ((either + own + carry) ^ either ^ own))
        if holds != own and ends[word] - begins[source if carry else word] > high:
            place = 64 * word
            if carry:
                place = 64 * source + 63
                while right[source] >> np.uint64(place & 63) & _ONE == _NONE:
                    place -= 1
            holds &= _soon_after(own, of_places[64 * word : 64 * word + 64], of_places[place], high)
        held[word] = holds
        carry = holds >> _LAST
        if own != _NONE:
            source = word
    return held


@inner
def _soon_after(own: np.uint64, times: Ints, witness: int, high: int) -> np.uint64:
    """The places of a word that are near enough to the last witness. `witness`: the time of that before the word."""
    near = _NONE
    for place in range(64):
        time = times[place]
        witness = time if own >> np.uint64(place) & _ONE else witness
        near |= np.uint64(time - witness <= high) << np.uint64(place)
    return near


@njit(cache=True)
def until_within(left: Bits, right: Bits, last: Bits, times: Times, high: int) -> Bits:
    """`left UNTIL[0, high] right`. Shapes and borders as in `arrays.columns`."""
    of_places, begins, ends = times
    held = np.empty_like(right)
    through = np.empty_like(right)  # from which places `left` holds up to the end of the word
    _within_words(left, right, last, held, through)
    carry = _NONE
    source = right.shape[0] - 1  # the nearest later word in which `right` holds somewhere
    for word in range(right.shape[0] - 1, -1, -1):
        own = right[word]
        holds = held[word] | (through[word] & (_NONE - carry))
        if holds != own and ends[source if carry else word] - begins[word] > high:
            place = 64 * word + 63
            if carry:
                place = 64 * source
                while right[source] >> np.uint64(place & 63) & _ONE == _NONE:
                    place += 1
            holds &= _soon_before(own, of_places[64 * word : 64 * word + 64], of_places[place], high)
        held[word] = holds
        carry = holds & _ONE
        if own != _NONE:
            source = word
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


@inner
def _soon_before(own: np.uint64, times: Ints, witness: int, high: int) -> np.uint64:
    """The places of a word that are near enough to the next witness. `witness`: the time of that after the word."""
    near = _NONE
    for place in range(63, -1, -1):
        time = times[place]
        witness = time if own >> np.uint64(place) & _ONE else witness
        near |= np.uint64(witness - time <= high) << np.uint64(place)
    return near

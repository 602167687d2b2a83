"""Which places are near enough to their nearest witness, a few words at a time: before it, or after it.

The 8 places of an octet are compared one after the other, and many octets side by side: the compiler takes 8 or 16 of
them in an instruction. Before an octet, its *bound* is where the nearest witness outside of it stops being near. Times
are offsets from the first place of a word, of 32 bits. A block with a word too long for them is compared place by place
with the exact times.

Cost: a few operations a place, and 4 bytes read, whatever the interval and however many witnesses there are.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from cep_core.arrays import Bits, Ints
from cep_core.inner_kernels import borrowing
from cep_core.monitoring.propositional.arrays.columns import WIDEST, WordTimes

Bounds = npt.NDArray[np.uint32]
Octets = npt.NDArray[np.uint8]
BLOCK = 8
"""Words in a block."""
Column = tuple[Bits, Octets]
"""A bit column, by words and by octets."""
Words = tuple[int, int]
"""The first of some neighbours, and the first after them."""


class WordBlock(NamedTuple):
    """What is found of the words of a block."""

    near: Bits
    """[words] The places that are near enough."""
    octets: Octets
    """[8 words] The same memory by octets."""
    bounds: Bounds
    """[8 words] Where the nearest witness outside of each octet stops being near."""


_OCTETS = 8  # in a word
_EIGHT = np.uint64(8)
_NONE = np.uint64(0)
_ONE = np.uint64(1)
_BIT = np.uint32(1)
_BEYOND = WIDEST + 1  # no offset is as large
_TOP = np.array([0, *(bits.bit_length() - 1 for bits in range(1, 256))], np.uint8)  # the last place in an octet
_BOTTOM = np.array([0, *((bits & -bits).bit_length() - 1 for bits in range(1, 256))], np.uint8)  # and the first


@borrowing
def latest_witness(right: Bits, word: int, times: WordTimes) -> int:
    """The time of a word's last place with `right`."""
    place = 64 * word + 63
    while right[word] >> np.uint64(place & 63) & _ONE == _NONE:
        place -= 1
    return _time(times, place)


@borrowing
def earliest_witness(right: Bits, word: int, times: WordTimes) -> int:
    """The time of a word's first place with `right`."""
    place = 64 * word
    while right[word] >> np.uint64(place & 63) & _ONE == _NONE:
        place += 1
    return _time(times, place)


@borrowing
def _time(times: WordTimes, place: int) -> int:
    return times.exact[place] if times.exact.shape[0] else times.begins[place >> 6] + np.int64(times.offsets[place])


@borrowing
def soon_after(right: Column, words: Words, times: WordTimes, witness: int, high: int, block: WordBlock) -> None:
    """The places of the words from `begin` on, at most `high` after the last place with `right` up to them.

    `witness`: the time of the last before these words; where there is none, it does not matter. `bounds`: room for one
    bound an octet. `near`: [words at most `BLOCK`] the answer.
    """
    begin, end = words
    of_words, of_octets = right
    if _any_wide(times, begin, end):
        for word in range(begin, end):
            own = of_words[word]
            block.near[word - begin], witness = _exactly_after(
                own, times.exact[64 * word : 64 * word + 64], witness, high
            )
        return
    octets = of_octets[8 * begin : 8 * end]
    within = min(high + 1, _BEYOND)
    offsets = times.offsets[64 * begin : 64 * end]
    for word in range(begin, end):
        bound = high + 1 - (times.begins[word] - witness)
        for number in range(_OCTETS * (word - begin), _OCTETS * (word - begin + 1)):
            octet = np.uint64(number)
            block.bounds[octet] = max(0, min(bound, _BEYOND))
            own = octets[octet]
            latest = np.int64(offsets[octet * _EIGHT + _TOP[own]]) + within
            bound = latest if own else bound
        witness = times.begins[word] + bound - within if of_words[word] else witness
    _places_below(octets, block.bounds, offsets, within, block.octets)


@borrowing
def _places_below(octets: Octets, bounds: Bounds, offsets: Bounds, within: int, near: Octets) -> None:
    reach = np.uint32(within)
    for octet in range(octets.shape[0]):
        own = np.uint32(octets[octet])
        bound = bounds[octet]
        soon = np.uint32(0)
        for place in range(8):
            offset = offsets[8 * octet + place]
            bound = np.uint32(offset + reach) if own >> np.uint32(place) & _BIT else bound
            soon |= np.uint32(offset < bound) << np.uint32(place)
        near[octet] = np.uint8(soon)


@borrowing
def _exactly_after(own: np.uint64, times: Ints, witness: int, high: int) -> tuple[np.uint64, int]:
    """The same for a word whose places are compared one by one; and the time of the last witness up to its end."""
    near = _NONE
    for place in range(64):
        time = times[place]
        witness = time if own >> np.uint64(place) & _ONE else witness
        near |= np.uint64(time - witness <= high) << np.uint64(place)
    return near, witness


@borrowing
def soon_before(right: Column, words: Words, times: WordTimes, witness: int, high: int, block: WordBlock) -> None:
    """The places of the words from `begin` on, at most `high` before the next place with `right`; as `soon_after`."""
    begin, end = words
    of_words, of_octets = right
    if _any_wide(times, begin, end):
        for word in range(end - 1, begin - 1, -1):
            own = of_words[word]
            block.near[word - begin], witness = _exactly_before(
                own, times.exact[64 * word : 64 * word + 64], witness, high
            )
        return
    octets = of_octets[8 * begin : 8 * end]
    within = min(high, WIDEST)
    offsets = times.offsets[64 * begin : 64 * end]
    for word in range(end - 1, begin - 1, -1):
        bound = (witness - times.begins[word]) - high
        for number in range(_OCTETS * (word - begin + 1) - 1, _OCTETS * (word - begin) - 1, -1):
            octet = np.uint64(number)
            block.bounds[octet] = max(0, min(bound, _BEYOND))
            own = octets[octet]
            earliest = np.int64(offsets[octet * _EIGHT + _BOTTOM[own]]) - within
            bound = earliest if own else bound
        witness = times.begins[word] + bound + within if of_words[word] else witness
    _places_from(octets, block.bounds, offsets, within, block.octets)


@borrowing
def _places_from(octets: Octets, bounds: Bounds, offsets: Bounds, within: int, near: Octets) -> None:
    reach = np.uint32(within)
    for octet in range(octets.shape[0]):
        own = np.uint32(octets[octet])
        bound = bounds[octet]
        soon = np.uint32(0)
        for place in range(7, -1, -1):
            offset = offsets[8 * octet + place]
            bound = np.uint32(max(offset, reach) - reach) if own >> np.uint32(place) & _BIT else bound
            soon |= np.uint32(offset >= bound) << np.uint32(place)
        near[octet] = np.uint8(soon)


@borrowing
def _exactly_before(own: np.uint64, times: Ints, witness: int, high: int) -> tuple[np.uint64, int]:
    """The same for a word whose places are compared one by one; and the time of the first witness from its begin on."""
    near = _NONE
    for place in range(63, -1, -1):
        time = times[place]
        witness = time if own >> np.uint64(place) & _ONE else witness
        near |= np.uint64(witness - time <= high) << np.uint64(place)
    return near, witness


@borrowing
def _any_wide(times: WordTimes, begin: int, end: int) -> bool:
    """Whether a word is too long for offsets."""
    wide = False
    if times.exact.shape[0]:
        for word in range(begin, end):
            wide |= times.ends[word] - times.begins[word] > WIDEST
    return wide

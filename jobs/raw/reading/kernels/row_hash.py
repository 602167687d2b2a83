"""64 bits of a row: XXH64 of its bytes (Collet; the specification's version 0.1.1), with the seed that Spark uses.

So the hash of a line is what Spark's `xxhash64` gives for its text. Rows of Parquet have no bytes of their own: there
the columns' values are mixed, one column after the other.
Cost: a third of a nanosecond for each byte.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from cep_core.arrays import Bits
from cep_core.inner_kernels import inner
from jobs.raw.reading.kernels.row_places import Bytes, Places

_P1 = np.uint64(11400714785074694791)
_P2 = np.uint64(14029467366897019727)
_P3 = np.uint64(1609587929392839161)
_P4 = np.uint64(9650029242287828579)
_P5 = np.uint64(2870177450012600261)
_SEED = np.uint64(42)
_NULL = np.uint64(0x9E3779B97F4A7C15)


@inner(nogil=True)
def _turn(x: np.uint64, bits: int) -> np.uint64:
    return (x << np.uint64(bits)) | (x >> np.uint64(64 - bits))


@inner(nogil=True)
def _word(text: Bytes, i: int, size: int) -> np.uint64:
    """`size` bytes from place `i` as a number, the first one lowest."""
    word = np.uint64(0)
    for k in range(size):
        word |= np.uint64(text[i + k]) << np.uint64(8 * k)
    return word


@inner(nogil=True)
def _round(lane: np.uint64, word: np.uint64) -> np.uint64:
    return _turn(lane + word * _P2, 31) * _P1


@inner(nogil=True)
def _hash(text: Bytes, i: int, stop: int) -> np.uint64:
    length = stop - i
    if length >= 32:
        a, b, c, d = _SEED + _P1 + _P2, _SEED + _P2, _SEED, _SEED - _P1
        while i + 32 <= stop:
            a = _round(a, _word(text, i, 8))
            b = _round(b, _word(text, i + 8, 8))
            c = _round(c, _word(text, i + 16, 8))
            d = _round(d, _word(text, i + 24, 8))
            i += 32
        h = _turn(a, 1) + _turn(b, 7) + _turn(c, 12) + _turn(d, 18)
        for lane in (a, b, c, d):
            h = (h ^ _round(np.uint64(0), lane)) * _P1 + _P4
    else:
        h = _SEED + _P5
    h += np.uint64(length)
    while i + 8 <= stop:
        h = _turn(h ^ _round(np.uint64(0), _word(text, i, 8)), 27) * _P1 + _P4
        i += 8
    if i + 4 <= stop:
        h = _turn(h ^ (_word(text, i, 4) * _P1), 23) * _P2 + _P3
        i += 4
    while i < stop:
        h = _turn(h ^ (np.uint64(text[i]) * _P5), 11) * _P1
        i += 1
    h = (h ^ (h >> np.uint64(33))) * _P2
    h = (h ^ (h >> np.uint64(29))) * _P3
    return h ^ (h >> np.uint64(32))


@njit(cache=True, nogil=True)
def hash_rows(text: Bytes, begins: Places, ends: Places) -> Bits:
    """[rows] The hash of each row's bytes."""
    hashes = np.empty(len(begins), np.uint64)
    for row in range(len(begins)):
        hashes[row] = _hash(text, begins[row], ends[row])
    return hashes


def mixed(hashes: Bits, values: Bits, present: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> Bits:
    """The hashes of rows with a further column mixed in. `values` [rows]: 64 bits of each value."""
    mixture = hashes * _P1 + np.where(present, values * _P2, _NULL)
    mixture = (mixture ^ (mixture >> np.uint64(33))) * _P3
    return mixture ^ (mixture >> np.uint64(29))

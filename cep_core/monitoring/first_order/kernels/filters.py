"""Blocked Bloom filters: which keys a part of a log may have. A key that was entered is always found.

A key has three bits, all in one word, so that a test reads one word (Putze, Sanders and Singler, "Cache-, Hash- and
Space-Efficient Bloom Filters", WEA 2007). Of the keys that were not entered about 1 in 100 is found.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from cep_core.arrays import Bits, Flags, Ints
from cep_core.inner_kernels import inner
from cep_core.monitoring.first_order.kernels.hashing import hash_of_key

BITS_A_ROW = 16
_SIX = np.uint64(6)
_LOW = np.uint64(63)
_TWELVE = np.uint64(12)
_EIGHTEEN = np.uint64(18)
_ONE = np.uint64(1)


def filter_for(rows: int) -> Bits:
    """An empty filter for some rows: a power of two of bits, at least 64."""
    return np.zeros(max(1 << (rows * BITS_A_ROW).bit_length() >> 6, 1), np.uint64)


@inner
def _word_and_bits(key: int, size: int) -> tuple[np.int64, np.uint64]:
    """The word of a key in a filter of 2**size bits, and its bits there."""
    hashed = np.uint64(hash_of_key(key))
    bits = (_ONE << (hashed & _LOW)) | (_ONE << ((hashed >> _SIX) & _LOW)) | (_ONE << ((hashed >> _TWELVE) & _LOW))
    return np.int64((hashed >> _EIGHTEEN) & ((_ONE << np.uint64(size - 6)) - _ONE)), bits


@njit(cache=True)
def enter_range(filled: Bits, size: int, keys: Ints, first: int, last: int) -> None:
    """Enters the keys first..last-1 into a filter of 2**size bits."""
    for row in range(first, last):
        word, bits = _word_and_bits(keys[row], size)
        filled[word] |= bits


@njit(cache=True)
def enter_rows(filled: Bits, size: int, keys: Ints, rows: Ints) -> None:
    """Enters the keys of some rows."""
    for row in rows:
        word, bits = _word_and_bits(keys[row], size)
        filled[word] |= bits


@njit(cache=True)
def entered_in_range(filled: Bits, size: int, keys: Ints, first: int, last: int) -> Ints:
    """The rows first..last-1 whose keys may have been entered."""
    rows = np.empty(last - first, np.int64)
    count = np.int64(0)
    for row in range(first, last):
        word, bits = _word_and_bits(keys[row], size)
        rows[count] = row
        count += np.int64((filled[word] & bits) == bits)
    return rows[:count].copy()


@njit(cache=True)
def entered_of_rows(filled: Bits, size: int, keys: Ints, rows: Ints) -> Ints:
    """Those of some rows whose keys may have been entered."""
    kept = np.empty(rows.shape[0], np.int64)
    count = np.int64(0)
    for row in rows:
        word, bits = _word_and_bits(keys[row], size)
        kept[count] = row
        count += np.int64((filled[word] & bits) == bits)
    return kept[:count].copy()


@njit(cache=True)
def flag(flags: Flags, rows: Ints) -> None:
    """Sets the flags of some rows."""
    for row in rows:
        flags[row] = True


@njit(cache=True)
def keys_of(rows: Ints) -> Ints:
    """A key for each row of several columns: equal rows have equal keys, others hardly ever."""
    keys = np.empty(rows.shape[0], np.int64)
    for row in range(rows.shape[0]):
        key = np.uint64(0)
        for column in range(rows.shape[1]):
            key = (key ^ np.uint64(rows[row, column])) * np.uint64(0x9E3779B97F4A7C15)
            key ^= key >> np.uint64(29)
        keys[row] = np.int64(key)
    return keys

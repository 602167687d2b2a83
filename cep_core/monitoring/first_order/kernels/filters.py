"""Bloom filters with one bit a row: which keys a part of a log may have. A key that was entered is always found."""

from __future__ import annotations

import numpy as np
from numba import njit

from cep_core.arrays import Bits, Flags, Ints
from cep_core.monitoring.first_order.kernels.hashing import slot_of_key

BITS_A_ROW = 16
_SIX = np.uint64(6)
_LOW = np.uint64(63)
_ONE = np.uint64(1)


def filter_for(rows: int) -> Bits:
    """An empty filter for some rows: a power of two of bits, at least 64."""
    return np.zeros(max(1 << (rows * BITS_A_ROW).bit_length() >> 6, 1), np.uint64)


@njit(cache=True)
def enter_range(bits: Bits, size: int, keys: Ints, first: int, last: int) -> None:
    """Enters the keys first..last-1 into a filter of 2**size bits."""
    for row in range(first, last):
        place = np.uint64(slot_of_key(keys[row], size))
        bits[place >> _SIX] |= _ONE << (place & _LOW)


@njit(cache=True)
def enter_rows(bits: Bits, size: int, keys: Ints, rows: Ints) -> None:
    """Enters the keys of some rows."""
    for row in rows:
        place = np.uint64(slot_of_key(keys[row], size))
        bits[place >> _SIX] |= _ONE << (place & _LOW)


@njit(cache=True)
def found_in_range(bits: Bits, size: int, keys: Ints, first: int, last: int) -> Ints:
    """The rows first..last-1 whose keys may have been entered."""
    rows = np.empty(last - first, np.int64)
    count = np.int64(0)
    for row in range(first, last):
        place = np.uint64(slot_of_key(keys[row], size))
        rows[count] = row
        count += np.int64((bits[place >> _SIX] >> (place & _LOW)) & _ONE)
    return rows[:count].copy()


@njit(cache=True)
def found_of_rows(bits: Bits, size: int, keys: Ints, rows: Ints) -> Ints:
    """Those of some rows whose keys may have been entered."""
    kept = np.empty(rows.shape[0], np.int64)
    count = np.int64(0)
    for row in rows:
        place = np.uint64(slot_of_key(keys[row], size))
        kept[count] = row
        count += np.int64((bits[place >> _SIX] >> (place & _LOW)) & _ONE)
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

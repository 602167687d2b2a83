"""Hashes of rows of bits, and their comparison.

A table of slots has a power of two of them; a slot is the upper bits of the hash, and the next slots follow it. Rows
with equal hashes are told apart by their values, so a hash changes the cost and never the result.
"""

from __future__ import annotations

import numpy as np

from cep_core.arrays import Ints
from cep_core.inner_kernels import inner

_ODD = np.uint64(0x9E3779B97F4A7C15)
_MIX = np.uint64(0xFF51AFD7ED558CCD)
_HALF = np.uint64(32)
_WORD = np.uint64(64)

SMALLEST = 6
"""The logarithm of the size of the smallest table."""


@inner
def hash_of(rows: Ints, row: int) -> np.int64:
    """The hash of a row. Rows of one column have equal hashes only if they are equal: each step is one to one."""
    mixed = _ODD
    for column in range(rows.shape[1]):
        mixed = (mixed ^ np.uint64(rows[row, column])) * _MIX
        mixed ^= mixed >> _HALF
    return np.int64(mixed * _ODD)


@inner
def slot_of(rows: Ints, row: int, size: int) -> np.int64:
    """The first slot of a row in a table of 2**size slots."""
    return np.int64(np.uint64(hash_of(rows, row)) >> (_WORD - np.uint64(size)))


@inner
def hash_of_key(key: int) -> np.int64:
    """The hash of a number."""
    mixed = (_ODD ^ np.uint64(key)) * _MIX
    mixed ^= mixed >> _HALF
    return np.int64(mixed * _ODD)


@inner
def slot_of_pair(first: int, second: int, size: int) -> np.int64:
    """The first slot of two numbers in a table of 2**size slots."""
    mixed = (_ODD ^ np.uint64(first)) * _MIX
    mixed ^= mixed >> _HALF
    mixed = (mixed ^ np.uint64(second)) * _MIX
    mixed ^= mixed >> _HALF
    return np.int64((mixed * _ODD) >> (_WORD - np.uint64(size)))


@inner
def same(first: Ints, row: int, second: Ints, other_row: int) -> bool:
    """Whether two rows are equal."""
    for column in range(first.shape[1]):  # noqa: SIM110
        if first[row, column] != second[other_row, column]:
            return False
    return True


@inner
def size_for(entries: int) -> int:
    """The logarithm of the size of a table that `entries` fill by a quarter at most."""
    size = SMALLEST
    while (1 << size) < 4 * entries:
        size += 1
    return size


@inner
def longer(values: Ints) -> Ints:
    """A copy of an array with twice the room."""
    room = np.empty(2 * values.shape[0], values.dtype)
    for place in range(values.shape[0]):
        room[place] = values[place]
    return room


@inner
def longer_rows(rows: Ints, count: int, room: int) -> Ints:
    """A copy of the first rows, with room for more."""
    copy = np.empty((room, rows.shape[1]), np.int64)
    for row in range(count):  # an assignment of slices takes a second to compile
        for column in range(rows.shape[1]):
            copy[row, column] = rows[row, column]
    return copy

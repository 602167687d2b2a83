"""Grouping without comparisons: rows in a stable order of their dictionary codes, found by counting.

All functions are linear in the number of rows and of codes. Rows that are already in order are not sorted again.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numba import njit

from cep_core.arrays import Flags, Ints, read_only

_FEWEST_BITS, _MOST_BITS = 16, 22
"""Bits of a code that one pass counts, by the number of rows; more counters than these are far from the processor."""
SPARSE, FEW = 8, 1 << 12
"""Values are counted if there are at most SPARSE possible ones for each row, or FEW in all; else they are hashed."""


def stable_order(codes: Ints, size: int) -> Ints:
    """Row numbers in the order of their codes (0 <= code < size). Rows with equal codes keep their order.

    >>> stable_order(np.array([1, 0, 1, 0]), 2).tolist()
    [1, 3, 0, 2]
    """
    if size <= 1 or np.all(codes[1:] >= codes[:-1]):
        return np.arange(len(codes), dtype=np.int64)
    bits = min(max(len(codes).bit_length(), _FEWEST_BITS), _MOST_BITS)
    if size <= 1 << bits:
        return _counted_order(read_only(codes), size)
    low = _counted_order(read_only(codes & ((1 << bits) - 1)), 1 << bits)
    return low[stable_order(codes[low] >> bits, (size >> bits) + 1)]


@njit(cache=True)
def _counted_order(codes: Ints, size: int) -> Ints:
    """The stable order of codes below `size`: each is counted, then each row is put where its code's rows go on."""
    place = np.zeros(size + 1, np.int64)
    for code in codes:
        place[code + 1] += 1
    for code in range(size):
        place[code + 1] += place[code]
    order = np.empty(codes.shape[0], np.int64)
    for row in range(codes.shape[0]):
        order[place[codes[row]]] = row
        place[codes[row]] += 1
    return order


@njit(cache=True)
def first_codes(values: Ints, low: int, size: int) -> tuple[Ints, Ints]:
    """The values low..low + size - 1 numbered in order of first occurrence, and the first row of each.

    Smaller values are null: -1.

    >>> codes, rows = first_codes(read_only(np.array([7, 5, 4, 7])), 5, 3)
    >>> codes.tolist(), rows.tolist()
    ([0, 1, -1, 0], [0, 1])
    """
    number = np.full(size, -1, np.int64)
    codes = np.empty(values.shape[0], np.int64)
    rows = np.empty(min(size, values.shape[0]), np.int64)
    n = 0
    for row in range(values.shape[0]):
        value = values[row] - low
        if value < 0:
            codes[row] = -1
            continue
        if number[value] < 0:
            number[value] = n
            rows[n] = row
            n += 1
        codes[row] = number[value]
    return codes, rows[:n].copy()


@njit(cache=True)
def first_chosen(codes: Ints, chosen: Flags, size: int) -> Ints:
    """The codes of the chosen rows, each once, in order of first occurrence."""
    seen = np.zeros(size, np.bool_)
    first = np.empty(min(size, codes.shape[0]), np.int64)
    n = 0
    for row in range(codes.shape[0]):
        if chosen[row] and not seen[codes[row]]:
            seen[codes[row]] = True
            first[n] = codes[row]
            n += 1
            if n == size:
                break
    return first[:n].copy()


def room(rows: int) -> int:
    """How many possible values of so many rows are counted."""
    return max(FEW, SPARSE * rows)


def offsets_of(codes: Ints, size: int) -> Ints:
    """The `size + 1` places in the stable order at which each code's rows begin; the last is where all rows end."""
    offsets = np.zeros(size + 1, dtype=np.int64)
    np.cumsum(np.bincount(codes, minlength=size), out=offsets[1:])
    return offsets


def combined(columns: Sequence[Ints], sizes: Sequence[int]) -> tuple[Ints, int]:
    """One dense code for each row from several columns of codes, and the number of codes.

    >>> combined([np.array([0, 1, 0]), np.array([5, 5, 5])], [2, 6])[0].tolist()
    [0, 1, 0]
    """
    code, size = columns[0], sizes[0]
    for column, column_size in zip(columns[1:], sizes[1:], strict=True):
        code, size = dense(code * column_size + column, size * column_size)
    return code, size


def dense(codes: Ints, size: int) -> tuple[Ints, int]:
    """Codes below `size` renumbered from 0 in order of first occurrence, and the number of codes."""
    if size <= room(len(codes)):
        numbers, rows = first_codes(read_only(codes), 0, size)
        return numbers, len(rows)
    encoded = pc.dictionary_encode(pa.array(codes))
    indices: Ints = encoded.indices.to_numpy(zero_copy_only=False).astype(np.int64)
    return indices, len(encoded.dictionary)

"""Grouping without comparisons: rows in a stable order of their dictionary codes, found by counting.

All functions are linear in the number of rows, with one radix pass for each 16 bits of the largest code. Rows that are
already in order are not sorted again.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cep_core.arrays import Ints

_DIGIT = 1 << 16


def stable_order(codes: Ints, size: int) -> Ints:
    """Row numbers in the order of their codes (0 <= code < size). Rows with equal codes keep their order.

    >>> stable_order(np.array([1, 0, 1, 0]), 2).tolist()
    [1, 3, 0, 2]
    """
    if size <= 1 or np.all(codes[1:] >= codes[:-1]):
        return np.arange(len(codes), dtype=np.int64)
    # a stable sort of 16-bit keys is a radix sort in NumPy; wider codes take one pass for each 16 bits
    order = np.argsort((codes % _DIGIT).astype(np.uint16), kind="stable")
    above = _DIGIT
    while above < size:
        digit = ((codes[order] // above) % _DIGIT).astype(np.uint16)
        order = order[np.argsort(digit, kind="stable")]
        above *= _DIGIT
    return order.astype(np.int64, copy=False)


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
        code, size = dense(code * column_size + column)
    return code, size


def dense(codes: Ints) -> tuple[Ints, int]:
    """Codes renumbered from 0 in order of first occurrence, and the number of codes."""
    encoded = pc.dictionary_encode(pa.array(codes))
    indices: Ints = encoded.indices.to_numpy(zero_copy_only=False).astype(np.int64)
    return indices, len(encoded.dictionary)

"""Aggregates over every beginning of lists: best places, counts, and exact sums so far. Linear time.

List k has the elements offsets[k] to offsets[k + 1] - 1. `before`: each beginning is without its last element.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from numba import njit

from cep_core.arrays import NOTHING, Flags, Ints, read_only
from cep_core.numbers.codes import encode

EXACT = 2**53
"""Integers up to this are doubles without rounding."""
LARGEST = 2**63 - 1
HALF = 1 << 31
LOW_HALF = (1 << 32) - 1


def extreme_so_far(values: pa.Array, offsets: Ints, *, largest: bool, before: bool) -> pa.Array:
    """The smallest (or largest) non-null value so far; the first of equal values. NULL if there is none."""
    plain = values.cast(values.type.value_type) if pa.types.is_dictionary(values.type) else values
    places = _best_places(read_only(encode(plain, largest)[0]), read_only(offsets), before)
    return values.take(pa.array(places, mask=places < 0))


def end_so_far(values: pa.Array, offsets: Ints, *, last: bool, before: bool) -> pa.Array:
    """The value of the first (or last) element so far, even if it is NULL."""
    places = np.arange(len(values))
    places = _best_places(read_only(-places if last else places), read_only(offsets), before)
    return values.take(pa.array(places, mask=places < 0))


def known_so_far(values: pa.Array, offsets: Ints, *, before: bool) -> Ints:
    """The number of non-null values so far."""
    return _counts(read_only(values.is_valid().to_numpy(zero_copy_only=False)), read_only(offsets), before)


def largest_sum(numbers: Ints, offsets: Ints) -> int:
    """An upper bound for the magnitude of any sum over a list."""
    largest = max(int(numbers.max(initial=0)), -int(numbers.min(initial=0)))
    return largest * int(np.diff(offsets).max(initial=0))


@njit(cache=True)
def _best_places(keys: Ints, offsets: Ints, before: bool) -> Ints:
    """The place of the smallest key of each list so far, or -1."""
    best = np.empty_like(keys)
    for k in range(offsets.shape[0] - 1):
        place = -1
        for p in range(offsets[k], offsets[k + 1]):
            if before:
                best[p] = place
            if keys[p] != NOTHING and (place < 0 or keys[p] < keys[place]):
                place = p
            if not before:
                best[p] = place
    return best


@njit(cache=True)
def _counts(known: Flags, offsets: Ints, before: bool) -> Ints:
    counts = np.empty(known.shape[0], np.int64)
    for k in range(offsets.shape[0] - 1):
        count = 0
        for p in range(offsets[k], offsets[k + 1]):
            counts[p] = count if before else count + known[p]
            count += known[p]
    return counts


def wide_sums(numbers: Ints, offsets: Ints, before: bool) -> tuple[Ints, Ints]:
    """The sums of each list so far as high * 2**32 + low, 0 <= low < 2**32: exact for lists of up to 2**31 numbers."""
    return _wide_sums(read_only(numbers), read_only(offsets), before)


def sums(numbers: npt.NDArray[Any], offsets: Ints, before: bool) -> npt.NDArray[Any]:
    """The sums of each list so far. All of them must fit the type."""
    return _sums(read_only(numbers), read_only(offsets), before)


@njit(cache=True)
def _wide_sums(numbers: Ints, offsets: Ints, before: bool) -> tuple[Ints, Ints]:
    high, low = np.empty_like(numbers), np.empty_like(numbers)
    for k in range(offsets.shape[0] - 1):
        upper, lower = np.int64(0), np.int64(0)
        for p in range(offsets[k], offsets[k + 1]):
            if before:
                high[p], low[p] = upper, lower
            lower += numbers[p] & LOW_HALF
            upper += (numbers[p] >> 32) + (lower >> 32)
            lower &= LOW_HALF
            if not before:
                high[p], low[p] = upper, lower
    return high, low


@njit(cache=True)
def _sums(numbers: npt.NDArray[Any], offsets: Ints, before: bool) -> npt.NDArray[Any]:
    so_far = np.empty_like(numbers)
    for k in range(offsets.shape[0] - 1):
        total = numbers.dtype.type(0)
        for p in range(offsets[k], offsets[k + 1]):
            if before:
                so_far[p] = total
            total += numbers[p]
            if not before:
                so_far[p] = total
    return so_far

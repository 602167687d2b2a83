"""Rows dealt into parts by the hash of their values, so that what holds at one time in a part fits the core's cache.

Joins and normal forms meet equal values only, so parts can be done one after the other. There are as many parts as the
most rows that hold at one time need, whatever the log's length: a log on which little holds at a time is one part. This
is the radix join of Boncz, Manegold and Kersten (VLDB 1999), in which a part is a sweep over time. O(rows) steps.
"""

from __future__ import annotations

import numpy as np

from cep_core.arrays import Ints
from cep_core.inner_kernels import inner
from cep_core.monitoring.first_order.kernels.hashing import hash_of

HASH, BEGIN, END, ROW = 0, 1, 2, 3
"""The columns of entries: the hash of a row's values, its run, its number."""
LIVING = 1024
"""How many rows that hold at one time fit the cache, with their table."""
_MOST = 10
"""The logarithm of the most parts: more would be dealt into too many places at once."""
_TICKS = 1024
_BITS = np.uint64(64)


@inner
def dealt(rows: Ints, begin: Ints, end: Ints, first: Ints, together: int) -> tuple[Ints, Ints]:
    """`start[parts * sides + 1]`, `entries[rows, 4]`: the entries of side s in part p, in their own order.

    They begin at start[p * sides + s]. Side s has the rows first[s]..first[s + 1] - 1. `together`: how many rows of a
    part may hold at one time before there are more parts.
    """
    n, sides = begin.shape[0], first.shape[0] - 1
    bits = 0
    living = _most_living(begin, end)
    while bits < _MOST and living >> bits > together:
        bits += 1
    start = np.zeros((sides << bits) + 1, np.int64)
    for s in range(sides):
        for row in range(first[s], first[s + 1]):
            start[_part(hash_of(rows, row), bits) * sides + s + 1] += 1
    for part in range(1, start.shape[0]):
        start[part] += start[part - 1]
    place = start[:-1].copy()
    entries = np.empty((n, 4), np.int64)
    for s in range(sides):
        for row in range(first[s], first[s + 1]):
            hashed = hash_of(rows, row)
            part = _part(hashed, bits) * sides + s
            entry = place[part]
            place[part] += 1
            entries[entry, HASH] = hashed
            entries[entry, BEGIN] = begin[row]
            entries[entry, END] = end[row]
            entries[entry, ROW] = row
    return start, entries


@inner
def _part(hashed: int, bits: int) -> np.int64:
    """The upper bits of a hash; tables of values use the lower ones."""
    return np.int64(np.uint64(hashed) >> (_BITS - np.uint64(bits))) if bits else np.int64(0)


@inner
def _most_living(begin: Ints, end: Ints) -> np.int64:
    """At least the number of rows that hold at one time: of those that hold at some point of a tick."""
    last = np.int64(0)
    for point in end:
        last = max(last, point)
    shift = 0
    while last >> shift >= _TICKS:
        shift += 1
    change = np.zeros(_TICKS + 1, np.int64)
    for row in range(begin.shape[0]):
        if begin[row] < end[row]:
            change[begin[row] >> shift] += 1
            change[((end[row] - 1) >> shift) + 1] -= 1
    most, living = np.int64(0), np.int64(0)
    for tick in change:
        living += tick
        most = max(most, living)
    return most

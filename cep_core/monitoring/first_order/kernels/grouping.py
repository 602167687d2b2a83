"""The rows of one relation by value, and the group of each row of another relation; rows by their first point.

O(rows) steps: a hash table of the distinct values, then a counting sort.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from cep_core.arrays import Ints
from cep_core.inner_kernels import inner
from cep_core.monitoring.first_order.kernels.hashing import same, size_for, slot_of

DIGIT = 11
"""The bits of a digit of the radix sort."""


@njit(cache=True)
def numbered(rows: Ints, asked: Ints) -> tuple[Ints, int, Ints]:
    """The number of each row's values, how many values there are, and the number of each row asked for, or -1."""
    size = size_for(rows.shape[0])
    table = np.full(1 << size, -1, np.int64)
    number = np.empty(rows.shape[0], np.int64)
    sample = np.empty(rows.shape[0], np.int64)
    count = 0
    for row in range(rows.shape[0]):
        slot = slot_of(rows, row, size)
        while table[slot] >= 0 and not same(rows, row, rows, sample[table[slot]]):
            slot = (slot + 1) & (table.shape[0] - 1)
        if table[slot] < 0:
            table[slot] = count
            sample[count] = row
            count += 1
        number[row] = table[slot]
    number_of_asked = np.empty(asked.shape[0], np.int64)
    for row in range(asked.shape[0]):
        slot = slot_of(asked, row, size)
        while table[slot] >= 0 and not same(asked, row, rows, sample[table[slot]]):
            slot = (slot + 1) & (table.shape[0] - 1)
        number_of_asked[row] = table[slot]
    return number, count, number_of_asked


@njit(cache=True)
def grouped(known: Ints, asked: Ints) -> tuple[Ints, Ints, Ints]:
    """`first[groups + 1]`, `order[known]`, `group[asked]`: the groups of `known` and the group of each `asked`, or -1.

    Group g has the rows order[first[g]], ..., order[first[g + 1] - 1], in their own order.
    """
    number, groups, group = numbered(known, asked)
    first, order = _in_groups(number, groups)
    return first, order, group


@inner
def _in_groups(group: Ints, groups: int) -> tuple[Ints, Ints]:
    first = np.zeros(groups + 1, np.int64)
    for g in group:
        first[g + 1] += 1
    first = np.cumsum(first)
    place = first[:-1].copy()
    order = np.empty(group.shape[0], np.int64)
    for row in range(group.shape[0]):
        order[place[group[row]]] = row
        place[group[row]] += 1
    return first, order


@njit(cache=True)
def order_of(begin: Ints) -> Ints:
    """The rows by their first point, by a stable radix sort. Points are not negative."""
    n = begin.shape[0]
    order = np.arange(n)
    following = np.empty(n, np.int64)
    largest = np.int64(0)
    for point in begin:
        largest = max(largest, point)
    shift = 0
    while largest >> shift > 0:
        place = np.zeros((1 << DIGIT) + 1, np.int64)
        for point in begin:
            place[((point >> shift) & ((1 << DIGIT) - 1)) + 1] += 1
        place = np.cumsum(place)
        for row in order:
            digit = (begin[row] >> shift) & ((1 << DIGIT) - 1)
            following[place[digit]] = row
            place[digit] += 1
        order, following = following, order
        shift += DIGIT
    return order

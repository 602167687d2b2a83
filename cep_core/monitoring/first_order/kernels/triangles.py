"""Rows of three relations, each of which shares values with both others: worst-case optimal, as a sweep over time.

A row that arrives looks up the living rows of the next side that share values with it, and those of the previous side,
and visits the shorter list; the third row is found by its values on both of its sides. So nothing but results is kept,
and if no pair of values has more than one run, sums of the shorter of two lists are at most N**1.5 (Cauchy-Schwarz;
Ngo, Porat, Re and Rudra, PODS 2012). Rows leave their lists when they end, so that lists hold living rows only.

`code[row]`: a number for the values that a row shares with the next side, and one for those with the previous side.
Sides are 0, 1, 2; the next side of 2 is 0.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from cep_core.arrays import Ints
from cep_core.inner_kernels import inner
from cep_core.monitoring.first_order.kernels.grouping import order_of
from cep_core.monitoring.first_order.kernels.hashing import size_for, slot_of_pair


@njit(cache=True)
def triangles(code: Ints, codes: int, begin: Ints, end: Ints, first: Ints) -> Ints:
    """[3, results] The rows of each result. Side s has the rows first[s]..first[s + 1] - 1, ordered by begin."""
    n = begin.shape[0]
    side_of = np.empty(n, np.int64)
    for side in range(3):
        side_of[first[side] : first[side + 1]] = side
    lists = np.full((3, 2, codes), -1, np.int64)  # the living rows of a side by code with the next and previous side
    lengths = np.zeros((3, 2, codes), np.int64)
    after = np.empty((2, n), np.int64)
    before = np.empty((2, n), np.int64)
    size = size_for(n)
    corner, corners = _corners(code, side_of, size)
    of_corner = np.full(corners.shape[0], -1, np.int64)
    same_corner = np.empty(n, np.int64)
    results = np.empty((3, 64), np.int64)
    count = 0
    leaving = order_of(end)
    left = 0
    for row in order_of(begin):
        now = begin[row]
        while end[leaving[left]] <= now:
            _leave(leaving[left], side_of[leaving[left]], code, lists, lengths, after, before)
            left += 1
        side = side_of[row]
        following, previous = (side + 1) % 3, (side + 2) % 3
        by_following = lengths[following, 1, code[row, 0]] <= lengths[previous, 0, code[row, 1]]
        second = lists[following, 1, code[row, 0]] if by_following else lists[previous, 0, code[row, 1]]
        third_side = previous if by_following else following
        while second >= 0:
            if by_following:
                place = _corner(code, side_of, corners, previous, code[row, 1], code[second, 0], size)
                link = after[1, second]
            else:
                place = _corner(code, side_of, corners, following, code[second, 1], code[row, 0], size)
                link = after[0, second]
            third = of_corner[place]
            last = np.int64(-1)
            while third >= 0:
                if end[third] > now:
                    if count == results.shape[1]:
                        wider = np.empty((3, 2 * count), np.int64)
                        wider[:, :count] = results
                        results = wider
                    results[side, count] = row
                    results[third_side, count] = third
                    results[3 - side - third_side, count] = second
                    count += 1
                    last = third
                elif last >= 0:
                    same_corner[last] = same_corner[third]
                else:
                    of_corner[place] = same_corner[third]
                third = same_corner[third]
            second = link
        _enter(row, side, code, lists, lengths, after, before)
        same_corner[row] = of_corner[corner[row]]
        of_corner[corner[row]] = row
    return results[:, :count].copy()


@inner
def _enter(row: int, side: int, code: Ints, lists: Ints, lengths: Ints, after: Ints, before: Ints) -> None:
    for which in range(2):
        head = lists[side, which, code[row, which]]
        after[which, row] = head
        before[which, row] = -1
        if head >= 0:
            before[which, head] = row
        lists[side, which, code[row, which]] = row
        lengths[side, which, code[row, which]] += 1


@inner
def _leave(row: int, side: int, code: Ints, lists: Ints, lengths: Ints, after: Ints, before: Ints) -> None:
    for which in range(2):
        if before[which, row] >= 0:
            after[which, before[which, row]] = after[which, row]
        else:
            lists[side, which, code[row, which]] = after[which, row]
        if after[which, row] >= 0:
            before[which, after[which, row]] = before[which, row]
        lengths[side, which, code[row, which]] -= 1


@inner
def _corners(code: Ints, side_of: Ints, size: int) -> tuple[Ints, Ints]:
    """The slot of each row's side and codes in a hash table, and the table: a row of each slot, or -1."""
    table = np.full(1 << size, -1, np.int64)
    slots = np.empty(code.shape[0], np.int64)
    for row in range(code.shape[0]):
        slots[row] = _corner(code, side_of, table, side_of[row], code[row, 0], code[row, 1], size)
        table[slots[row]] = row
    return slots, table


@inner
def _corner(code: Ints, side_of: Ints, table: Ints, side: int, first: int, second: int, size: int) -> int:
    """The slot of a side and two codes, or the empty slot where they belong."""
    slot = slot_of_pair(first, second, size)
    while table[slot] >= 0:
        row = table[slot]
        if side_of[row] == side and code[row, 0] == first and code[row, 1] == second:
            break
        slot = (slot + 1) & (table.shape[0] - 1)
    return slot

"""The least, greatest or middle value of the rows that hold in each step of a sweep: a Fenwick tree for each group.

Each row has a place among the sorted values of its group; a tree counts the places whose rows hold. Entering, leaving
and finding the k-th are O(log rows of the group).
"""

from __future__ import annotations

import numpy as np
from numba import njit

from cep_core.arrays import Ints
from cep_core.inner_kernels import inner

LEAST, GREATEST, MIDDLE = 0, 1, 2


@njit(cache=True)
def ranked_places(
    order: Ints, last: Ints, group: Ints, count: Ints, place_of: Ints, first: Ints, places: int
) -> tuple[Ints, Ints]:
    """The places of the values asked for in each step; of an even number of values, both middle ones.

    `place_of`: each row's place among all rows by (group, value). `first[groups + 1]`: where each group's places begin.
    A step in which nothing holds has place 0.
    """
    rows = place_of.shape[0]
    lower = np.zeros(last.shape[0], np.int64)
    upper = np.zeros(last.shape[0], np.int64)
    tree = np.zeros(rows, np.int64)
    at = 0
    for step in range(last.shape[0]):
        start = first[group[step]]
        size = first[group[step] + 1] - start
        while at <= last[step]:
            row = order[at]
            if row < rows:
                _enter(tree, start, size, place_of[row] - start, 1)
            else:
                _enter(tree, start, size, place_of[row - rows] - start, -1)
            at += 1
        held = count[step]
        if held == 0:
            continue
        if places == MIDDLE:
            lower[step] = start + _kth(tree, start, size, (held - 1) >> 1)
            upper[step] = lower[step] if held & 1 else start + _kth(tree, start, size, held >> 1)
        else:
            lower[step] = start + _kth(tree, start, size, 0 if places == LEAST else held - 1)
            upper[step] = lower[step]
    return lower, upper


@inner
def _enter(tree: Ints, start: int, size: int, place: int, number: int) -> None:
    """Count a place of a group `number` times more."""
    cell = place + 1
    while cell <= size:
        tree[start + cell - 1] += number
        cell += cell & -cell


@inner
def _kth(tree: Ints, start: int, size: int, k: int) -> int:
    """The k-th counted place, from 0."""
    step = 1
    while 2 * step <= size:
        step *= 2
    cell = 0
    while step:
        if cell + step <= size and tree[start + cell + step - 1] <= k:
            cell += step
            k -= tree[start + cell - 1]
        step >>= 1
    return cell

"""Pairs of rows with equal values whose runs overlap: a hash join that sweeps over time.

Both sides come ordered by their first point. Each row meets the rows of the other side that began before it, have its
values and have not ended. Rows that have ended are taken off their chain when they are met, and a full table is made
anew without the values that no longer hold. So a step is a row, a pair, or the last time that a row is looked at:
O(rows + pairs) steps, a table of O(values that hold at one time) slots, and pairs ordered by their first point.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from cep_core.arrays import Ints
from cep_core.monitoring.first_order.kernels.hashing import SMALLEST, longer, same, size_for, slot_of


@njit(cache=True)
def overlapping_pairs(rows: Ints, begin: Ints, end: Ints, lefts: int) -> tuple[Ints, Ints]:
    """The pairs (left row, right row); the first `lefts` rows are the left side, and right rows count from 0."""
    n = begin.shape[0]
    left = np.empty(64, np.int64)
    right = np.empty(64, np.int64)
    pairs = 0
    following = np.empty(n, np.int64)
    size = SMALLEST
    heads = np.full((1 << size, 2), -1, np.int64)
    last = np.empty(1 << size, np.int64)
    used = 0
    next_of = (np.int64(0), np.int64(lefts))
    i, j = next_of
    ends = np.zeros(2, np.int64)
    while i < lefts or j < n:
        side = 0 if j >= n or (i < lefts and begin[i] <= begin[j]) else 1
        row = i if side == 0 else j
        i += side == 0
        j += side == 1
        now = begin[row]
        if (side == 0 and j >= n and ends[1] <= now) or (side == 1 and i >= lefts and ends[0] <= now):
            break
        if 2 * used >= heads.shape[0]:
            size, heads, last, used = _of_live(rows, heads, last, now)
        slot = _slot(rows, row, heads, size)
        if heads[slot, 0] < 0 and heads[slot, 1] < 0:
            used += 1
            last[slot] = end[row]
        met = heads[slot, 1 - side]
        before = np.int64(-1)
        while met >= 0:
            after = following[met]
            if end[met] > now:
                if pairs == left.shape[0]:
                    left = longer(left)
                    right = longer(right)
                left[pairs] = row if side == 0 else met
                right[pairs] = (met if side == 0 else row) - lefts
                pairs += 1
                before = met
            elif before >= 0:
                following[before] = after
            elif after >= 0 or heads[slot, side] >= 0:
                heads[slot, 1 - side] = after
            met = after
        following[row] = heads[slot, side]
        heads[slot, side] = row
        last[slot] = max(last[slot], end[row])
        ends[side] = max(ends[side], end[row])
    return left[:pairs].copy(), right[:pairs].copy()


@njit(cache=True)
def _slot(rows: Ints, row: int, heads: Ints, size: int) -> int:
    """The slot of a row's values, or the empty slot where they belong."""
    slot = slot_of(rows, row, size)
    while True:
        met = max(heads[slot, 0], heads[slot, 1])
        if met < 0 or same(rows, row, rows, met):
            return slot
        slot = (slot + 1) & (heads.shape[0] - 1)


@njit(cache=True)
def _of_live(rows: Ints, heads: Ints, last: Ints, now: int) -> tuple[int, Ints, Ints, int]:
    """A table of the values that still hold: size, heads of chains, last ends, slots in use."""
    live = 0
    for slot in range(heads.shape[0]):
        live += max(heads[slot, 0], heads[slot, 1]) >= 0 and last[slot] > now
    size = size_for(live + 1)
    new_heads = np.full((1 << size, 2), -1, np.int64)
    new_last = np.empty(1 << size, np.int64)
    for slot in range(heads.shape[0]):
        met = max(heads[slot, 0], heads[slot, 1])
        if met >= 0 and last[slot] > now:
            place = slot_of(rows, met, size)
            while max(new_heads[place, 0], new_heads[place, 1]) >= 0:
                place = (place + 1) & (new_heads.shape[0] - 1)
            new_heads[place] = heads[slot]
            new_last[place] = last[slot]
    return size, new_heads, new_last, live

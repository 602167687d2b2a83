"""Rows of several relations with equal values whose runs overlap: a hash join that sweeps over time.

Each side comes ordered by its first point. A row meets the rows of the other sides that began earlier, have its values
and have not ended; it gives all combinations of them, if no side has none. Rows that have ended are taken off their
chain when they are met, and a full table is made anew without the values that no longer hold. So a step is a row, a row
of the result, or the last time that a row is looked at: O(rows in + rows out) steps, a table of O(values that hold at
one time) slots, and a result ordered by its first point. This is the sweep of Hu, Sintos, Gao, Agarwal and Yang
(SIGMOD 2022, "Computing Complex Temporal Join Queries Efficiently") for joins in which all sides share one key.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from cep_core.arrays import Ints
from cep_core.monitoring.first_order.kernels.hashing import SMALLEST, longer, same, size_for, slot_of


@njit(cache=True)
def overlapping_rows(rows: Ints, begin: Ints, end: Ints, first: Ints) -> Ints:
    """[sides, results] The rows of each result. Side s has the rows first[s]..first[s + 1] - 1."""
    sides = first.shape[0] - 1
    results = np.empty((sides, 64), np.int64)
    count = 0
    following = np.empty(begin.shape[0], np.int64)
    size = SMALLEST
    sample = np.full(1 << size, -1, np.int64)
    heads = np.full((1 << size, sides), -1, np.int64)
    last = np.empty(1 << size, np.int64)
    used = 0
    at = first[:-1].copy()
    ends = np.zeros(sides, np.int64)
    living = np.empty(64, np.int64)
    bound = np.zeros(sides + 1, np.int64)
    while True:
        side = _next_side(begin, at, first, ends)
        if side < 0:
            return results[:, :count].copy()
        row = at[side]
        at[side] += 1
        now = begin[row]
        if 2 * used >= sample.shape[0]:
            size, sample, heads, last, used = _of_live(rows, sample, heads, last, now)
        slot = slot_of(rows, row, size)
        while sample[slot] >= 0 and not same(rows, row, rows, sample[slot]):
            slot = (slot + 1) & (sample.shape[0] - 1)
        if sample[slot] < 0:
            used += 1
            sample[slot] = row
            last[slot] = end[row]
        elif _all_live(heads[slot], side, following, end, now):
            living = _living(heads[slot], side, row, following, end, now, living, bound)
            results, count = _combined(results, count, living, bound)
        following[row] = heads[slot, side]
        heads[slot, side] = row
        last[slot] = max(last[slot], end[row])
        ends[side] = max(ends[side], end[row])


@njit(cache=True)
def _next_side(begin: Ints, at: Ints, first: Ints, ends: Ints) -> int:
    """The side whose next row begins first; -1 if no row that comes can meet rows of all sides."""
    side = -1
    for s in range(at.shape[0]):
        if at[s] < first[s + 1] and (side < 0 or begin[at[s]] < begin[at[side]]):
            side = s
    for s in range(at.shape[0]):
        if side < 0 or (s != side and at[s] == first[s + 1] and ends[s] <= begin[at[side]]):
            return -1
    return side


@njit(cache=True)
def _all_live(heads: Ints, side: int, following: Ints, end: Ints, now: int) -> bool:
    """Whether each other side has a row that holds now. Takes off rows that have ended at the heads of chains."""
    for s in range(heads.shape[0]):
        if s != side:
            while heads[s] >= 0 and end[heads[s]] <= now:
                heads[s] = following[heads[s]]
            if heads[s] < 0:
                return False
    return True


@njit(cache=True)
def _living(heads: Ints, side: int, row: int, following: Ints, end: Ints, now: int, living: Ints, bound: Ints) -> Ints:
    """The rows of each side that hold now, side s from bound[s] on; of `side` itself the given row."""
    for s in range(heads.shape[0]):
        place = bound[s]
        met = np.int64(row) if s == side else heads[s]
        before = np.int64(-1)
        while met >= 0:
            after = np.int64(-1) if s == side else following[met]
            if end[met] > now:
                if place == living.shape[0]:
                    living = longer(living)
                living[place] = met
                place += 1
                before = met
            else:
                following[before] = after
            met = after
        bound[s + 1] = place
    return living


@njit(cache=True)
def _combined(results: Ints, count: int, living: Ints, bound: Ints) -> tuple[Ints, int]:
    """Adds all combinations of one living row of each side."""
    sides = results.shape[0]
    number = 1
    for s in range(sides):
        number *= bound[s + 1] - bound[s]
    room = results.shape[1]
    while room < count + number:
        room *= 2
    if room > results.shape[1]:
        wider = np.empty((sides, room), np.int64)
        wider[:, :count] = results[:, :count]
        results = wider
    each = 1
    for s in range(sides):
        length = bound[s + 1] - bound[s]
        for k in range(number):
            results[s, count + k] = living[bound[s] + (k // each) % length]
        each *= length
    return results, count + number


@njit(cache=True)
def _of_live(rows: Ints, sample: Ints, heads: Ints, last: Ints, now: int) -> tuple[int, Ints, Ints, Ints, int]:
    """A table of the values that still hold: size, a row of each value, heads of chains, last ends, slots in use."""
    live = 0
    for slot in range(sample.shape[0]):
        live += sample[slot] >= 0 and last[slot] > now
    size = size_for(live + 1)
    new_sample = np.full(1 << size, -1, np.int64)
    new_heads = np.full((1 << size, heads.shape[1]), -1, np.int64)
    new_last = np.empty(1 << size, np.int64)
    for slot in range(sample.shape[0]):
        if sample[slot] >= 0 and last[slot] > now:
            place = slot_of(rows, sample[slot], size)
            while new_sample[place] >= 0:
                place = (place + 1) & (new_sample.shape[0] - 1)
            new_sample[place] = sample[slot]
            new_heads[place] = heads[slot]
            new_last[place] = last[slot]
    return size, new_sample, new_heads, new_last, live

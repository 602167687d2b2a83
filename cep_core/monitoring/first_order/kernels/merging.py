"""Runs in normal form: overlapping and touching runs of one valuation become one, in one pass and without a sort.

Rows come ordered by their first point. A table keeps the latest run of each valuation. A full table is made anew with
the runs that a later row could still continue, so that its size follows what holds at one time, not what the log
contains: O(rows) steps, and a table of O(runs that overlap) slots.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from cep_core.arrays import Ints
from cep_core.monitoring.first_order.kernels.hashing import SMALLEST, same, size_for, slot_of


@njit(cache=True)
def merged_runs(rows: Ints, begin: Ints, end: Ints) -> tuple[Ints, Ints, Ints]:
    """For each maximal run: a row with its valuation, begin, end. Ordered by begin. Empty runs are left out."""
    n = begin.shape[0]
    source = np.empty(n, np.int64)
    begins = np.empty(n, np.int64)
    ends = np.empty(n, np.int64)
    size = SMALLEST
    table = np.full(1 << size, -1, np.int64)
    used = 0
    m = 0
    for i in range(n):
        if end[i] <= begin[i]:
            continue
        if 2 * used >= table.shape[0]:
            size, table, used = _of_live(rows, source, ends, table, begin[i])
        slot = slot_of(rows, i, size)
        while table[slot] >= 0 and not same(rows, i, rows, source[table[slot]]):
            slot = (slot + 1) & (table.shape[0] - 1)
        run = table[slot]
        if run >= 0 and begin[i] <= ends[run]:
            ends[run] = max(ends[run], end[i])
            continue
        used += run < 0
        table[slot] = m
        source[m] = i
        begins[m] = begin[i]
        ends[m] = end[i]
        m += 1
    return source[:m].copy(), begins[:m].copy(), ends[:m].copy()


@njit(cache=True)
def _of_live(rows: Ints, source: Ints, ends: Ints, table: Ints, now: int) -> tuple[int, Ints, int]:
    """A table of the runs that a row which begins `now` may continue: size, slots, slots in use."""
    live = 0
    for run in table:
        live += run >= 0 and ends[run] >= now
    size = size_for(live + 1)
    slots = np.full(1 << size, -1, np.int64)
    for run in table:
        if run >= 0 and ends[run] >= now:
            slot = slot_of(rows, source[run], size)
            while slots[slot] >= 0:
                slot = (slot + 1) & (slots.shape[0] - 1)
            slots[slot] = run
    return size, slots, live

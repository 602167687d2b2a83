"""Runs in normal form: overlapping and touching runs of one valuation become one, in one pass and without a sort.

Rows come ordered by their first point, and are dealt into parts by their values (`kernels/partitions.py`). A table of
each part keeps the latest run of each valuation that a later row could still continue (`kernels/living.py`). O(rows)
steps, and tables of O(runs that hold at one time) slots.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from cep_core.arrays import Ints
from cep_core.monitoring.first_order.kernels.living import LivingValues, no_values, slot_for, with_room
from cep_core.monitoring.first_order.kernels.partitions import BEGIN, END, HASH, ROW, dealt


@njit(cache=True)
def merged_runs(rows: Ints, begin: Ints, end: Ints, together: int) -> tuple[Ints, Ints, Ints]:
    """For each maximal run: a row with its valuation, begin, end. Ordered by begin. Empty runs are left out.

    `together`: as in `dealt`.
    """
    start, entries = dealt(rows, begin, end, np.array([0, begin.shape[0]]), together)
    ends = np.zeros(begin.shape[0], np.int64)  # of the run that begins with an entry; 0 if none does
    values = no_values(0)
    for part in range(start.shape[0] - 1):
        values.slots[:] = -1
        used = 0
        entry, last = start[part], start[part + 1]
        while True:
            entry, used = _merged(rows, entries, entry, last, values, used, ends)
            if entry == last:
                break
            values, used = with_room(values, used, entries[entry, BEGIN])
    return _in_order(entries, ends)


@njit(cache=True)
def _merged(
    rows: Ints, entries: Ints, entry: int, last: int, values: LivingValues, used: int, ends: Ints
) -> tuple[int, int]:
    """Merges entries up to the last or until the table is full: the next entry, and how many values there are then."""
    while entry < last:
        now, until = entries[entry, BEGIN], entries[entry, END]
        if until > now:
            if used == values.hashes.shape[0]:
                break
            slot = slot_for(values, rows, entries, entry)
            value = values.slots[slot]
            if value < 0:
                value = used
                used += 1
                values.slots[slot] = value
                values.hashes[value] = entries[entry, HASH]
                values.entry[value] = entry
                values.last[value] = until
            elif now > values.last[value]:
                values.entry[value] = entry
                values.last[value] = until
            else:
                values.last[value] = max(values.last[value], until)
            ends[values.entry[value]] = values.last[value]
        entry += 1
    return entry, used


@njit(cache=True)
def _in_order(entries: Ints, ends: Ints) -> tuple[Ints, Ints, Ints]:
    """The runs in the order of their first rows."""
    n = ends.shape[0]
    run_from = np.zeros((n, 2), np.int64)
    runs = 0
    for entry in range(n):
        row = entries[entry, ROW]
        run_from[row, 0] = entries[entry, BEGIN]
        run_from[row, 1] = ends[entry]
        runs += ends[entry] > 0
    source = np.empty(runs, np.int64)
    begins = np.empty(runs, np.int64)
    finishes = np.empty(runs, np.int64)
    run = 0
    for row in range(n):
        if run_from[row, 1] > 0:
            source[run] = row
            begins[run] = run_from[row, 0]
            finishes[run] = run_from[row, 1]
            run += 1
    return source, begins, finishes

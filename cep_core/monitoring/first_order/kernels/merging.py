"""Runs in normal form: overlapping and touching runs of one valuation become one, in one pass and without a sort.

Rows come ordered by their first point, and are dealt into parts by their values (`kernels/partitions.py`). A table of
each part keeps the latest run of each valuation that a later row could still continue (`kernels/living.py`). O(rows)
steps, and tables of O(runs that hold at one time) slots.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from cep_core.arrays import Ints
from cep_core.inner_kernels import inner
from cep_core.monitoring.first_order.kernels.living import LivingValues, no_values, slot_for, with_room
from cep_core.monitoring.first_order.kernels.partitions import BEGIN, END, HASH, ROW, dealt


@njit(cache=True)
def run_ends(rows: Ints, begin: Ints, end: Ints, together: int) -> Ints:
    """For each row the end of the maximal run that begins with it, or 0 if none does. `together`: as in `dealt`."""
    start, entries = dealt(rows, begin, end, np.array([0, begin.shape[0]]), together)
    values = no_values(0)
    for part in range(start.shape[0] - 1):
        values.slots[:] = -1
        used = 0
        entry, last = start[part], start[part + 1]
        while True:
            entry, used = _merged(rows, entries, entry, last, values, used)
            if entry == last:
                break
            values, used = with_room(values, used, entries[entry, BEGIN])
    ends = np.empty(begin.shape[0], np.int64)
    for entry in range(begin.shape[0]):
        ends[entries[entry, ROW]] = entries[entry, END]
    return ends


@inner
def _merged(rows: Ints, entries: Ints, entry: int, last: int, values: LivingValues, used: int) -> tuple[int, int]:
    """Merges entries up to the last or until the table is full: the next entry, and how many values there are then.

    The end of an entry becomes that of the run that begins with it, 0 if none does.
    """
    while entry < last:
        now, until = entries[entry, BEGIN], entries[entry, END]
        if until > now:
            if used == values.hashes.shape[0]:
                break
            slot = slot_for(values, rows, entries, entry)
            value = values.slots[slot]
            entries[entry, END] = 0
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
            entries[values.entry[value], END] = values.last[value]
        else:
            entries[entry, END] = 0
        entry += 1
    return entry, used

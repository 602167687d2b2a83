"""What is left of runs when other runs of the same values are taken away.

The other runs are disjoint within their group and ordered by begin, and rows come ordered by begin, so that each group
is passed once. Between two runs of a group lies a point, so each run that meets a row adds a piece: O(rows in + out).
"""

from __future__ import annotations

import numpy as np
from numba import njit

from cep_core.arrays import Ints
from cep_core.monitoring.first_order.kernels.hashing import longer


@njit(cache=True)
def pieces_left(
    begin: Ints, end: Ints, group: Ints, first: Ints, taken_begin: Ints, taken_end: Ints
) -> tuple[Ints, Ints, Ints]:
    """The pieces of each row: its number, begin, end. `group[row]` is -1 if nothing is taken from the row."""
    n = begin.shape[0]
    row_of = np.empty(n + 1, np.int64)
    begins = np.empty(n + 1, np.int64)
    ends = np.empty(n + 1, np.int64)
    pieces = 0
    place = first.copy()
    for row in range(n):
        now = begin[row]
        if group[row] >= 0:
            beyond = first[group[row] + 1]
            run = place[group[row]]
            while run < beyond and taken_end[run] <= now:
                run += 1
            place[group[row]] = run
            while run < beyond and taken_begin[run] < end[row]:
                if taken_begin[run] > now:
                    if pieces + 1 >= row_of.shape[0]:
                        row_of, begins, ends = longer(row_of), longer(begins), longer(ends)
                    row_of[pieces], begins[pieces], ends[pieces] = row, now, taken_begin[run]
                    pieces += 1
                now = taken_end[run]
                run += 1
        if now < end[row]:
            if pieces + 1 >= row_of.shape[0]:
                row_of, begins, ends = longer(row_of), longer(begins), longer(ends)
            row_of[pieces], begins[pieces], ends[pieces] = row, now, end[row]
            pieces += 1
    return row_of[:pieces].copy(), begins[:pieces].copy(), ends[:pieces].copy()

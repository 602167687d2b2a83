"""SINCE: how far runs of the right side carry, as long as the left side holds (or, negated, does not hold).

The left side's runs come in groups of equal values, ordered by begin within a group; each row of the right side knows
its group, or -1 if the left side never has its values. Two cases:

* The interval begins at 0. A run of the right side satisfies the formula itself, and beyond its end as far as the run
  of the left side around that end and the interval allow: one look-up a row.
* Otherwise an anchor, a point of the right side, must be followed by the left side up to the satisfied point. Anchors
  within a maximal run of the left side, or just before it, meet satisfied points of this same run: its guard. Guards
  too short for the interval are dropped first, so that all guards within a row but the outer two give a row.

O(rows in + rows out) look-ups, each a binary search within a group.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from cep_core.arrays import Ints
from cep_core.inner_kernels import inner
from cep_core.monitoring.first_order.kernels.hashing import longer


@inner
def _first_ending_after(ends: Ints, low: int, high: int, point: int) -> int:
    """The first of the runs low..high-1 that ends after a point; `high` if none does."""
    while low < high:
        middle = (low + high) // 2
        if ends[middle] > point:
            high = middle
        else:
            low = middle + 1
    return low


@njit(cache=True)
def carried_ends(
    end: Ints, group: Ints, first: Ints, left_begin: Ints, left_end: Ints, latest: Ints, negated: bool
) -> Ints:
    """The ends of the right side's runs, carried on; for intervals that begin at 0."""
    points = latest.shape[0] - 1
    carried = end.copy()
    for row in range(end.shape[0]):
        point = end[row]
        if point >= points:
            continue
        held = points if negated else point
        if group[row] >= 0:
            beyond = first[group[row] + 1]
            run = _first_ending_after(left_end, first[group[row]], beyond, point)
            if run < beyond and negated:
                held = max(left_begin[run], point)
            elif run < beyond and left_begin[run] <= point:
                held = left_end[run]
        carried[row] = max(point, min(held, latest[point]))
    return carried


@njit(cache=True)
def guards(
    first: Ints,
    left_begin: Ints,
    left_end: Ints,
    negated: bool,
    earliest: Ints,
    latest: Ints,
    following: Ints,
    seen_begin: Ints,
) -> tuple[Ints, Ints, Ints]:
    """The guards by group, those that can satisfy a point: first[groups + 1], begin, end. They begin at an anchor."""
    points = latest.shape[0] - 1
    groups = first.shape[0] - 1
    kept = np.zeros(groups + 1, np.int64)
    begins = np.empty(left_begin.shape[0] + groups, np.int64)
    ends = np.empty(left_begin.shape[0] + groups, np.int64)
    count = 0
    for g in range(groups):
        for run in range(first[g], first[g + 1] + negated):
            if not negated:
                begin, end = left_begin[run], left_end[run]
            else:
                begin = np.int64(0) if run == first[g] else left_end[run - 1]
                end = points if run == first[g + 1] else left_begin[run]
            begin = max(begin - 1, 0)
            if begin >= end:
                continue
            low = earliest[begin]
            high = min(latest[end], end)
            if low < high and following[low] < seen_begin.shape[0] and seen_begin[following[low]] < high:
                begins[count] = begin
                ends[count] = end
                count += 1
        kept[g + 1] = count
    return kept, begins[:count].copy(), ends[:count].copy()


@njit(cache=True)
def guarded_runs(
    begin: Ints,
    end: Ints,
    group: Ints,
    first: Ints,
    guard_begin: Ints,
    guard_end: Ints,
    earliest: Ints,
    latest: Ints,
    free: bool,
) -> tuple[Ints, Ints, Ints]:
    """The runs between an interval's ends that each row of the right side satisfies: its number, begin, end.

    `free`: whether a row without a group has one guard that spans the log; otherwise it has none.
    """
    n = begin.shape[0]
    row_of = np.empty(n + 1, np.int64)
    begins = np.empty(n + 1, np.int64)
    ends = np.empty(n + 1, np.int64)
    count = 0
    for row in range(n):
        if group[row] < 0:
            guard, beyond = np.int64(0), np.int64(free)
        else:
            beyond = first[group[row] + 1]
            guard = _first_ending_after(guard_end, first[group[row]], beyond, begin[row])
        while guard < beyond:
            from_point, to_point = np.int64(0), latest.shape[0] - 1
            if group[row] >= 0:
                from_point, to_point = guard_begin[guard], guard_end[guard]
            if from_point >= end[row]:
                break
            low = earliest[max(begin[row], from_point)]
            high = min(latest[min(end[row], to_point)], to_point)
            if low < high:
                if count == row_of.shape[0]:
                    row_of, begins, ends = longer(row_of), longer(begins), longer(ends)
                row_of[count], begins[count], ends[count] = row, low, high
                count += 1
            guard += 1
    return row_of[:count].copy(), begins[:count].copy(), ends[:count].copy()

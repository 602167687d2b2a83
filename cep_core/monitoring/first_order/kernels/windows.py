"""The points that see a run through a metric interval into the past: tables for both ends of a run, and a mask.

Point i sees the points j <= i with low <= stamp[i] - stamp[j] <= high: those from f(i) to l(i), both monotone. So the
points that see some point of a run [begin, end) are those in [earliest[begin], latest[end]) at which f(i) <= l(i)
(`seeing`); where low is 0, a point sees itself and the mask is not needed. O(points) steps for each interval, whatever
its length. Differences of stamps are unsigned, so that stamps may lie anywhere among the integers. The point `far` is
farther from all others than any finite interval reaches.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from cep_core.arrays import Flags, Ints
from cep_core.inner_kernels import borrowing
from cep_core.monitoring.first_order.kernels.hashing import longer

Bounds = tuple[np.uint64, np.uint64, bool]
"""The smallest and the largest difference of an interval, and whether there is a largest one."""


@borrowing
def _too_old(stamps: Ints, far: int, later: int, earlier: int, bounds: Bounds) -> bool:
    """Whether two points are farther apart than the interval reaches."""
    if not bounds[2] or later == earlier:
        return False
    return later == far or earlier == far or bool(np.uint64(stamps[later]) - np.uint64(stamps[earlier]) > bounds[1])


@borrowing
def _old_enough(stamps: Ints, far: int, later: int, earlier: int, bounds: Bounds) -> bool:
    """Whether two points are at least as far apart as the interval begins."""
    if later != earlier and (later == far or earlier == far):
        return True
    return bool(np.uint64(stamps[later]) - np.uint64(stamps[earlier]) >= bounds[0])


@njit(cache=True)
def window_tables(stamps: Ints, far: int, bounds: Bounds) -> tuple[Ints, Ints, Flags]:
    """`earliest[points + 1]`, `latest[points + 1]`, `seeing[points]`."""
    n = stamps.shape[0]
    earliest = np.full(n + 1, n, np.int64)
    latest = np.zeros(n + 1, np.int64)
    seeing = np.zeros(n, np.bool_)
    oldest = 0
    newest = -1
    for i in range(n):
        while _too_old(stamps, far, i, oldest, bounds):
            oldest += 1
            latest[oldest] = i
        while newest < i and _old_enough(stamps, far, i, newest + 1, bounds):
            newest += 1
            earliest[newest] = i
        seeing[i] = oldest <= newest
    for end in range(oldest + 1, n + 1):
        latest[end] = n
    return earliest, latest, seeing


@njit(cache=True)
def steps_within(stamps: Ints, far: int, bounds: Bounds) -> Flags:
    """For each point whether the time since the previous point lies in the interval; the first has no previous one."""
    n = stamps.shape[0]
    within = np.zeros(n, np.bool_)
    for i in range(1, n):
        within[i] = _old_enough(stamps, far, i, i - 1, bounds) and not _too_old(stamps, far, i, i - 1, bounds)
    return within


@njit(cache=True)
def runs_of(mask: Flags) -> tuple[Ints, Ints]:
    """The maximal runs of points at which a mask holds."""
    count = 0
    for i in range(mask.shape[0]):
        count += mask[i] and (i == 0 or not mask[i - 1])
    begin = np.empty(count, np.int64)
    end = np.empty(count, np.int64)
    run = -1
    for i in range(mask.shape[0]):
        if mask[i]:
            if i == 0 or not mask[i - 1]:
                run += 1
                begin[run] = i
            end[run] = i + 1
    return begin, end


@njit(cache=True)
def next_runs(mask: Flags) -> Ints:
    """[points + 1] The number of the first maximal run of a mask that ends after a point."""
    n = mask.shape[0]
    following = np.zeros(n + 1, np.int64)
    for i in range(n):
        following[i + 1] = following[i] + (mask[i] and (i + 1 == n or not mask[i + 1]))
    return following


@njit(cache=True)
def cut_by(begin: Ints, end: Ints, following: Ints, open_begin: Ints, open_end: Ints) -> tuple[Ints, Ints, Ints]:
    """The parts of each run that lie in the maximal runs of a mask: its number, begin, end. O(rows in + out)."""
    n = begin.shape[0]
    row_of = np.empty(n + 1, np.int64)
    begins = np.empty(n + 1, np.int64)
    ends = np.empty(n + 1, np.int64)
    parts = 0
    for row in range(n):
        if begin[row] >= end[row]:
            continue
        run = following[begin[row]]
        while run < open_begin.shape[0] and open_begin[run] < end[row]:
            if parts == row_of.shape[0]:
                row_of, begins, ends = longer(row_of), longer(begins), longer(ends)
            row_of[parts] = row
            begins[parts] = max(begin[row], open_begin[run])
            ends[parts] = min(end[row], open_end[run])
            parts += 1
            run += 1
    return row_of[:parts].copy(), begins[:parts].copy(), ends[:parts].copy()

"""Runs become rows, point by point and in order of their values, a block of rows at a time.

The runs that hold at a point are kept in order. At the next point those that ended go, and those that begin are sorted
and merged in. So a row costs one step, one of m runs that begin together O(log m), and points without rows nothing.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from cep_core.arrays import Ints
from cep_core.inner_kernels import inner


class Listing(NamedTuple):
    """How far a listing is: the runs that held at the last point, in order; the next run; the next point."""

    held: Ints
    run: int
    point: int


@njit(cache=True)
def next_rows(
    codes: Ints, begin: Ints, end: Ints, listing: Listing, limit: int, room: int
) -> tuple[Ints, Ints, Listing]:
    """The run and the point of each of the next rows before point `limit`, and how far the listing is then.

    `codes` [runs, columns]: integers in the order of the values. Runs are ordered by begin. There are at most `room`
    rows, but all rows of one point. The end is reached when the listing's point is `limit`.
    """
    runs = np.empty(room, np.int64)
    points = np.empty(room, np.int64)
    rows = 0
    run, point, count = listing.run, listing.point, listing.held.shape[0]
    held = np.empty(max(count, 1), np.int64)
    held[:count] = listing.held
    while point < limit:
        count = _still_held(held, count, end, point)
        if count == 0:
            point = max(point, begin[run]) if run < begin.shape[0] else limit
            if point >= limit:
                point = limit
                break
        beyond = run
        while beyond < begin.shape[0] and begin[beyond] <= point:
            beyond += 1
        total = count + beyond - run
        if rows + total > room:
            if rows:
                break
            runs, points = np.empty(total, np.int64), np.empty(total, np.int64)
        if total == 1 and beyond > run:
            held[0] = run
        elif beyond > run:
            held = _merged(codes, held[:count], _sorted(codes, run, beyond))
        run, count = beyond, total
        runs[rows : rows + total] = held[:total]
        points[rows : rows + total] = point
        rows += total
        point += 1
    return runs[:rows], points[:rows], Listing(held[:count], run, point)


@inner
def _still_held(held: Ints, count: int, end: Ints, point: int) -> int:
    """Move the runs that have not ended to the front; gives their number."""
    kept = 0
    for place in range(count):
        if end[held[place]] > point:
            held[kept] = held[place]
            kept += 1
    return kept


@inner
def _precedes(codes: Ints, first: int, second: int) -> bool:
    for column in range(codes.shape[1]):
        if codes[first, column] != codes[second, column]:
            return bool(codes[first, column] < codes[second, column])
    return False


@inner
def _sorted(codes: Ints, first: int, beyond: int) -> Ints:
    """The runs first, ..., beyond - 1 in order of their values."""
    runs = np.arange(first, beyond)
    width = 1
    while width < runs.shape[0]:
        for start in range(0, runs.shape[0], 2 * width):
            middle, stop = start + width, min(start + 2 * width, runs.shape[0])
            if middle < stop and _precedes(codes, runs[middle], runs[middle - 1]):
                runs[start:stop] = _merged(codes, runs[start:middle], runs[middle:stop])
        width *= 2
    return runs


@inner
def _merged(codes: Ints, first: Ints, second: Ints) -> Ints:
    """Two ordered lists of runs as one."""
    merged = np.empty(first.shape[0] + second.shape[0], np.int64)
    i, j = 0, 0
    while i < first.shape[0] and j < second.shape[0]:
        if _precedes(codes, second[j], first[i]):
            merged[i + j] = second[j]
            j += 1
        else:
            merged[i + j] = first[i]
            i += 1
    merged[i + j : first.shape[0] + j] = first[i:]
    merged[first.shape[0] + j :] = second[j:]
    return merged

"""Computes the rows that a match may span: `WITHIN w` from its first to its last event, or the windows of `SLIDE`.

The clock is `ts`, or `pos` for `WITHIN n EVENTS` (width n - 1). Without SLIDE the bound moves with the match:
`clock[last] - clock[first] <= width`. With SLIDE each window [k s, k s + w) is evaluated on its own. So there is one
question for each row and each window that contains it (`docs/semantics.md` 2). Cost: linear in rows and (row, window)
pairs, times a binary search.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit

from cep_core.arrays import Flags, Ints


@dataclass(frozen=True)
class Spans:
    """n questions: the matches that end (begin) at `rows[k]`, with all rows at or above (below) the row `bounds[k]`."""

    rows: Ints
    bounds: Ints
    window_start: Ints | None
    """With SLIDE, the first moment of the window."""

    def take(self, wanted: Ints | Flags) -> Spans:
        windows = None if self.window_start is None else self.window_start[wanted]
        return Spans(self.rows[wanted], self.bounds[wanted], windows)


def spans_back(offsets: Ints, clock: Ints, width: int, rows: Ints) -> Spans:
    """For matches that end at each of `rows`: the first row of its partition within `width`."""
    return Spans(rows, _bound(offsets, clock, rows, clock[rows] - width), None)


def zones_of(
    offsets: Ints, clock: Ints, width: int, ends: tuple[Ints, Ints], window_start: Ints | None
) -> tuple[Ints, Ints]:
    """For matches from rows ends[0] to rows ends[1]: the rows low:high searched by negations at their start and end.

    Without SLIDE: from the last event minus `width` to the first event plus `width`. With SLIDE: the window that starts
    at `window_start` and spans `width` + 1.
    """
    first, last = ends
    if window_start is None:
        low = _bound(offsets, clock, last, clock[last] - width)
        return low, _bound(offsets, clock, first, clock[first] + width + 1)
    return _bound(offsets, clock, first, window_start), _bound(offsets, clock, first, window_start + width + 1)


def first_rows_from(offsets: Ints, clock: Ints, rows: Ints, moments: Ints) -> Ints:
    """For each row, the first row of its partition whose clock is at least the moment."""
    return _bound(offsets, clock, rows, moments)


def windows_of(clock: Ints, size: int, slide: int, rows: Ints) -> tuple[Ints, Ints]:
    """Every pair (row, start of a window that contains it), by row.

    >>> [column.tolist() for column in windows_of(np.array([0, 7]), 10, 5, np.array([0, 1]))]
    [[0, 0, 1, 1], [-5, 0, 0, 5]]
    """
    first = (clock[rows] - size) // slide + 1
    counts = np.maximum(clock[rows] // slide - first + 1, 0)
    begin = np.cumsum(counts) - counts
    place = np.arange(counts.sum()) - np.repeat(begin, counts)
    return np.repeat(rows, counts), (np.repeat(first, counts) + place) * slide


def _bound(offsets: Ints, clock: Ints, rows: Ints, moments: Ints) -> Ints:
    return _bounds(offsets, clock, np.ascontiguousarray(rows), moments)


@njit(cache=True)
def _bounds(offsets: Ints, clock: Ints, rows: Ints, moments: Ints) -> Ints:
    """For each row, the first row of its partition whose clock is at least the moment.

    For ascending rows and moments the bound moves forward step by step; otherwise it takes a binary search.
    """
    bounds = np.empty_like(rows)
    p, low, high, bound = 0, 0, 0, 0
    for k in range(rows.shape[0]):
        if k == 0 or not low <= rows[k] < high:
            p = np.searchsorted(offsets, rows[k], side="right") - 1
            low, high = offsets[p], offsets[p + 1]
            bound = low + np.searchsorted(clock[low:high], moments[k], side="left")
        elif moments[k] >= moments[k - 1]:
            step = 0
            while bound < high and clock[bound] < moments[k] and step < 16:
                bound += 1
                step += 1
            if step == 16:
                bound += np.searchsorted(clock[bound:high], moments[k], side="left")
        else:
            bound = low + np.searchsorted(clock[low:high], moments[k], side="left")
        bounds[k] = bound
    return bounds

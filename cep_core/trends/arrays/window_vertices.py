"""The windows of a slice, and the vertices that each contains.

Window k is [k * slide, k * slide + size) in log time, aligned to the epoch (docs/semantics.md, 2). A window without a
vertex has no trend, so it is not listed: O(vertices + listed windows) time. Consecutive windows of a partition that
contain exactly the same vertices share one *range*. A range is counted once, however small the slide is.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit

from cep_core.arrays import Ints
from cep_core.trends.arrays.ranges import Ranges

EARLIEST = np.iinfo(np.int64).min
LATEST = np.iinfo(np.int64).max


@dataclass(frozen=True)
class Windows:
    """W windows over R ranges of vertices. Both are in time order, partition after partition."""

    index: Ints
    """[W] The number k of each window."""
    partition: Ints
    """[W] The partition of each window."""
    range: Ints
    """[W] The range of each window."""
    first: Ints
    """[R] The first vertex of each range."""
    last: Ints
    """[R] One after the last vertex of each range."""
    opener: Ints
    """[R] The first window of each range."""

    @property
    def ranges(self) -> Ranges:
        """The ranges in the form that kernels read."""
        return Ranges(self.first, self.last, self.partition[self.opener])


def list_windows(ts: Ints, offsets: Ints, size: int, slide: int, days: tuple[int, ...] | None = None) -> Windows:
    """The windows that contain a vertex and belong to `days`.

    `ts[m]` ascends inside each partition `offsets[p]..offsets[p + 1]`. A window belongs to the operating day in which
    it becomes certain, just before its end. `days` are ascending moments (None: all of time).

    >>> windows = list_windows(np.array([1, 2, 12]), np.array([0, 3]), size=10, slide=5)
    >>> windows.index  # [-5, 5), [0, 10), [5, 15), [10, 20)
    array([-1,  0,  1,  2])
    >>> windows.range, windows.first, windows.last  # the first two contain the same vertices
    (array([0, 0, 1, 1]), array([0, 2]), array([2, 3]))
    """
    begin, end = (EARLIEST, LATEST) if days is None else (days[0], days[-1])
    listed = _list(ts, offsets, np.int64(size), np.int64(slide), np.int64(begin), np.int64(end))
    index, partition, first, last = listed
    opens = np.ones(len(index), dtype=np.bool_)
    if len(index):
        opens[1:] = (first[1:] != first[:-1]) | (last[1:] != last[:-1]) | (partition[1:] != partition[:-1])
    opener = np.flatnonzero(opens).astype(np.int64)
    return Windows(index, partition, np.cumsum(opens, dtype=np.int64) - 1, first[opener], last[opener], opener)


@njit(cache=True)
def _list(ts: Ints, offsets: Ints, size: int, slide: int, begin: int, end: int) -> tuple[Ints, Ints, Ints, Ints]:
    """The index, partition, first and last vertex of each window whose end - 1 lies in [begin, end)."""
    room = max(np.int64(16), np.int64(ts.shape[0]))
    columns = np.empty((4, room), np.int64)
    n = 0
    earliest = np.int64(EARLIEST) if begin == EARLIEST else -((size - 1 - begin) // slide)  # the first owned k
    for p in range(offsets.shape[0] - 1):
        stop = offsets[p + 1]
        first = offsets[p]
        last = first
        k = earliest
        while first < stop:
            k = max(k, (ts[first] - size) // slide + 1)  # the first window that reaches the vertex
            start = k * slide
            if start + size - 1 >= end:
                break
            while first < stop and ts[first] < start:
                first += 1
            last = max(last, first)
            while last < stop and ts[last] < start + size:
                last += 1
            if first < last:
                if n == room:
                    wider = np.empty((4, 2 * room), np.int64)
                    wider[:, :room] = columns
                    columns = wider
                    room *= 2
                columns[0, n] = k
                columns[1, n] = p
                columns[2, n] = first
                columns[3, n] = last
                n += 1
            k += 1
    return columns[0, :n].copy(), columns[1, :n].copy(), columns[2, :n].copy(), columns[3, :n].copy()

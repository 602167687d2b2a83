"""The windows of a slice, and the vertices that each contains.

Window k is [k * slide, k * slide + size) in log time, aligned to the epoch (docs/semantics.md, 2). A window without a
vertex has no trend, so it is not listed: O(vertices + listed windows) time. Consecutive windows of a partition that
contain exactly the same vertices share one *range*. A range is counted once, however small the slide is.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numba import njit

from cep_core.arrays import Ints, read_only
from cep_core.inner_kernels import inner
from cep_core.trends.arrays.ranges import Ranges

EARLIEST = np.iinfo(np.int64).min
LATEST = np.iinfo(np.int64).max
NEARER = 1 << 50
"""A quotient of numbers nearer to 0 than this, in doubles, is less than 1 off."""
SPARSE = 6
"""Where windows have fewer vertices than this, each vertex is looked at by itself: which of them begins a window, no
processor foresees."""
NEAR = 8
"""Vertices that are looked at one after another before a search takes larger steps."""


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

    @cached_property
    def ranges(self) -> Ranges:
        """The ranges in the form that kernels read."""
        return Ranges(self.first, self.last, self.partition if self.one_each else self.partition[self.opener])

    @property
    def one_each(self) -> bool:
        """Whether each window has a range of its own, in the same order."""
        return len(self.opener) == len(self.partition)


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
    if size == slide:
        listed = _list_tumbling(read_only(ts), read_only(offsets), np.int64(size), np.int64(begin), np.int64(end))
        index, partition, first, last = listed
        each = np.arange(len(index), dtype=np.int64)
        return Windows(index, partition, each, first, last, each)
    sides = np.int64(size), np.int64(slide), np.int64(begin), np.int64(end)
    return Windows(*_list(read_only(ts), read_only(offsets), *sides))


@njit(cache=True)
def _list_tumbling(ts: Ints, offsets: Ints, size: int, begin: int, end: int) -> tuple[Ints, Ints, Ints, Ints]:
    """`_list` for windows one after another: each has a range of its own."""
    columns = np.empty((4, ts.shape[0] + 1), np.int64)
    least, most = begin // size, end // size - 1  # the windows that end after `begin` and not after `end`
    if _are_sparse(ts, offsets, size):
        n = _list_sparse(ts, offsets, size, least, most, columns)
    else:
        n = _list_dense(ts, offsets, size, least, most, columns)
    return columns[0, :n], columns[1, :n], columns[2, :n], columns[3, :n]


@inner
def _are_sparse(ts: Ints, offsets: Ints, size: int) -> bool:
    """Whether windows have few vertices, and all moments are near."""
    windows, are_near = 0, True
    for p in range(offsets.shape[0] - 1):
        first, stop = offsets[p], offsets[p + 1]
        if first < stop:
            are_near &= ts[first] > -NEARER and ts[stop - 1] < NEARER
            windows += min((ts[stop - 1] - ts[first]) // size + 1, stop - first)
    return are_near and SPARSE * windows > ts.shape[0]


@inner
def _list_sparse(ts: Ints, offsets: Ints, size: int, least: int, most: int, columns: Ints) -> np.int64:
    """Lists the windows from the number of each vertex's window; returns how many.

    Each vertex is written as the last one of its window, so the next one of the window takes its place.
    """
    index, share = columns[0], 1.0 / size
    for i in range(ts.shape[0]):  # of all partitions: they are too short to be computed four numbers at a time
        index[i] = _near_quotient(ts[i], size, share)
    partition, firsts, lasts = columns[1], columns[2], columns[3]
    n, one = np.uint64(0), np.uint64(1)  # unsigned, as Numba looks whether a place is negative
    for p in range(offsets.shape[0] - 1):
        first, stop = offsets[p], offsets[p + 1]
        while first < stop and index[first] < least:
            first += 1
        while first < stop and index[stop - 1] > most:
            stop -= 1
        firsts[n] = first
        for i in range(first, stop):
            index[n] = index[i]  # the windows that are listed never reach the vertices that are not
            partition[n] = p
            firsts[n + one] = i + 1
            lasts[n] = i + 1
            n += np.uint64(i + 1 == stop or index[i + 1] != index[i])
    return np.int64(n)


@inner
def _list_dense(ts: Ints, offsets: Ints, size: int, least: int, most: int, columns: Ints) -> np.int64:
    """Lists the windows by steps to the end of each; returns how many."""
    n, share = 0, 1.0 / size
    for p in range(offsets.shape[0] - 1):
        first, stop = offsets[p], offsets[p + 1]
        is_near = first < stop and ts[first] > -NEARER and ts[stop - 1] < NEARER
        while first < stop:
            k = _near_quotient(ts[first], size, share) if is_near else ts[first] // size
            if k > most:
                break
            last = _bound(ts, first + 1, stop, (k + 1) * size)
            if k >= least:
                columns[0, n] = k
                columns[1, n] = p
                columns[2, n] = first
                columns[3, n] = last
                n += 1
            first = last
    return np.int64(n)


@inner
def _near_quotient(moment: int, size: int, share: float) -> int:
    """moment // size for a moment nearer to 0 than NEARER. `share`: 1 / size, by which it is multiplied: a division
    takes ten times as long."""
    k = int(np.floor(moment * share))
    rest = moment - k * size
    return k - (rest < 0) + (rest >= size)


@inner
def _bound(ts: Ints, begin: int, stop: int, moment: int) -> int:
    """The first of the vertices begin..stop-1 at or after a moment: a few steps, then steps that double."""
    for _ in range(NEAR):
        if begin == stop or ts[begin] >= moment:
            return begin
        begin += 1
    step = NEAR
    while begin + step < stop and ts[begin + step] < moment:
        begin += step
        step *= 2
    end = min(begin + step, stop)
    while begin < end:
        middle = (begin + end) >> 1
        if ts[middle] < moment:
            begin = middle + 1
        else:
            end = middle
    return begin


@njit(cache=True)
def _list(
    ts: Ints, offsets: Ints, size: int, slide: int, begin: int, end: int
) -> tuple[Ints, Ints, Ints, Ints, Ints, Ints]:
    """The fields of `Windows`, for each window whose end - 1 lies in [begin, end).

    Pages of the arrays beyond what is listed are never touched, so they are not copied to their length.
    """
    room = max(np.int64(16), np.int64(ts.shape[0]))
    columns = np.empty((6, room), np.int64)
    n, ranges = 0, 0
    earliest = np.int64(EARLIEST) if begin == EARLIEST else -((size - 1 - begin) // slide)  # the first owned k
    for p in range(offsets.shape[0] - 1):
        stop = offsets[p + 1]
        first = offsets[p]
        last = first
        k = earliest
        opened = ranges
        while first < stop:
            if k == earliest or ts[first] - k * slide >= size:
                k = max(k, (ts[first] - size) // slide + 1)  # the first window that reaches the vertex
            start = k * slide
            if start + size - 1 >= end:
                break
            first = _bound(ts, last if last > first and ts[last - 1] < start else first, stop, start)
            last = _bound(ts, max(last, first), stop, start + size)
            if first < last:
                if n == room:
                    wider = np.empty((6, 2 * room), np.int64)
                    for row in range(6):  # a copy of all rows at once takes three seconds to compile
                        for place in range(room):
                            wider[row, place] = columns[row, place]
                    columns = wider
                    room *= 2
                if ranges == opened or columns[3, ranges - 1] != first or columns[4, ranges - 1] != last:
                    columns[3, ranges] = first
                    columns[4, ranges] = last
                    columns[5, ranges] = n
                    ranges += 1
                columns[0, n] = k
                columns[1, n] = p
                columns[2, n] = ranges - 1
                n += 1
            k += 1
    return columns[0, :n], columns[1, :n], columns[2, :n], columns[3, :ranges], columns[4, :ranges], columns[5, :ranges]

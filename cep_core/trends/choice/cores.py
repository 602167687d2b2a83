"""Counts the windows of a slice on several cores, in parts side by side, whether there is one group or many.

A part is a run of consecutive ranges of windows, so a group too large for one core is split by time. Windows that reach
back over the beginning of a part are visited by both parts. So a part is at least four times as long as the longest
window, which adds at most a quarter of the work. Kernels release Python's lock. Results are the same for any number of
cores.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from itertools import pairwise

import numpy as np

from cep_core.arrays import Ints
from cep_core.numbers.integers import Integers
from cep_core.trends.arrays.window_vertices import Windows

PARTS_OF_A_CORE = 4
"""Parts differ in cost. With several parts for each core, no core waits long for the last part."""
FEWEST_VISITS = 50_000
"""A part of fewer vertices is not worth a thread."""
OVERLAP = 4

Counted = tuple[list[Integers], Ints]

_ALLOWED: ContextVar[int] = ContextVar("cores", default=1)


@contextmanager
def on_cores(number: int | None = None) -> Iterator[None]:
    """Let evaluations in this context use `number` cores, or all cores of the process if None.

    Without this context an evaluation uses one core. That is right for slices: each slice is a task of its own, and
    the slices run side by side.
    """
    token = _ALLOWED.set(number if number is not None else len(os.sched_getaffinity(0)))
    try:
        yield
    finally:
        _ALLOWED.reset(token)


def count_in_parts(windows: Windows, count: Callable[[Windows, slice], Counted]) -> Counted:
    """`count(part, ranges)` of every part of the windows, joined. Uses the cores that this context allows."""
    threads = _ALLOWED.get()
    if threads == 1:
        return count(windows, slice(None))
    bounds = part_bounds(windows, threads)
    parts = [
        (
            replace(windows, first=windows.first[a:b], last=windows.last[a:b], opener=windows.opener[a:b]),
            slice(a, b),
        )
        for a, b in pairwise(bounds.tolist())
    ]
    if len(parts) == 1:
        return count(*parts[0])
    with ThreadPoolExecutor(threads) as pool:
        counted = list(pool.map(lambda part: count(*part), parts))
    columns = zip(*(sums for sums, _ in counted), strict=True)
    return [Integers.concatenate(list(column)) for column in columns], np.concatenate([minima for _, minima in counted])


def part_bounds(windows: Windows, threads: int) -> Ints:
    """The first range of each part, then the number of ranges. Parts have about equally many vertices not seen before.

    >>> n = 400_000
    >>> empty = np.zeros(n, dtype=np.int64)
    >>> tumbling = Windows(empty, empty, empty, np.arange(n), np.arange(1, n + 1), np.arange(n))
    >>> part_bounds(tumbling, threads=1), part_bounds(tumbling, threads=2)[:3]
    (array([     0, 400000]), array([     0,  50000, 100000]))
    """
    ranges = len(windows.first)
    if threads == 1 or ranges < 2:
        return np.array([0, ranges])
    seen = np.concatenate([windows.first[:1], np.maximum.accumulate(windows.last)[:-1]])
    fresh = windows.last - np.maximum(windows.first, np.minimum(seen, windows.last))
    so_far = np.cumsum(fresh)
    overlapping = bool((windows.first[1:] < windows.last[:-1]).any())
    longest = int((windows.last - windows.first).max())
    fewest = max(FEWEST_VISITS, OVERLAP * longest if overlapping else 0)
    parts = min(PARTS_OF_A_CORE * threads, int(so_far[-1]) // fewest)
    if parts < 2:
        return np.array([0, ranges])
    targets = so_far[-1] * np.arange(1, parts) // parts
    return np.unique(np.concatenate([[0], np.searchsorted(so_far, targets, side="left") + 1, [ranges]]))

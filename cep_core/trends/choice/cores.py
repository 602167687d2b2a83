"""The windows of a slice on several cores: parts of them side by side, whether they are of one group or of many.

A part is a run of consecutive ranges of windows, so a group too hot for one core is split by time. Windows that reach
back over a part's beginning are visited by both, so parts are at least four times as long as the longest window: at
most a quarter more work. Kernels let go of Python's lock. Results are those of one part, whatever the number of cores.
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
"""Parts differ in what they cost; with several for each core none waits long for the last."""
FEWEST_VISITS = 50_000
"""A part of fewer vertices is not worth a thread."""
OVERLAP = 4

Counted = tuple[list[Integers], Ints]

_ALLOWED: ContextVar[int] = ContextVar("cores", default=1)


@contextmanager
def on_cores(number: int | None = None) -> Iterator[None]:
    """Let evaluations in this context take so many cores, all of the process's if None; one otherwise.

    A slice is a task of its own and keeps to one core: there the slices are what runs side by side.
    """
    token = _ALLOWED.set(number if number is not None else len(os.sched_getaffinity(0)))
    try:
        yield
    finally:
        _ALLOWED.reset(token)


def count_in_parts(windows: Windows, count: Callable[[Windows, Ints], Counted]) -> Counted:
    """`count(part, ranges)` for every part of the ranges of the windows, on the cores that this context allows."""
    threads = _ALLOWED.get()
    bounds = part_bounds(windows, threads)
    parts = [
        (
            replace(windows, first=windows.first[a:b], last=windows.last[a:b], opener=windows.opener[a:b]),
            np.arange(a, b),
        )
        for a, b in pairwise(bounds.tolist())
    ]
    if len(parts) == 1:
        return count(*parts[0])
    with ThreadPoolExecutor(threads) as pool:
        found = list(pool.map(lambda part: count(*part), parts))
    columns = zip(*(sums for sums, _ in found), strict=True)
    return [Integers.concatenate(list(column)) for column in columns], np.concatenate([minima for _, minima in found])


def part_bounds(windows: Windows, threads: int) -> Ints:
    """Where parts begin among the ranges, and their number: of about equal numbers of vertices that none saw before.

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
    least = max(FEWEST_VISITS, OVERLAP * longest if overlapping else 0)
    parts = min(PARTS_OF_A_CORE * threads, int(so_far[-1]) // least)
    if parts < 2:
        return np.array([0, ranges])
    targets = so_far[-1] * np.arange(1, parts) // parts
    return np.unique(np.concatenate([[0], np.searchsorted(so_far, targets, side="left") + 1, [ranges]]))

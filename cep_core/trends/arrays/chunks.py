"""Chunks of overlapping windows, each walked in a ring of lanes (`ring`): how long they are, and how wide the rings.

A longer chunk visits fewer vertices twice, for its first and last windows are a smaller part of it; but its trees,
which hold each value that the whole chunk knows, are larger, and so is what is emptied when a window ends. Where more
windows lie over a vertex than a ring should have lanes, every second (third, ...) of them has a walk of its own.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from cep_core.trends.arrays.blocks import MEMORY
from cep_core.trends.arrays.ranges import Ranges

GROUP = 8
"""Lanes that are emptied together: a cache line."""
FEWEST_LENGTHS = 4
"""A chunk is so many times as long as its windows ..."""
MOST_LENGTHS = 8
"""... up to so many times while its trees fit NEAR, and any while they fit CLOSE."""
CLOSE = 1 << 14
"""Words that fit a core's first caches."""
NEAR = 1 << 17
"""Words that fit its own caches."""
FAR = 1 << 20
"""Words that fit the cache that it shares: where trees are larger ..."""
FEWEST_WINDOWS = 89
"""... a walk has at most so many windows over a vertex, in 96 lanes."""
MOST_WINDOWS = 249
"""No walk has more."""


class Chunk(NamedTuple):
    """Windows begin..end-1, of which every `step`-th has a walk of its own in a ring of so many lanes.

    No lanes: the windows have too many values for any ring.
    """

    begin: int
    end: int
    step: int
    lanes: int


@njit(cache=True)
def chunk_from(begin: int, windows: Ranges, rank: npt.NDArray[np.int32], numbers: int) -> Chunk:
    """The chunk that begins with window `begin`; `numbers` are what a lane of a cell takes.

    >>> from cep_core.trends.arrays.ranges import Ranges
    >>> ranks = np.arange(1, 1001, dtype=np.int32)[:, np.newaxis]
    >>> first = np.arange(900)
    >>> windows = Ranges(first, first + 100, first // 850)
    >>> tuple(chunk_from(0, windows, ranks, 1))  # 701 windows, together as long as eight
    (0, 701, 1, 112)
    """
    first, last, partition = windows
    end = begin
    opened = begin
    reached = first[begin]
    longest = over = cells = 0
    low = np.full(rank.shape[1], np.iinfo(np.int32).max, np.int64)
    high = np.zeros(rank.shape[1], np.int64)
    while end < first.shape[0] and partition[end] == partition[begin]:
        span = last[end] - first[begin]
        length = max(longest, last[end] - first[end])
        for i in range(reached, last[end]):
            for c in range(rank.shape[1]):
                if rank[i, c] > 0:
                    low[c] = min(low[c], rank[i, c])
                    high[c] = max(high[c], rank[i, c])
        reached = last[end]
        values = 1
        for c in range(rank.shape[1]):
            values = max(values, high[c] - low[c] + 1)
        more = (1 + min(values, span)) * rank.shape[1] * numbers
        while last[opened] <= first[end]:
            opened += 1
        most = max(over, end - opened + 1)
        words = more * lanes_of(most)
        near = words <= CLOSE or (words <= NEAR and span <= MOST_LENGTHS * length)
        if end > begin and not near and (span > FEWEST_LENGTHS * length or more * GROUP > MEMORY):
            break
        longest, over, cells = length, most, more
        end += 1
    together = min(max(_windows_of(FAR // cells), FEWEST_WINDOWS), MOST_WINDOWS, _windows_of(MEMORY // cells))
    if together <= 0:
        return Chunk(begin, end, 0, 0)
    step = (over + together - 1) // together
    return Chunk(begin, end, step, lanes_of((over + step - 1) // step))


@njit(cache=True)
def lanes_of(windows: int) -> int:
    """Lanes for so many windows over a vertex: those of a group are emptied while all others are in use.

    >>> lanes_of(1), lanes_of(2), lanes_of(60)
    (8, 16, 72)
    """
    return (windows + 2 * GROUP - 2) // GROUP * GROUP


@njit(cache=True)
def _windows_of(lanes: int) -> int:
    """How many windows over a vertex so many lanes are enough for."""
    return lanes // GROUP * GROUP - GROUP + 1

"""Chunks of overlapping windows, each walked in a ring of lanes (`ring`): their length, and the width of the rings.

In a longer chunk fewer vertices are visited twice, because its first and last windows are a smaller part of it. But its
trees are larger, because they hold every value in the chunk; then more must be cleared when a window ends. If more
windows cover a vertex than a ring should have lanes, every second (third, ...) window gets a walk of its own.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from cep_core.inner_kernels import inner
from cep_core.trends.arrays.blocks import MEMORY
from cep_core.trends.arrays.ranges import Ranges

GROUP = 8
"""The number of lanes that are cleared together: a cache line."""
FEWEST_LENGTHS = 4
"""A chunk is this many times as long as its windows ..."""
MOST_LENGTHS = 8
"""... up to this many times if its trees fit NEAR, and any length if they fit CLOSE."""
CLOSE = 1 << 14
"""The number of words that fit a core's first caches."""
NEAR = 1 << 17
"""The number of words that fit a core's own caches."""
FAR = 1 << 20
"""The number of words that fit the shared cache. If trees are larger ..."""
FEWEST_WINDOWS = 89
"""... a walk has at most this many windows over a vertex, in 96 lanes."""
MOST_WINDOWS = 249
"""The most windows over a vertex in any walk."""


class Chunk(NamedTuple):
    """Windows begin..end-1 in `step` walks, each with every `step`-th window, in a ring of `lanes` lanes.

    `lanes` 0: the windows have too many values for any ring.
    """

    begin: int
    end: int
    step: int
    lanes: int


@njit(cache=True)
def chunk_from(begin: int, windows: Ranges, rank: npt.NDArray[np.int32], numbers: int) -> Chunk:
    """The chunk that begins with window `begin`. `numbers`: the words of a lane in a cell.

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
    longest = most_overlap = cells = 0
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
        lane_words = (1 + min(values, span)) * rank.shape[1] * numbers
        while last[opened] <= first[end]:
            opened += 1
        overlap = max(most_overlap, end - opened + 1)
        words = lane_words * lanes_of(overlap)
        near = words <= CLOSE or (words <= NEAR and span <= MOST_LENGTHS * length)
        if end > begin and not near and (span > FEWEST_LENGTHS * length or lane_words * GROUP > MEMORY):
            break
        longest, most_overlap, cells = length, overlap, lane_words
        end += 1
    together = min(max(_windows_of(FAR // cells), FEWEST_WINDOWS), MOST_WINDOWS, _windows_of(MEMORY // cells))
    if together <= 0:
        return Chunk(begin, end, 0, 0)
    step = (most_overlap + together - 1) // together
    return Chunk(begin, end, step, lanes_of((most_overlap + step - 1) // step))


@njit(cache=True)
def lanes_of(windows: int) -> int:
    """The lanes for this many windows over a vertex. One group is cleared while all other lanes are in use.

    >>> lanes_of(1), lanes_of(2), lanes_of(60)
    (8, 16, 72)
    """
    return (windows + 2 * GROUP - 2) // GROUP * GROUP


@inner
def _windows_of(lanes: int) -> int:
    """The most windows over a vertex that fit this many lanes."""
    return lanes // GROUP * GROUP - GROUP + 1

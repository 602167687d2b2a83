"""Blocks of overlapping windows. The numbers of the windows in a block stand side by side; ranks are renumbered.

The windows of a block are its lanes (`limb_rows`). Ranks are renumbered within a block, so trees are only as large as
the block needs.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from cep_core.arrays import Ints
from cep_core.inner_kernels import inner
from cep_core.trends.arrays.graph import Comparisons
from cep_core.trends.arrays.ranges import Ranges

FEWEST_LANES = 8
MOST_LANES = 64
CACHE = 1 << 18
"""The number of words of a tree that fit a core's own cache."""
MEMORY = 1 << 24
"""The most words of a tree with more than one lane."""
DENSE = 8
"""Ranks are counted, not sorted, if there are at most this many for each vertex."""


class BlockRanks(NamedTuple):
    """Ranks and bounds of the vertices begin, begin + 1, ..., renumbered among these vertices."""

    begin: int
    rank: Ints
    """[edges, vertices] 1.., or 0 for a null value."""
    bound: Ints
    """[edges, vertices]."""
    cells: Ints
    """[edges] The largest rank."""


@njit(cache=True)
def block_end(windows: Ranges, begin: int, words: int) -> int:
    """One after the last window of the block that begins with window `begin`. `words`: the words of a lane in a cell.

    A block holds windows of one partition that overlap its first window: at most MOST_LANES, and fewer if trees would
    not fit the cache.

    >>> from cep_core.trends.arrays.ranges import Ranges
    >>> block_end(Ranges(np.array([0, 1, 2, 9]), np.array([5, 6, 7, 12]), np.zeros(4, np.int64)), 0, 1)
    3
    """
    first, last, partition = windows
    end = begin + 1
    while end < first.shape[0] and end - begin < MOST_LANES:
        if partition[end] != partition[begin] or first[end] >= last[begin]:
            break
        size = (last[end] - first[begin]) * (end - begin + 1) * words
        if size > (CACHE if end - begin >= FEWEST_LANES else MEMORY):
            break
        end += 1
    return end


@inner
def block_ranks(comparisons: Comparisons, begin: int, end: int) -> BlockRanks:
    """Ranks and bounds of the vertices begin..end-1."""
    compared = comparisons.source.shape[0]
    ranks = np.zeros((compared, end - begin), np.int64)
    bounds = np.zeros((compared, end - begin), np.int64)
    cells = np.zeros(compared, np.int64)
    for c in range(compared):
        low, high = np.int64(0), np.int64(-1)
        for i in range(begin, end):
            rank = np.int64(comparisons.rank[i, c])
            if rank > 0:
                low = rank if high < 0 else min(low, rank)
                high = max(high, rank)
        if high < 0:
            continue
        dense = high - low < DENSE * (end - begin)
        rank_table = (
            _below(comparisons.rank[begin:end, c], low, high) if dense else _distinct(comparisons.rank[begin:end, c])
        )
        for i in range(begin, end):
            rank = np.int64(comparisons.rank[i, c])
            bound = min(np.int64(comparisons.bound[i, c]), high)
            if dense:
                ranks[c, i - begin] = rank_table[rank + 1 - low] if rank > 0 else 0
                below = rank_table[bound + 1 - low] if bound >= low else 0
                exact = bound >= low and below > rank_table[bound - low]
            else:
                ranks[c, i - begin] = np.searchsorted(rank_table, rank) + 1 if rank > 0 else 0
                below = np.searchsorted(rank_table, bound, side="right")
                exact = below > 0 and rank_table[below - 1] == bound
            exact &= bound == comparisons.bound[i, c]
            bounds[c, i - begin] = below if exact or not comparisons.equal[c] else 0
            cells[c] = max(cells[c], ranks[c, i - begin])
    return BlockRanks(begin, ranks, bounds, cells)


@inner
def _below(ranks: Ints, low: int, high: int) -> Ints:
    """For each rank in low..high + 1, the number of different `ranks` below it. Ranks are in low..high, or 0."""
    below = np.zeros(high - low + 2, np.int64)
    for rank in ranks:
        if rank > 0:
            below[rank + 1 - low] = 1
    for k in range(1, below.shape[0]):
        below[k] += below[k - 1]
    return below


@inner
def _distinct(ranks: Ints) -> Ints:
    """The distinct ranks above 0, in ascending order."""
    ordered = np.sort(ranks)
    distinct = np.zeros(ranks.shape[0], np.int64)
    n = 0
    for rank in ordered:
        if rank > 0 and (n == 0 or distinct[n - 1] != rank):
            distinct[n] = rank
            n += 1
    return distinct[:n]

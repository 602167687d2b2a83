"""Blocks of overlapping windows, whose numbers stand side by side, and the trees that hold them.

A block's windows are its lanes: row x of a tree, or of a vertex, holds a number for each of them. Ranks are renumbered
within a block, so that trees are as small as the block.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from cep_core.trends.graph import NOTHING, Bits, Comparisons, Ints

FEWEST_LANES = 8
MOST_LANES = 64
CACHE = 1 << 18
"""Words of a tree that fit a core's own cache."""
MEMORY = 1 << 24
"""Words of a tree that more than one lane may take."""


@njit(cache=True)
def block_end(first: Ints, last: Ints, partition: Ints, begin: int, words: int) -> int:
    """One after the last window of the block that begins with window `begin`; `words` are what a lane of a cell takes.

    A block holds windows of one partition that overlap its first one, at most MOST_LANES, and fewer where trees would
    outgrow the cache.

    >>> first, last = np.array([0, 1, 2, 9]), np.array([5, 6, 7, 12])
    >>> block_end(first, last, np.zeros(4, np.int64), 0, 1)
    3
    """
    end = begin + 1
    while end < first.shape[0] and end - begin < MOST_LANES:
        if partition[end] != partition[begin] or first[end] >= last[begin]:
            break
        size = (last[end] - first[begin]) * (end - begin + 1) * words
        if size > (CACHE if end - begin >= FEWEST_LANES else MEMORY):
            break
        end += 1
    return end


@njit(cache=True)
def block_ranks(comparisons: Comparisons, begin: int, end: int) -> tuple[Ints, Ints, Ints]:
    """Ranks and bounds of vertices begin..end-1, renumbered among themselves, [c, vertex]; the cells of each edge."""
    compared = comparisons.source.shape[0]
    ranks = np.zeros((compared, end - begin), np.int64)
    bounds = np.zeros((compared, end - begin), np.int64)
    cells = np.zeros(compared, np.int64)
    for c in range(compared):
        ordered = np.sort(comparisons.rank[begin:end, c])
        distinct = np.zeros(end - begin, np.int64)
        n = 0
        for rank in ordered:
            if rank > 0 and (n == 0 or distinct[n - 1] != rank):
                distinct[n] = rank
                n += 1
        known = distinct[:n]
        for i in range(begin, end):
            rank = np.int64(comparisons.rank[i, c])
            bound = np.int64(comparisons.bound[i, c])
            if rank > 0:
                ranks[c, i - begin] = np.searchsorted(known, rank) + 1
            below = np.searchsorted(known, bound, side="right")
            if not comparisons.equal[c] or (below > 0 and known[below - 1] == bound):
                bounds[c, i - begin] = below
        cells[c] = n
    return ranks, bounds, cells


@njit(cache=True)
def lane_range(l0: int, l1: int, width: int, extremes: int) -> tuple[np.uint64, np.uint64, np.uint64, np.uint64]:
    """Where the numbers and minima of lanes l0..l1-1 stand. Unsigned, or else loops over them are not vectorised."""
    return np.uint64(l0 * width), np.uint64(l1 * width), np.uint64(l0 * extremes), np.uint64(l1 * extremes)


@njit(cache=True)
def enter(
    tree: Bits,
    tree_minima: Ints,
    at: int,
    cells: int,
    equal: bool,
    numbers: Bits,
    minima: Ints,
    place: tuple[np.uint64, np.uint64, np.uint64, np.uint64],
) -> None:
    """Add numbers to a Fenwick tree at rank `at` (none: 0), to that cell alone where equal ranks are asked for."""
    x0, x1, y0, y1 = place
    while 0 < at <= cells:
        for x in range(x0, x1):
            tree[at, x] += numbers[x]
        for y in range(y0, y1):
            tree_minima[at, y] = min(tree_minima[at, y], minima[y])
        at = cells + 1 if equal else at + (at & -at)


@njit(cache=True)
def add_up(
    tree: Bits,
    tree_minima: Ints,
    at: int,
    equal: bool,
    numbers: Bits,
    minima: Ints,
    place: tuple[np.uint64, np.uint64, np.uint64, np.uint64],
) -> None:
    """Add to `numbers` what a tree holds at ranks 1..at, or at that one alone where equal ranks are asked for."""
    x0, x1, y0, y1 = place
    while at > 0:
        for x in range(x0, x1):
            numbers[x] += tree[at, x]
        for y in range(y0, y1):
            minima[y] = min(minima[y], tree_minima[at, y])
        at = 0 if equal else at & (at - 1)


@njit(cache=True)
def clear(tree: Bits, tree_minima: Ints, at: int, cells: int, equal: bool) -> None:
    """Empty the cells that an entry at rank `at` has touched."""
    while 0 < at <= cells:
        tree[at] = 0
        tree_minima[at] = NOTHING
        at = cells + 1 if equal else at + (at & -at)


@njit(cache=True)
def cut_off(
    tree: Bits,
    tree_minima: Ints,
    rank: Ints,
    cells: int,
    equal: bool,
    kept: Bits,
    kept_minima: Ints,
    floor: int,
    since: int,
    committed: int,
) -> None:
    """Let a tree that holds the vertices floor..committed-1 forget those before `since`.

    It is cleared, and what stays is entered again. A negated match cuts off all that precedes its start, and reaches
    from there to its end; matches that cut one after another overlap in no more vertices than a match has events. So
    every vertex is entered again a bounded number of times: O(n log n) in all.
    """
    everything = (np.uint64(0), np.uint64(tree.shape[1]), np.uint64(0), np.uint64(tree_minima.shape[1]))
    for i in range(floor, committed):
        clear(tree, tree_minima, rank[i], cells, equal)
    for i in range(since, committed):
        enter(tree, tree_minima, rank[i], cells, equal, kept[i], kept_minima[i], everything)

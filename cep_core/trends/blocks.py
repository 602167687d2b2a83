"""Blocks of overlapping windows, whose numbers stand side by side, and the trees that hold them.

A block's windows are its lanes. What a vertex passes on, and what a cell of a tree holds, is a *row*: limb after limb
of the numbers of each lane, lane after lane, so that lanes are added by vector instructions, and limbs that no number
of the block has come to need are left alone. A row of minima stands beside it. Ranks are renumbered within a block, so
that trees are as small as the block.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from cep_core.trends.graph import NOTHING, Bits, Comparisons, Ints

FEWEST_LANES = 8
MOST_LANES = 64
CACHE = 1 << 18
"""Words of a tree that fit a core's own cache."""
MEMORY = 1 << 24
"""Words of a tree that more than one lane may take."""
DENSE = 8
"""Count ranks instead of sorting them while there are at most so many a vertex."""
STEP = 16
"""Words that a loop of vector instructions takes at a time; what is left of a row costs as much, word by word."""


class Part(NamedTuple):
    """The part of rows that some lanes take: words begin..end-1 of every limb, `stride` words apart, and some minima.

    Bounds are unsigned, or else loops over them are not vectorised.
    """

    limbs: int
    stride: np.uint64
    begin: np.uint64
    end: np.uint64
    least_begin: np.uint64
    least_end: np.uint64


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
        low, high = np.int64(0), np.int64(-1)
        for i in range(begin, end):
            rank = np.int64(comparisons.rank[i, c])
            if rank > 0:
                low = rank if high < 0 else min(low, rank)
                high = max(high, rank)
        if high < 0:
            continue
        dense = high - low < DENSE * (end - begin)
        known = (
            _below(comparisons.rank[begin:end, c], low, high) if dense else _distinct(comparisons.rank[begin:end, c])
        )
        for i in range(begin, end):
            rank = np.int64(comparisons.rank[i, c])
            bound = min(np.int64(comparisons.bound[i, c]), high)
            if dense:
                ranks[c, i - begin] = known[rank + 1 - low] if rank > 0 else 0
                upto = known[bound + 1 - low] if bound >= low else 0
                exact = bound >= low and upto > known[bound - low]
            else:
                ranks[c, i - begin] = np.searchsorted(known, rank) + 1 if rank > 0 else 0
                upto = np.searchsorted(known, bound, side="right")
                exact = upto > 0 and known[upto - 1] == bound
            exact &= bound == comparisons.bound[i, c]
            bounds[c, i - begin] = upto if exact or not comparisons.equal[c] else 0
            cells[c] = max(cells[c], ranks[c, i - begin])
    return ranks, bounds, cells


@njit(cache=True)
def _below(ranks: Ints, low: int, high: int) -> Ints:
    """For each of low..high + 1 how many different ranks are less; `ranks` are some of them, or 0."""
    known = np.zeros(high - low + 2, np.int64)
    for rank in ranks:
        if rank > 0:
            known[rank + 1 - low] = 1
    for at in range(1, known.shape[0]):
        known[at] += known[at - 1]
    return known


@njit(cache=True)
def _distinct(ranks: Ints) -> Ints:
    """The different ranks above 0, in order."""
    ordered = np.sort(ranks)
    distinct = np.zeros(ranks.shape[0], np.int64)
    n = 0
    for rank in ordered:
        if rank > 0 and (n == 0 or distinct[n - 1] != rank):
            distinct[n] = rank
            n += 1
    return distinct[:n]


@njit(cache=True)
def row_words(lanes: int, numbers: int) -> int:
    """The words of one limb of a row: whole steps, unless it is shorter than one.

    >>> row_words(3, 2), row_words(60, 1)
    (6, 64)
    """
    words = lanes * numbers
    return words if words <= STEP else (words + STEP - 1) // STEP * STEP


@njit(cache=True)
def part_of(l0: int, l1: int, numbers: int, extremes: int, stride: int, limbs: int) -> Part:
    """The part that lanes l0..l1-1 take, with some of their neighbours for the sake of whole steps.

    What a window that is over or not yet open gets by this is never read: one that is over has been told, and nothing
    has begun in one that is not open.
    """
    begin = l0 * numbers // STEP * STEP
    end = min(stride, (l1 * numbers + STEP - 1) // STEP * STEP)
    least = (np.uint64(l0 * extremes), np.uint64(l1 * extremes))
    return Part(limbs, np.uint64(stride), np.uint64(begin), np.uint64(end), least[0], least[1])


@njit(cache=True, inline="always")
def add(into: Bits, row: int, numbers: Bits, other: int, part: Part) -> None:
    """Add a part of a row of `numbers` to one of another array: what all walks do most of the time.

    Neither a slice nor a call, each of which would cost more than the additions.
    """
    begin, end, limbs = part.begin, part.end, part.limbs
    if end - begin == part.stride:  # no gap between limbs
        end, limbs = part.stride * np.uint64(limbs), 1
    if limbs == 1:
        for x in range(begin, end):
            into[row, x] += numbers[other, x]
    else:
        for _ in range(limbs):
            for x in range(begin, end):
                into[row, x] += numbers[other, x]
            begin += part.stride
            end += part.stride


@njit(cache=True)
def put(into: Bits, row: int, numbers: Bits, other: int, part: Part) -> None:
    """Copy a part of a row to one of another array."""
    begin, end = part.begin, part.end
    for _ in range(part.limbs):
        for x in range(begin, end):
            into[row, x] = numbers[other, x]
        begin += part.stride
        end += part.stride


@njit(cache=True, inline="always")
def empty(into: Bits, row: int, part: Part) -> None:
    """Set a part of a row to 0."""
    begin, end = part.begin, part.end
    for _ in range(part.limbs):
        for x in range(begin, end):
            into[row, x] = 0
        begin += part.stride
        end += part.stride


@njit(cache=True, inline="always")
def lower(into: Ints, row: int, minima: Ints, other: int, part: Part) -> None:
    """Lower a part of a row of minima by one of another array."""
    for y in range(part.least_begin, part.least_end):
        into[row, y] = min(into[row, y], minima[other, y])


@njit(cache=True)
def enter(
    trees: Bits,
    trees_minima: Ints,
    tree: int,
    at: int,
    cells: int,
    equal: bool,
    numbers: Bits,
    minima: Ints,
    row: int,
    part: Part,
) -> None:
    """Add a row to the Fenwick tree that begins at row `tree` of trees, at rank `at` (none: 0), with so many cells.

    Where equal ranks are asked for, to that cell alone.
    """
    while 0 < at <= cells:
        add(trees, tree + at, numbers, row, part)
        lower(trees_minima, tree + at, minima, row, part)
        at = cells + 1 if equal else at + (at & -at)


@njit(cache=True)
def add_up(
    trees: Bits,
    trees_minima: Ints,
    tree: int,
    at: int,
    equal: bool,
    numbers: Bits,
    minima: Ints,
    row: int,
    part: Part,
) -> None:
    """Add to a row what a tree holds at ranks 1..at, or at that one alone where equal ranks are asked for."""
    while at > 0:
        add(numbers, row, trees, tree + at, part)
        lower(minima, row, trees_minima, tree + at, part)
        at = 0 if equal else at & (at - 1)


@njit(cache=True)
def clear(trees: Bits, trees_minima: Ints, tree: int, at: int, cells: int, equal: bool) -> None:
    """Empty the cells that an entry at rank `at` has touched."""
    while 0 < at <= cells:
        trees[tree + at] = 0
        trees_minima[tree + at] = NOTHING
        at = cells + 1 if equal else at + (at & -at)


@njit(cache=True)
def cut_off(
    trees: Bits,
    trees_minima: Ints,
    tree: int,
    ranks: Ints,
    cells: int,
    equal: bool,
    kept: Bits,
    kept_minima: Ints,
    row: int,
    floor: int,
    since: int,
    committed: int,
) -> None:
    """Let a tree that holds the vertices floor..committed-1 forget those before `since`; rows `row`.. have kept them.

    It is cleared, and what stays is entered again. A negated match cuts off all that precedes its start, and reaches
    from there to its end; matches that cut one after another overlap in no more vertices than a match has events. So
    every vertex is entered again a bounded number of times: O(n log n) in all.
    """
    words = np.uint64(trees.shape[1])
    everything = Part(1, words, np.uint64(0), words, np.uint64(0), np.uint64(trees_minima.shape[1]))
    for i in range(floor, committed):
        clear(trees, trees_minima, tree, ranks[i], cells, equal)
    for i in range(since, committed):
        enter(trees, trees_minima, tree, ranks[i], cells, equal, kept, kept_minima, row + i, everything)

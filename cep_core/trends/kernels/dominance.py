"""Sums over the earlier vertices that satisfy several comparisons at once: what an edge with more than one asks for.

GRETA, section 6 sorts vertices by one attribute and tests the other conditions one predecessor after another. Two
comparisons are dominance counting, which offline divide and conquer solves without visiting pairs (Bentley 1980): of
two neighbouring blocks of time, each of the earlier one's vertices is entered into a Fenwick tree over the first
comparison in the order of the second, and each of the later one's reads its sum when all that satisfy its second
comparison are in. Blocks are powers of two of ticks, so that a vertex takes part in log n of them: O(n log^2 n) for n
vertices. The earlier block is complete when it is read, for the walk calls here whenever its time is over; vertices of
one tick never meet.

Three or more comparisons, an edge that negated matches cut, and small blocks: every pair of the two blocks, tile after
tile, O(n**2) with no branch in the innermost loop.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from cep_core.arrays import Bits, Flags, Ints
from cep_core.numbers.limb_rows import Rows, Shape, add, part_of
from cep_core.trends.arrays.blocks import BlockRanks
from cep_core.trends.arrays.graph import Comparisons
from cep_core.trends.kernels.trees import Trees, add_up, clear, enter

Ranks = npt.NDArray[np.int32]

FEWEST_PAIRS = 1 << 11
"""Two blocks of fewer pairs are compared pair by pair."""
TILE = 512
"""Vertices whose ranks and numbers stay in the core's first cache."""
NO_RANK = np.int32(np.iinfo(np.int32).max)
"""Stands for the rank of an unknown value: no bound reaches it."""


class Edges(NamedTuple):
    """The edges of a block of n vertices that carry several comparisons, and where the block's ticks begin."""

    edge: Ints
    """Their numbers c among the comparisons."""
    tick_begin: Ints
    """[ticks + 1] the first vertex of each tick."""
    first: Ints
    """[edges + 1] the comparisons of the k-th are first[k]..first[k + 1] - 1, the tree's one first."""
    rank: Ranks
    """[comparisons, n] of sources, NO_RANK where unknown."""
    low: Ranks
    """[comparisons, n] a target is preceded by ranks from `low`..."""
    high: Ranks
    """... to `high`."""
    divided: Flags
    """Whether the k-th edge is divided and conquered."""
    sources: Ranks
    """[edges, levels, n] the vertices by rank of the second comparison, within each block of 2**level ticks."""
    targets: Ranks
    """[edges, levels, n] the same by bound."""


@njit(cache=True)
def several_edges(comparisons: Comparisons, block: BlockRanks, tick: Ints) -> Edges:
    """The edges of a block; `tick[n]` are those of its vertices."""
    begin, ranks, bounds = block.begin, block.rank, block.bound
    n = tick.shape[0]
    others = comparisons.first_other
    count = 0
    room = 0
    for c in range(comparisons.source.shape[0]):
        if others[c + 1] > others[c]:
            count += 1
            room += 1 + others[c + 1] - others[c]
    if count == 0:
        n = 0
    edge = np.zeros(count, np.int64)
    first = np.zeros(count + 1, np.int64)
    rank = np.zeros((room, n), np.int32)
    low = np.ones((room, n), np.int32)
    high = np.zeros((room, n), np.int32)
    divided = np.zeros(count, np.bool_)
    group = np.zeros(n, np.int64)
    for i in range(1, n):
        group[i] = group[i - 1] + np.int64(tick[i] != tick[i - 1])
    ticks = group[n - 1] + 1 if n else np.int64(0)
    tick_begin = np.full(ticks + 1, n, np.int64)
    for i in range(n - 1, -1, -1):
        tick_begin[group[i]] = i
    k = 0
    at = 0
    for c in range(comparisons.source.shape[0]):
        if others[c + 1] == others[c]:
            continue
        edge[k] = c
        for i in range(n):
            rank[at, i] = ranks[c, i] if ranks[c, i] > 0 else NO_RANK
            high[at, i] = bounds[c, i]
            low[at, i] = bounds[c, i] if comparisons.equal[c] and bounds[c, i] > 0 else 1
        at += 1
        for other in range(others[c], others[c + 1]):
            for i in range(n):
                own = comparisons.other_rank[begin + i, other]
                rank[at, i] = own if own > 0 else NO_RANK
                high[at, i] = comparisons.other_bound[begin + i, other]
            at += 1
        divided[k] = others[c + 1] - others[c] == 1 and not comparisons.cut[c] and n * n > FEWEST_PAIRS
        k += 1
        first[k] = at
    levels = 0
    while divided.any() and 1 << levels < ticks:
        levels += 1
    sources = np.zeros((count, levels, n), np.int32)
    targets = np.zeros((count, levels, n), np.int32)
    for k in range(count):
        if divided[k]:
            _order(rank[first[k] + 1], group, tick_begin, sources[k])
            _order(high[first[k] + 1], group, tick_begin, targets[k])
    return Edges(edge, tick_begin, first, rank, low, high, divided, sources, targets)


@njit(cache=True)
def _order(keys: Ranks, group: Ints, tick_begin: Ints, orders: Ranks) -> None:
    """Vertices by key within each block of 2**level ticks: sorted once, then dealt out from each level to the next."""
    ordered = np.argsort(keys, kind="mergesort").astype(np.int32)
    for level in range(orders.shape[0] - 1, -1, -1):
        free = tick_begin[:-1][:: 1 << level].copy()
        for i in ordered:
            block = group[i] >> level
            orders[level, free[block]] = i
            free[block] += 1
        ordered = orders[level]


class Block(NamedTuple):
    """The n vertices of a block, and its lanes."""

    start: int
    """The first vertex."""
    states: Bits
    """[n] the states (bits) that a vertex may bind."""
    lanes: Ints
    """[2, n] the first lane of each vertex, and one after the last."""
    shape: Shape
    """The shape of all rows."""


class Passing(NamedTuple):
    """What the vertices of a block pass on."""

    trees: Trees
    kept: Rows
    """Row state * n + vertex: what each vertex has committed so far."""
    given: Rows
    """Likewise what each vertex receives."""


@njit(cache=True)
def hand_on(comparisons: Comparisons, edges: Edges, tick: int, block: Block, limbs: int, passing: Passing) -> None:
    """When the walk reaches the block's `tick`-th tick: add what later vertices receive from the blocks before it.

    Every pair of an earlier and a later tick meets in exactly one call. Rows have so many `limbs`.
    """
    half = tick & -tick
    level = 0
    while 1 << level < half:
        level += 1
    ticks = edges.tick_begin.shape[0] - 1
    left = edges.tick_begin[tick - half]
    middle = edges.tick_begin[tick]
    right = edges.tick_begin[min(tick + half, ticks)]
    for k in range(edges.edge.shape[0]):
        if edges.divided[k] and (middle - left) * (right - middle) >= FEWEST_PAIRS:
            _divide(comparisons, edges, k, level, (left, middle, right), block, limbs, passing)
        else:
            _compare_pairs(comparisons, edges, k, (left, middle, right), block, limbs, passing)


@njit(cache=True, inline="always")
def _divide(
    comparisons: Comparisons,
    edges: Edges,
    k: int,
    level: int,
    halves: tuple[int, int, int],
    block: Block,
    limbs: int,
    passing: Passing,
) -> None:
    """Give each vertex of the second half what it receives from the first along the k-th edge, by a tree."""
    left, middle, right = halves
    n = block.states.shape[0]
    lanes, shape, trees, kept, given = block.lanes, block.shape, passing.trees, passing.kept, passing.given
    c = edges.edge[k]
    source = comparisons.source[c]
    target = np.uint64(comparisons.target[c])
    tree_rank, other_rank = edges.rank[edges.first[k]], edges.rank[edges.first[k] + 1]
    tree_bound, other_bound = edges.high[edges.first[k]], edges.high[edges.first[k] + 1]
    entered = left
    for place in range(middle, right):
        i = edges.targets[k, level, place]
        if not block.states[i] >> target & np.uint64(1) or other_bound[i] == 0 or tree_bound[i] == 0:
            continue
        while entered < middle:
            j = edges.sources[k, level, entered]
            if other_rank[j] > other_bound[i]:
                break
            own = part_of(lanes[0, j], lanes[1, j], shape, limbs)
            enter(trees, c, np.int64(tree_rank[j]), kept, source * n + j, own)
            entered += 1
        own = part_of(lanes[0, i], lanes[1, i], shape, limbs)
        add_up(trees, c, np.int64(tree_bound[i]), given, comparisons.target[c] * n + i, own)
    for place in range(left, entered):
        clear(trees, c, np.int64(tree_rank[edges.sources[k, level, place]]))


@njit(cache=True)
def _compare_pairs(
    comparisons: Comparisons,
    edges: Edges,
    k: int,
    halves: tuple[int, int, int],
    block: Block,
    limbs: int,
    passing: Passing,
) -> None:
    """The same by every pair of a vertex of the first half and one of the second."""
    left, middle, right = halves
    rank = edges.rank[edges.first[k] : edges.first[k + 1]]
    low = edges.low[edges.first[k] : edges.first[k + 1]]
    high = edges.high[edges.first[k] : edges.first[k + 1]]
    kept, given, lanes = passing.kept, passing.given, block.lanes
    c = edges.edge[k]
    since = comparisons.since[c] if comparisons.cut[c] else np.zeros(0, np.int64)
    target = np.uint64(comparisons.target[c])
    source = comparisons.source[c] * block.states.shape[0]
    received = comparisons.target[c] * block.states.shape[0]
    single = given.words.shape[1] == 1 and given.minima.shape[1] == 0
    fits = np.zeros(TILE, np.bool_)
    for begin in range(left, middle, TILE):
        end = min(begin + TILE, middle)
        for i in range(middle, right):
            if not block.states[i] >> target & np.uint64(1):
                continue
            floor = begin
            if since.shape[0]:
                floor = max(begin, since[block.start + i] - block.start)
            n = end - floor
            if n <= 0:
                continue
            own = rank[0, floor:end]  # slices, or else these loops are not vectorised
            least, most = low[0, i], high[0, i]
            for j in range(n):
                fits[j] = (own[j] >= least) & (own[j] <= most)
            for d in range(1, rank.shape[0]):
                own = rank[d, floor:end]
                most = high[d, i]
                for j in range(n):
                    fits[j] &= own[j] <= most
            if single:
                counts = kept.words.reshape(kept.words.size)[source + floor : source + end]
                total = np.uint64(0)
                for j in range(n):
                    total += counts[j] if fits[j] else np.uint64(0)
                given.words[received + i, 0] += total
                continue
            part = part_of(lanes[0, i], lanes[1, i], block.shape, limbs)
            for j in range(n):
                if fits[j]:
                    add(given, received + i, kept, source + floor + j, part)

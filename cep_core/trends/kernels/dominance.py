"""Sums over the earlier vertices that satisfy several comparisons at once, for edges with more than one comparison.

GRETA, section 6, sorts vertices by one attribute and tests the other conditions for one predecessor after another. Two
comparisons are dominance counting. Offline divide and conquer solves it without visiting pairs (Bentley 1980). Take two
neighbouring blocks of time. The vertices of the earlier block are entered into a Fenwick tree over the first
comparison, in the order of the second. A vertex of the later block reads its sum when all vertices that satisfy its
second comparison are in the tree. Blocks have powers of two of ticks, so a vertex takes part in log n of them:
O(n log^2 n) for n vertices. The walk calls these functions when the time of the earlier block is over, so that block is
complete when it is read. Vertices of one tick never meet.

Three or more comparisons, edges that negated matches cut, and small blocks: every pair of the two blocks is compared,
tile after tile, O(n**2), without a branch in the innermost loop.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from cep_core.arrays import Bits, Flags, Ints
from cep_core.inner_kernels import inner
from cep_core.numbers.limb_rows import Rows, Shape, add, part_of
from cep_core.trends.arrays.blocks import BlockRanks
from cep_core.trends.arrays.graph import Comparisons
from cep_core.trends.kernels.trees import Trees, add_up, clear, enter

Ranks = npt.NDArray[np.int32]

FEWEST_PAIRS = 1 << 11
"""Two blocks with fewer pairs than this are compared pair by pair."""
TILE = 512
"""The number of vertices whose ranks and numbers fit the core's first cache."""
NO_RANK = np.int32(np.iinfo(np.int32).max)
"""The rank of a null value. No bound reaches it."""


class Edges(NamedTuple):
    """The edges with several comparisons, for a block of n vertices; and where the ticks of the block begin."""

    edge: Ints
    """The number c of each edge among the comparisons."""
    tick_begin: Ints
    """[ticks + 1] The first vertex of each tick."""
    first: Ints
    """[edges + 1] The comparisons of edge k are first[k]..first[k + 1] - 1. The first of them is the tree's."""
    rank: Ranks
    """[comparisons, n] The ranks of sources, NO_RANK for null."""
    low: Ranks
    """[comparisons, n] The lowest rank that a target may follow."""
    high: Ranks
    """[comparisons, n] The highest rank that a target may follow."""
    divided: Flags
    """Whether edge k uses divide and conquer."""
    sources: Ranks
    """[edges, levels, n] The vertices by rank of the second comparison, within each block of 2**level ticks."""
    targets: Ranks
    """[edges, levels, n] The vertices by bound of the second comparison, likewise."""


@inner
def several_edges(comparisons: Comparisons, block: BlockRanks, tick: Ints) -> Edges:
    """The edges of a block. `tick[n]`: the ticks of its vertices."""
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
    place = 0
    for c in range(comparisons.source.shape[0]):
        if others[c + 1] == others[c]:
            continue
        edge[k] = c
        for i in range(n):
            rank[place, i] = ranks[c, i] if ranks[c, i] > 0 else NO_RANK
            high[place, i] = bounds[c, i]
            low[place, i] = bounds[c, i] if comparisons.equal[c] and bounds[c, i] > 0 else 1
        place += 1
        for o in range(others[c], others[c + 1]):
            for i in range(n):
                other_rank = comparisons.other_rank[begin + i, o]
                rank[place, i] = other_rank if other_rank > 0 else NO_RANK
                high[place, i] = comparisons.other_bound[begin + i, o]
            place += 1
        divided[k] = others[c + 1] - others[c] == 1 and not comparisons.cut[c] and n * n > FEWEST_PAIRS
        k += 1
        first[k] = place
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


@inner
def _order(keys: Ranks, group: Ints, tick_begin: Ints, orders: Ranks) -> None:
    """Order vertices by key in each block of 2**level ticks: sort once, then distribute from each level to the next."""
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
    """[n] The states that a vertex may bind, as bits."""
    lanes: Ints
    """[2, n] The first lane of each vertex, and one after its last lane."""
    shape: Shape
    """The shape of all rows."""


class Passing(NamedTuple):
    """The numbers that the vertices of a block pass on."""

    trees: Trees
    kept: Rows
    """Row state * n + vertex: the numbers that each vertex has committed so far."""
    given: Rows
    """Row state * n + vertex: the numbers that each vertex receives."""


@inner
def hand_on(comparisons: Comparisons, edges: Edges, tick: int, block: Block, limbs: int, passing: Passing) -> None:
    """Add the numbers that later vertices receive from earlier blocks, when the walk reaches the `tick`-th tick.

    Every pair of an earlier and a later tick meets in exactly one call. Rows have `limbs` limbs.
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
    """Add the numbers that vertices of the second half receive from the first half along edge k, with a tree."""
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
            lanes_of_vertex = part_of(lanes[0, j], lanes[1, j], shape, limbs)
            enter(trees, c, np.int64(tree_rank[j]), kept, source * n + j, lanes_of_vertex)
            entered += 1
        lanes_of_vertex = part_of(lanes[0, i], lanes[1, i], shape, limbs)
        add_up(trees, c, np.int64(tree_bound[i]), given, comparisons.target[c] * n + i, lanes_of_vertex)
    for place in range(left, entered):
        clear(trees, c, np.int64(tree_rank[edges.sources[k, level, place]]))


@inner
def _compare_pairs(
    comparisons: Comparisons,
    edges: Edges,
    k: int,
    halves: tuple[int, int, int],
    block: Block,
    limbs: int,
    passing: Passing,
) -> None:
    """Do the same as `_divide` by comparing every vertex of the second half with every vertex of the first half."""
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
            source_ranks = rank[0, floor:end]  # slices, otherwise these loops are not vectorised
            least, most = low[0, i], high[0, i]
            for j in range(n):
                fits[j] = (source_ranks[j] >= least) & (source_ranks[j] <= most)
            for d in range(1, rank.shape[0]):
                source_ranks = rank[d, floor:end]
                most = high[d, i]
                for j in range(n):
                    fits[j] &= source_ranks[j] <= most
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

"""Counts the trends of a block of overlapping windows in one walk, in numbers with as many limbs as they need.

Each cell of the Fenwick trees of `ranked` holds one number for each window of the block; these are its lanes. So a cell
is searched once for all windows of a vertex, and vector instructions do the additions. A vertex takes part in the lanes
of the windows that contain it. For n vertices and k windows over a vertex this takes O(n * edges * log n) searches and
O(n * k * edges * log n) additions of that many limbs. For edges with several comparisons see `dominance`, which adds a
factor of log n, or of n.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cep_core.arrays import Bits
from cep_core.inner_kernels import inner
from cep_core.numbers.limb_rows import Rows, Shape, add, empty, part_of, put, rows_of, shape_of
from cep_core.numbers.limbs import add_product, grow, settle
from cep_core.trends.arrays.blocks import block_ranks
from cep_core.trends.arrays.graph import Graph, Vertices
from cep_core.trends.arrays.ranges import Ranges
from cep_core.trends.kernels.dominance import Block, Passing, hand_on, several_edges
from cep_core.trends.kernels.ranked import longest_tie
from cep_core.trends.kernels.trees import add_up, cut_off, enter, trees_of
from cep_core.trends.kernels.window_sums import may_begin, may_end


class LimbWeights(NamedTuple):
    """The weights of m vertices as limbs."""

    limbs: Bits
    """[m, J, L] Limbs of 32 bits, the lowest first."""
    bits: int
    """The number of bits used in a limb of a number."""


@inner
def walk_block(graph: Graph, weights: LimbWeights, windows: Ranges, begin: int, end: int, results: Rows) -> int:
    """Fill the only row of `results` with the numbers and minima of the windows begin..end-1, one lane for each window.

    Returns the number of limbs of the numbers. If the row has no room for so many limbs, it is void. The function is
    long because the steps for a vertex share about twenty arrays; with few lanes, passing these arrays in calls would
    cost more than the steps.
    """
    template, comparisons, vertices, limits = graph
    bits = weights.bits
    first, last = windows.first[begin:end], windows.last[begin:end]
    states = template.start.shape[0]
    compared = comparisons.source.shape[0]
    limited = limits.starts_before.shape[0] > 0
    several = comparisons.first_other[compared] > 0
    kept_needed = several or comparisons.cut.any()
    lanes = first.shape[0]
    start = first[0]
    stop = last[lanes - 1]
    shape = shape_of(lanes, 1 + weights.limbs.shape[1], vertices.codes.shape[1])
    words, minima_width = results.words.shape[1], results.minima.shape[1]
    room = words // shape.stride
    ranked = block_ranks(comparisons, start, stop)
    ranks, bounds = ranked.rank, ranked.bound
    edges = several_edges(comparisons, ranked, vertices.tick[start:stop])
    # The vertices of the current tick, which nothing follows yet. Then all earlier vertices: by state, and by rank.
    ties = longest_tie(vertices.tick[start:stop]) * states
    waiting_vertex = np.zeros(ties, np.int64)
    waiting_state = np.zeros(ties, np.int64)
    waiting_lanes = np.zeros((ties, 2), np.int64)
    waiting = rows_of(ties, words, minima_width)
    done = rows_of(states, words, minima_width)
    trees = trees_of(ranked.cells, comparisons.equal, words, minima_width)
    final = rows_of(1, words, minima_width)
    carry = np.zeros(shape.stride, np.uint64)
    # The numbers that each vertex has committed: for edges that negated matches cut, and for edges with several
    # comparisons. And the numbers that each vertex receives along edges with several comparisons.
    span = stop - start
    kept = rows_of(states * span if kept_needed else 0, words, minima_width)
    given = rows_of(states * span if several else 0, words, minima_width)
    lanes_of = np.zeros((2, span if several else 0), np.int64)
    for lane in range(lanes if several else 0):
        lanes_of[1, first[lane] - start :] += 1
        lanes_of[0, last[lane] - start :] += 1
    block = Block(start, vertices.states[start:stop], lanes_of, shape)
    passing = Passing(trees, kept, given)
    floor = np.zeros(compared, np.int64)
    committed = np.int64(0)
    # These have a type on purpose. As literals 0 and 1, they would make Numba compile callees for the literals as well.
    limbs = np.int64(1)
    tick = np.int64(0)
    l0 = np.int64(0)
    l1 = np.int64(0)
    n = np.int64(0)
    for i in range(start, stop):
        if i > start and vertices.tick[i] != vertices.tick[i - 1]:
            for q in range(n):
                s = waiting_state[q]
                offset = waiting_vertex[q] - start
                part = part_of(waiting_lanes[q, 0], waiting_lanes[q, 1], shape, limbs)
                if template.first_successor[s + 1] > template.first_successor[s]:
                    add(done, s, waiting, q, part)
                if kept_needed:
                    put(kept, s * span + offset, waiting, q, part)
                for c in range(compared):
                    if comparisons.source[c] == s and comparisons.first_other[c + 1] == comparisons.first_other[c]:
                        enter(trees, c, ranks[c, offset], waiting, q, part)
            n = np.int64(0)
            committed = i - start
            tick += 1
            if several:
                hand_on(comparisons, edges, tick, block, limbs, passing)
        while last[l0] <= i:
            _tell(results, final, l0, shape, limbs)
            l0 += 1
        while l1 < lanes and first[l1] <= i:
            l1 += 1
        part = part_of(l0, l1, shape, limbs)
        for s in range(states):
            bit = np.uint64(1) << np.uint64(s)
            if not vertices.states[i] & bit:
                continue
            if several:
                put(waiting, n, given, s * span + i - start, part)
            else:
                empty(waiting, n, part)
            if template.start[s]:
                for lane in range(l0, l1):
                    if not limited or may_begin(limits, i, s, begin + lane, first[lane]):
                        waiting.words[n, lane * shape.numbers] += np.uint64(1)
            for e in range(template.first_predecessor[s], template.first_predecessor[s + 1]):
                add(waiting, n, done, template.predecessors[e], part)
            for c in range(compared):
                if comparisons.target[c] != s or comparisons.first_other[c + 1] > comparisons.first_other[c]:
                    continue
                since = max(comparisons.since[c, i] - start, 0) if comparisons.cut[c] else floor[c]
                if since != floor[c]:
                    cut_off(trees, c, ranks[c], kept, comparisons.source[c] * span, floor[c], since, committed)
                    floor[c] = since
                add_up(trees, c, bounds[c, i - start], waiting, n, part)
            nonzero, carried = settle(waiting.words, n, carry, bits, part)
            if not nonzero:
                continue
            if carried:
                if limbs == room:
                    return room + 1
                part = grow(waiting.words, n, carry, part)
                limbs += 1
            if shape.numbers > 1 or shape.extremes > 0:
                limbs = max(limbs, _occur(vertices, weights, (i, s, n), waiting, (l0, l1), shape, limbs))
                if limbs > room:
                    return room + 1
                part = part_of(l0, l1, shape, limbs)
                if shape.numbers > 1:
                    _, carried = settle(waiting.words, n, carry, bits, part)
                    if carried:
                        if limbs == room:
                            return room + 1
                        part = grow(waiting.words, n, carry, part)
                        limbs += 1
            if template.end[s] and not limited:
                add(final, 0, waiting, n, part)
            elif template.end[s]:
                for lane in range(l0, l1):
                    if may_end(limits, i, s, begin + lane, last[lane]):
                        _end(final, waiting, n, lane, shape, limbs)
            waiting_vertex[n] = i
            waiting_state[n] = s
            waiting_lanes[n, 0] = l0
            waiting_lanes[n, 1] = l1
            n += 1
    while l0 < lanes:
        _tell(results, final, l0, shape, limbs)
        l0 += 1
    part = part_of(np.int64(0), lanes, shape, limbs)
    _, carried = settle(results.words, 0, carry, bits, part)
    if carried and limbs < room:
        grow(results.words, 0, carry, part)
    return int(limbs + 1 if carried else limbs)


@inner
def _occur(
    vertices: Vertices,
    weights: LimbWeights,
    place: tuple[int, int, int],
    waiting: Rows,
    lanes: tuple[int, int],
    shape: Shape,
    limbs: int,
) -> int:
    """Add a vertex to the sums and minima of each of its lanes that has a trend. Returns the number of limbs in use.

    `place`: the vertex, the state that it binds, and its row of `waiting`.
    """
    vertex, state, row = place
    bit = np.uint64(1) << np.uint64(state)
    taken = limbs
    for lane in range(lanes[0], lanes[1]):
        count = lane * shape.numbers
        counted = np.uint64(0)
        for k in range(limbs):
            counted |= waiting.words[row, k * shape.stride + count]
        if counted == 0:
            continue
        for j in range(1, shape.numbers):
            if vertices.weighted[j - 1] & bit:
                weight = weights.limbs[vertex, j - 1]
                sum_limbs = add_product(waiting.words, row, count + j, count, shape.stride, limbs, weight, weights.bits)
                taken = max(taken, sum_limbs)
        for j in range(shape.extremes):
            if vertices.coded[j] & bit:
                y = lane * shape.extremes + j
                waiting.minima[row, y] = min(waiting.minima[row, y], vertices.codes[vertex, j])
    return taken


@inner
def _end(final: Rows, waiting: Rows, row: int, lane: int, shape: Shape, limbs: int) -> None:
    """Add the lane of one window, in a row, to the numbers of its finished trends."""
    for k in range(limbs):
        for x in range(k * shape.stride + lane * shape.numbers, k * shape.stride + (lane + 1) * shape.numbers):
            final.words[0, x] += waiting.words[row, x]
    for y in range(lane * shape.extremes, (lane + 1) * shape.extremes):
        final.minima[0, y] = min(final.minima[0, y], waiting.minima[row, y])


@inner
def _tell(results: Rows, final: Rows, lane: int, shape: Shape, limbs: int) -> None:
    """Copy the numbers of a window that has ended. Later additions for its neighbours still change its lane."""
    for k in range(limbs):
        for x in range(k * shape.stride + lane * shape.numbers, k * shape.stride + (lane + 1) * shape.numbers):
            results.words[0, x] = final.words[0, x]
    for y in range(lane * shape.extremes, (lane + 1) * shape.extremes):
        results.minima[0, y] = final.minima[0, y]

"""Trends of many windows in one walk, as exact numbers of any size.

Each cell of `ranked`'s Fenwick trees holds a number for each window of a *block* of overlapping windows (its lanes), so
that the search for a cell, which is what costs, is done once for all windows of a vertex, and the additions are done by
vector instructions. A vertex takes part in the lanes of the windows that contain it. O(n * edges * log n) searches and
O(n * k * edges * log n) additions for n vertices and k windows over a vertex: no way is known that avoids the latter
for arbitrary values. Edges with several comparisons: see `dominance`, which adds a factor of log n, or of n.

Numbers have as many limbs (`limbs`) as the largest of the block has come to need, one as long as all fit a word; trends
grow more as a window goes on, so that most additions are of few limbs. A block that needs more than there is room for
is walked again with twice the room, and the next one begins with that much.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from cep_core.trends.blocks import (
    MEMORY,
    add,
    add_up,
    block_end,
    block_ranks,
    cut_off,
    empty,
    enter,
    lower,
    part_of,
    put,
    row_words,
)
from cep_core.trends.counting import may_begin, may_end
from cep_core.trends.dominance import hand_on, several_edges
from cep_core.trends.graph import NOTHING, Automaton, Bits, Comparisons, Ints, Limits, Vertices
from cep_core.trends.limbs import add_product, grow, settle
from cep_core.trends.ranked import longest_tie

ROOM_OF_CACHE = 8
"""Limbs that are not reckoned when a block's trees are to fit the cache: most numbers do not use all of their room."""


class Numbers(NamedTuple):
    """The numbers of W windows: words where all of a window's are, and limbs for the others."""

    words: Bits
    """[W, J]."""
    limbs: Ints
    """[W] how many limbs a window's numbers have; 1: they are words."""
    begin: Ints
    """[W] where they begin among..."""
    wide: Bits
    """... these: the limbs of the first number, lowest first, then those of the next."""


@njit(cache=True, nogil=True)
def walk_windows(
    template: Automaton,
    comparisons: Comparisons,
    vertices: Vertices,
    weights: Bits,
    bits: int,
    limits: Limits,
    first: Ints,
    last: Ints,
    partition: Ints,
    minima: Ints,
) -> Numbers:
    """The trends, and the J sums over their occurrences, of windows in time order, partition after partition.

    As `counting.count_windows` for windows of `partition[w]`, but exact. `weights[m, J, L]`: the weights as limbs
    (`vertices.weights` is not read); a limb of a number uses `bits` bits. Fills `minima[W, M]`.
    """
    windows = first.shape[0]
    numbers = 1 + weights.shape[1]
    extremes = vertices.codes.shape[1]
    words = np.zeros((windows, numbers), np.uint64)
    limbs = np.ones(windows, np.int64)
    wide_begin = np.zeros(windows, np.int64)
    wide = np.zeros(64, np.uint64)
    taken = 0
    room = 1
    begin = 0
    while begin < windows:
        lane_words = numbers * (1 + room // ROOM_OF_CACHE) + extremes
        end = block_end(first, last, partition, begin, lane_words)
        while end - begin > 1 and (last[end - 1] - first[begin]) * (end - begin) * (numbers * room + extremes) > MEMORY:
            end -= 1
        stride = row_words(end - begin, numbers)
        told = np.zeros((1, stride * room), np.uint64)
        least = minima[begin:end].reshape((1, (end - begin) * extremes))
        used = _walk_block(
            template, comparisons, vertices, weights, bits, limits, first, last, begin, end, stride, told, least
        )
        if used > room:
            room *= 2
            continue
        for w in range(begin, end):
            at = (w - begin) * numbers
            own = 1
            for k in range(1, used):
                for j in range(numbers):
                    if told[0, k * stride + at + j] != 0:
                        own = k + 1
            limbs[w] = own
            words[w] = told[0, at : at + numbers]
            if own == 1:
                continue
            if taken + own * numbers > wide.shape[0]:
                wider = np.zeros(2 * (taken + own * numbers), np.uint64)
                wider[:taken] = wide[:taken]
                wide = wider
            wide_begin[w] = taken
            for j in range(numbers):
                for k in range(own):
                    wide[taken] = told[0, k * stride + at + j]
                    taken += 1
        room = used + used // ROOM_OF_CACHE
        begin = end
    return Numbers(words, limbs, wide_begin, wide[:taken].copy())


@njit(cache=True, nogil=True)
def _walk_block(
    template: Automaton,
    comparisons: Comparisons,
    vertices: Vertices,
    weights: Bits,
    bits: int,
    limits: Limits,
    first: Ints,
    last: Ints,
    begin: int,
    end: int,
    stride: int,
    told: Bits,
    told_minima: Ints,
) -> int:
    """Fill the only row of `told` with the numbers of windows begin..end-1, and their minima.

    Returns how many limbs these have; if that is more than the row has room for, it is void.
    """
    states = template.start.shape[0]
    compared = comparisons.source.shape[0]
    numbers = 1 + weights.shape[1]
    extremes = vertices.codes.shape[1]
    limited = limits.starts_before.shape[0] > 0
    several = comparisons.first_other[compared] > 0
    kept_needed = several or comparisons.cut.any()
    lanes = end - begin
    start = first[begin]
    stop = last[end - 1]
    words = told.shape[1]
    room = words // stride
    ranks, bounds, cells = block_ranks(comparisons, start, stop)
    edges = several_edges(comparisons, ranks, bounds, vertices.tick, start, stop)
    tree_rows = np.int64(1)
    for c in range(compared):
        tree_rows = max(tree_rows, cells[c] + 1)
    # The vertices of the current tick, which nothing follows yet, and of all before: by state, and by rank.
    ties = longest_tie(vertices.tick[start:stop]) * states
    waiting_vertex = np.zeros(ties, np.int64)
    waiting_state = np.zeros(ties, np.int64)
    waiting_lanes = np.zeros((ties, 2), np.int64)
    waiting = np.zeros((ties, words), np.uint64)
    waiting_minima = np.full((ties, lanes * extremes), NOTHING, np.int64)
    done = np.zeros((states, words), np.uint64)
    done_minima = np.full((states, lanes * extremes), NOTHING, np.int64)
    trees = np.zeros((compared * tree_rows, words), np.uint64)
    trees_minima = np.full((compared * tree_rows, lanes * extremes), NOTHING, np.int64)
    final = np.zeros((1, words), np.uint64)
    told_minima[:] = NOTHING
    carry = np.zeros(stride, np.uint64)
    # What each vertex has committed, for edges that forget what negated matches cut off or compare several times, and
    # what it is given along the latter.
    span = stop - start if kept_needed else np.int64(0)
    kept = np.zeros((states * span, words), np.uint64)
    kept_minima = np.full((states * span, lanes * extremes), NOTHING, np.int64)
    span = stop - start if several else np.int64(0)
    given = np.zeros((states * span, words), np.uint64)
    given_minima = np.full((states * span, lanes * extremes), NOTHING, np.int64)
    lanes_of = np.zeros((2, span), np.int64)
    for lane in range(lanes if several else 0):
        lanes_of[1, first[begin + lane] - start :] += 1
        lanes_of[0, last[begin + lane] - start :] += 1
    floor = np.zeros(compared, np.int64)
    committed = np.int64(0)
    limbs = 1
    tick = 0
    l0 = 0
    l1 = 0
    n = 0
    for i in range(start, stop):
        if i > start and vertices.tick[i] != vertices.tick[i - 1]:
            for q in range(n):
                s = waiting_state[q]
                at = waiting_vertex[q] - start
                part = part_of(waiting_lanes[q, 0], waiting_lanes[q, 1], numbers, extremes, stride, limbs)
                if template.first_successor[s + 1] > template.first_successor[s]:
                    add(done, s, waiting, q, part)
                    lower(done_minima, s, waiting_minima, q, part)
                if kept_needed:
                    put(kept, s * (stop - start) + at, waiting, q, part)
                    lower(kept_minima, s * (stop - start) + at, waiting_minima, q, part)
                for c in range(compared):
                    if comparisons.source[c] == s and comparisons.first_other[c + 1] == comparisons.first_other[c]:
                        enter(
                            trees,
                            trees_minima,
                            c * tree_rows,
                            ranks[c, at],
                            cells[c],
                            comparisons.equal[c],
                            waiting,
                            waiting_minima,
                            q,
                            part,
                        )
            n = 0
            committed = i - start
            tick += 1
            if several:
                hand_on(
                    comparisons,
                    edges,
                    tick,
                    vertices.states[start:stop],
                    start,
                    lanes_of,
                    numbers,
                    extremes,
                    stride,
                    limbs,
                    cells,
                    tree_rows,
                    trees,
                    trees_minima,
                    kept,
                    kept_minima,
                    given,
                    given_minima,
                )
        while last[begin + l0] <= i:
            _tell(told, final, l0, numbers, stride, limbs)
            l0 += 1
        while l1 < lanes and first[begin + l1] <= i:
            l1 += 1
        part = part_of(l0, l1, numbers, extremes, stride, limbs)
        for s in range(states):
            bit = np.uint64(1) << np.uint64(s)
            if not vertices.states[i] & bit:
                continue
            if several:
                put(waiting, n, given, s * (stop - start) + i - start, part)
                for y in range(part.least_begin, part.least_end):
                    waiting_minima[n, y] = given_minima[s * (stop - start) + i - start, y]
            else:
                empty(waiting, n, part)
                for y in range(part.least_begin, part.least_end):
                    waiting_minima[n, y] = NOTHING
            if template.start[s]:
                for lane in range(l0, l1):
                    if not limited or may_begin(limits, i, s, begin + lane, first[begin + lane]):
                        waiting[n, lane * numbers] += np.uint64(1)
            for e in range(template.first_predecessor[s], template.first_predecessor[s + 1]):
                add(waiting, n, done, template.predecessors[e], part)
                lower(waiting_minima, n, done_minima, template.predecessors[e], part)
            for c in range(compared):
                if comparisons.target[c] != s or comparisons.first_other[c + 1] > comparisons.first_other[c]:
                    continue
                equal = comparisons.equal[c]
                since = max(comparisons.since[c, i] - start, 0) if comparisons.cut[c] else floor[c]
                if since != floor[c]:
                    cut_off(
                        trees,
                        trees_minima,
                        c * tree_rows,
                        ranks[c],
                        cells[c],
                        equal,
                        kept,
                        kept_minima,
                        comparisons.source[c] * (stop - start),
                        floor[c],
                        since,
                        committed,
                    )
                    floor[c] = since
                bound = bounds[c, i - start]
                add_up(trees, trees_minima, c * tree_rows, bound, equal, waiting, waiting_minima, n, part)
            found, more = settle(waiting, n, carry, bits, part)
            if not found:
                continue
            if more:
                if limbs == room:
                    return room + 1
                part = grow(waiting, n, carry, part)
                limbs += 1
            if numbers > 1 or extremes > 0:
                weighed = limbs
                for lane in range(l0, l1):
                    count = lane * numbers
                    counted = np.uint64(0)
                    for k in range(limbs):
                        counted |= waiting[n, k * stride + count]
                    if counted == 0:
                        continue
                    for j in range(1, numbers):
                        if vertices.weighted[j - 1] & bit:
                            weight = weights[i, j - 1]
                            taken = add_product(waiting, n, count + j, count, stride, limbs, weight, bits)
                            weighed = max(weighed, taken)
                    for j in range(extremes):
                        if vertices.coded[j] & bit:
                            y = lane * extremes + j
                            waiting_minima[n, y] = min(waiting_minima[n, y], vertices.codes[i, j])
                if weighed > room:
                    return room + 1
                limbs = weighed
                part = part_of(l0, l1, numbers, extremes, stride, limbs)
                if numbers > 1:
                    _, more = settle(waiting, n, carry, bits, part)
                    if more:
                        if limbs == room:
                            return room + 1
                        part = grow(waiting, n, carry, part)
                        limbs += 1
            if template.end[s] and not limited:
                add(final, 0, waiting, n, part)
                lower(told_minima, 0, waiting_minima, n, part)
            elif template.end[s]:
                for lane in range(l0, l1):
                    if not may_end(limits, i, s, begin + lane, last[begin + lane]):
                        continue
                    for k in range(limbs):
                        for x in range(k * stride + lane * numbers, k * stride + (lane + 1) * numbers):
                            final[0, x] += waiting[n, x]
                    for y in range(lane * extremes, (lane + 1) * extremes):
                        told_minima[0, y] = min(told_minima[0, y], waiting_minima[n, y])
            waiting_vertex[n] = i
            waiting_state[n] = s
            waiting_lanes[n, 0] = l0
            waiting_lanes[n, 1] = l1
            n += 1
    while l0 < lanes:
        _tell(told, final, l0, numbers, stride, limbs)
        l0 += 1
    part = part_of(0, lanes, numbers, extremes, stride, limbs)
    _, more = settle(told, 0, carry, bits, part)
    if more and limbs < room:
        grow(told, 0, carry, part)
    return limbs + 1 if more else limbs


@njit(cache=True)
def _tell(told: Bits, final: Bits, lane: int, numbers: int, stride: int, limbs: int) -> None:
    """Copy the numbers of a window that is over: its neighbours' additions still go over them."""
    for k in range(limbs):
        for x in range(k * stride + lane * numbers, k * stride + (lane + 1) * numbers):
            told[0, x] = final[0, x]

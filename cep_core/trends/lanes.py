"""Trends of overlapping windows, for templates whose edges carry comparisons: many windows in one walk.

Each cell of `ranked`'s Fenwick trees holds a number for each window of a *block* of overlapping windows (its lanes), so
that the search for a cell, which is what costs, is done once for all windows of a vertex, and the additions are done by
vector instructions. A vertex takes part in the lanes of the windows that contain it. O(n * edges * log n) searches and
O(n * k * edges * log n) additions for n vertices and k windows over a vertex: no way is known that avoids the latter
for arbitrary values. Edges with several comparisons: see `dominance`, which adds a factor of log n, or of n.

The walk is the same for machine words and for numbers of many limbs (`exact`): `limbs` tells them apart.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from cep_core.trends.blocks import add_up, block_end, block_ranks, cut_off, enter, lane_range
from cep_core.trends.counting import may_begin, may_end
from cep_core.trends.dominance import hand_on, several_edges
from cep_core.trends.graph import NOTHING, Automaton, Bits, Comparisons, Flags, Ints, Limits, Vertices
from cep_core.trends.limbs import WORD_LIMIT, add_product, settle
from cep_core.trends.ranked import longest_tie


def count_overlapping_windows(
    template: Automaton,
    comparisons: Comparisons,
    vertices: Vertices,
    limits: Limits,
    first: Ints,
    last: Ints,
    partition: Ints,
    totals: Ints,
    minima: Ints,
    overflowed: Flags,
) -> None:
    """As `ranked.count_compared_windows`, for windows in time order, partition after partition."""
    words = vertices.weights.view(np.uint64)[:, :, np.newaxis]
    numbers = totals.view(np.uint64)[:, :, np.newaxis]
    walk_blocks(template, comparisons, vertices, words, limits, first, last, partition, numbers, minima, overflowed)


@njit(cache=True, nogil=True)
def walk_blocks(
    template: Automaton,
    comparisons: Comparisons,
    vertices: Vertices,
    weights: Bits,
    limits: Limits,
    first: Ints,
    last: Ints,
    partition: Ints,
    totals: Bits,
    minima: Ints,
    lost: Flags,
) -> None:
    """As `count_overlapping_windows`, for numbers of any width.

    Fills `totals[W, 1 + J, limbs]`, `minima[W, M]` and `lost[W]`, which says that some number does not fit its limbs
    and the row is void. `weights[m, J, L]`: the weights, as a word each (L = 1) where totals are words, else as limbs
    of 32 bits; `vertices.weights` is not read.
    """
    states = template.start.shape[0]
    compared = comparisons.source.shape[0]
    numbers = totals.shape[1]
    limbs = totals.shape[2]
    words = limbs == 1
    width = numbers * limbs
    extremes = vertices.codes.shape[1]
    limited = limits.starts_before.shape[0] > 0
    several = comparisons.first_other[compared] > 0
    cut = comparisons.cut.any()
    room = longest_tie(vertices.tick) * states
    waiting_vertex = np.zeros(room, np.int64)
    waiting_state = np.zeros(room, np.int64)
    begin = 0
    while begin < first.shape[0]:
        end = block_end(first, last, partition, begin, width + extremes)
        lanes = end - begin
        start = first[begin]
        stop = last[end - 1]
        ranks, bounds, cells = block_ranks(comparisons, start, stop)
        edges = several_edges(comparisons, ranks, bounds, vertices.tick, start, stop)
        most = 0
        for c in range(compared):
            most = max(most, cells[c])
        # Lane l's numbers stand at l * width, limb by limb, its minima at l * extremes.
        done = np.zeros((states, lanes * width), np.uint64)
        done_minima = np.full((states, lanes * extremes), NOTHING, np.int64)
        trees = np.zeros((compared, most + 1, lanes * width), np.uint64)
        trees_minima = np.full((compared, most + 1, lanes * extremes), NOTHING, np.int64)
        waiting = np.zeros((room, lanes * width), np.uint64)
        waiting_minima = np.full((room, lanes * extremes), NOTHING, np.int64)
        final = np.zeros(lanes * width, np.uint64)
        final_minima = np.full(lanes * extremes, NOTHING, np.int64)
        seen = np.zeros(lanes * width, np.uint64)
        # What each vertex has committed, for edges that forget what negated matches cut off or compare several times,
        # and what it is given along the latter.
        span = stop - start if cut or several else np.int64(0)
        kept = np.zeros((states, span, lanes * width), np.uint64)
        kept_minima = np.full((states, span, lanes * extremes), NOTHING, np.int64)
        everything = np.zeros(lanes * width, np.uint64)  # of all states: no vertex is given more
        span = stop - start if several else np.int64(0)
        given = np.zeros((states, span, lanes * width), np.uint64)
        given_minima = np.full((states, span, lanes * extremes), NOTHING, np.int64)
        lanes_of = np.zeros((2, span), np.int64)
        for lane in range(lanes if several else 0):
            lanes_of[1, first[begin + lane] - start :] += 1
            lanes_of[0, last[begin + lane] - start :] += 1
        floor = np.zeros(compared, np.int64)
        committed = np.int64(0)
        tick = 0
        l0 = 0
        l1 = 0
        n = 0
        for i in range(start, stop):
            if i > start and vertices.tick[i] != vertices.tick[i - 1]:
                place = lane_range(l0, l1, width, extremes)
                x0, x1, y0, y1 = place
                for q in range(n):
                    s = waiting_state[q]
                    at = waiting_vertex[q] - start
                    for x in range(x0, x1):
                        done[s, x] += waiting[q, x]
                    if words:
                        for x in range(x0, x1):
                            seen[x] |= done[s, x]
                    for y in range(y0, y1):
                        done_minima[s, y] = min(done_minima[s, y], waiting_minima[q, y])
                    if words and several:
                        for x in range(x0, x1):
                            everything[x] += waiting[q, x]
                            seen[x] |= everything[x]
                    if cut or several:
                        kept[s, at, x0:x1] = waiting[q, x0:x1]
                        kept_minima[s, at, y0:y1] = waiting_minima[q, y0:y1]
                    for c in range(compared):
                        if comparisons.source[c] == s and comparisons.first_other[c + 1] == comparisons.first_other[c]:
                            enter(
                                trees[c],
                                trees_minima[c],
                                ranks[c, at],
                                cells[c],
                                comparisons.equal[c],
                                waiting[q],
                                waiting_minima[q],
                                place,
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
                        width,
                        extremes,
                        cells,
                        trees,
                        trees_minima,
                        kept,
                        kept_minima,
                        given,
                        given_minima,
                    )
            while last[begin + l0] <= i:
                l0 += 1
            while l1 < lanes and first[begin + l1] <= i:
                l1 += 1
            place = lane_range(l0, l1, width, extremes)
            x0, x1, y0, y1 = place
            for s in range(states):
                bit = np.uint64(1) << np.uint64(s)
                if not vertices.states[i] & bit:
                    continue
                own = waiting[n]
                own_minima = waiting_minima[n]
                if several:
                    own[x0:x1] = given[s, i - start, x0:x1]
                    own_minima[y0:y1] = given_minima[s, i - start, y0:y1]
                else:
                    own[x0:x1] = 0
                    own_minima[y0:y1] = NOTHING
                if template.start[s]:
                    for lane in range(l0, l1):
                        if not limited or may_begin(limits, i, s, begin + lane, first[begin + lane]):
                            own[lane * width] += np.uint64(1)
                for e in range(template.first_predecessor[s], template.first_predecessor[s + 1]):
                    r = template.predecessors[e]
                    for x in range(x0, x1):
                        own[x] += done[r, x]
                    if words:
                        for x in range(x0, x1):
                            seen[x] |= own[x]
                    for y in range(y0, y1):
                        own_minima[y] = min(own_minima[y], done_minima[r, y])
                for c in range(compared):
                    if comparisons.target[c] != s or comparisons.first_other[c + 1] > comparisons.first_other[c]:
                        continue
                    equal = comparisons.equal[c]
                    since = max(comparisons.since[c, i] - start, 0) if comparisons.cut[c] else floor[c]
                    if since != floor[c]:
                        r = comparisons.source[c]
                        cut_off(
                            trees[c],
                            trees_minima[c],
                            ranks[c],
                            cells[c],
                            equal,
                            kept[r],
                            kept_minima[r],
                            floor[c],
                            since,
                            committed,
                        )
                        floor[c] = since
                    add_up(trees[c], trees_minima[c], bounds[c, i - start], equal, own, own_minima, place)
                    # All cells of an edge hold no more than `done` of its source, so this adds two seen numbers.
                    if words:
                        for x in range(x0, x1):
                            seen[x] |= own[x]
                found = np.uint64(0)
                for x in range(x0, x1):
                    found |= own[x]
                if found == 0:
                    continue
                if not words or numbers > 1 or extremes > 0 or several:
                    for lane in range(l0, l1):
                        count = lane * width
                        y = lane * extremes
                        bits = np.uint64(0)
                        for j in range(numbers):
                            lost[begin + lane] |= settle(own, count + j * limbs, limbs)
                        for x in range(count, count + limbs):
                            bits |= own[x]
                        if bits == 0:
                            continue
                        for j in range(1, numbers):
                            if vertices.weighted[j - 1] & bit:
                                lost[begin + lane] |= add_product(
                                    own, count + j * limbs, count, limbs, weights[i, j - 1]
                                )
                        for j in range(extremes):
                            if vertices.coded[j] & bit:
                                own_minima[y + j] = min(own_minima[y + j], vertices.codes[i, j])
                if template.end[s] and not limited:
                    for x in range(x0, x1):
                        final[x] += own[x]
                        seen[x] |= final[x]
                    for y in range(y0, y1):
                        final_minima[y] = min(final_minima[y], own_minima[y])
                elif template.end[s]:
                    for lane in range(l0, l1):
                        if not may_end(limits, i, s, begin + lane, last[begin + lane]):
                            continue
                        for x in range(lane * width, (lane + 1) * width):
                            final[x] += own[x]
                            seen[x] |= final[x]
                        for y in range(lane * extremes, (lane + 1) * extremes):
                            final_minima[y] = min(final_minima[y], own_minima[y])
                waiting_vertex[n] = i
                waiting_state[n] = s
                n += 1
            if l1 == lanes and lost[begin + l0 : end].all():
                break
        for lane in range(lanes):
            for j in range(numbers):
                at = lane * width + j * limbs
                if words:
                    lost[begin + lane] |= seen[at] >= WORD_LIMIT
                else:
                    lost[begin + lane] |= settle(final, at, limbs)
                totals[begin + lane, j] = final[at : at + limbs]
            for j in range(extremes):
                minima[begin + lane, j] = final_minima[lane * extremes + j]
        begin = end

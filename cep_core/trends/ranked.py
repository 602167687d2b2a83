"""Trends of one window after another, for templates whose edges carry a comparison each.

GRETA, section 6 keeps vertices in search trees and adds up the counts of all predecessors, one by one: O(n**2) for n
vertices. Here the counts themselves sit in a Fenwick tree, ordered by the compared value: the sum over all earlier
vertices with a smaller (or greater) value is a prefix sum, O(log n), and so is a vertex's entry. An edge that asks for
equal values reads one cell. O(n * edges * log n) time and O(values * edges) space a window. MIN and MAX propagate
through the same tree, by prefix minima. Numbers, ticks and overflow as in `counting`.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from cep_core.trends.counting import LIMIT, product
from cep_core.trends.graph import NOTHING, Automaton, Comparisons, Flags, Ints, Vertices


@njit(cache=True)
def longest_tie(tick: Ints) -> int:
    """The number of vertices of the most frequent tick among neighbours.

    >>> longest_tie(np.array([1, 2, 2, 3]))
    2
    """
    longest = 0
    run = 0
    for i in range(tick.shape[0]):
        run = run + 1 if i > 0 and tick[i] == tick[i - 1] else 1
        longest = max(longest, run)
    return longest


@njit(cache=True)
def count_compared_windows(
    template: Automaton,
    comparisons: Comparisons,
    vertices: Vertices,
    first: Ints,
    last: Ints,
    partition: Ints,
    totals: Ints,
    minima: Ints,
    overflowed: Flags,
) -> None:
    """As `counting.count_windows`, for windows of `partition[w]` and a template with compared edges."""
    states = template.start.shape[0]
    compared = comparisons.source.shape[0]
    sums = vertices.weights.shape[1]
    extremes = vertices.codes.shape[1]
    done = np.zeros((states, 1 + sums), np.int64)
    done_minima = np.full((states, extremes), NOTHING, np.int64)
    most_ranks = comparisons.ranks.max() if comparisons.ranks.shape[0] else np.int64(0)
    trees = np.zeros((compared, most_ranks + 1, 1 + sums), np.int64)
    trees_minima = np.full((compared, most_ranks + 1, extremes), NOTHING, np.int64)
    room = longest_tie(vertices.tick) * states
    waiting = np.zeros((room, 1 + sums), np.int64)
    waiting_minima = np.full((room, extremes), NOTHING, np.int64)
    waiting_vertex = np.zeros(room, np.int64)
    waiting_state = np.zeros(room, np.int64)
    for w in range(first.shape[0]):
        ranks = comparisons.ranks[partition[w]]
        done[:] = 0
        done_minima[:] = NOTHING
        seen = np.int64(0)
        n = 0
        for i in range(first[w], last[w]):
            if i > first[w] and vertices.tick[i] != vertices.tick[i - 1]:
                if seen < 0 or seen >= LIMIT:
                    break
                for q in range(n):
                    s = waiting_state[q]
                    for j in range(1 + sums):
                        done[s, j] += waiting[q, j]
                        seen |= done[s, j]
                    for j in range(extremes):
                        done_minima[s, j] = min(done_minima[s, j], waiting_minima[q, j])
                    for c in range(compared):
                        at = np.int64(comparisons.rank[waiting_vertex[q], c])
                        if comparisons.source[c] != s or at == 0:
                            continue
                        while at <= ranks:
                            for j in range(1 + sums):
                                trees[c, at, j] += waiting[q, j]
                            for j in range(extremes):
                                trees_minima[c, at, j] = min(trees_minima[c, at, j], waiting_minima[q, j])
                            at = at + (at & -at) if not comparisons.equal[c] else ranks + 1
                n = 0
            for s in range(states):
                bit = np.uint64(1) << np.uint64(s)
                if not vertices.states[i] & bit:
                    continue
                for j in range(1 + sums):
                    waiting[n, j] = 0
                for j in range(extremes):
                    waiting_minima[n, j] = NOTHING
                waiting[n, 0] = np.int64(template.start[s])
                for e in range(template.first_predecessor[s], template.first_predecessor[s + 1]):
                    r = template.predecessors[e]
                    for j in range(1 + sums):
                        waiting[n, j] += done[r, j]
                        seen |= waiting[n, j]
                    for j in range(extremes):
                        waiting_minima[n, j] = min(waiting_minima[n, j], done_minima[r, j])
                for c in range(compared):
                    if comparisons.target[c] != s:
                        continue
                    at = np.int64(comparisons.bound[i, c])
                    while at > 0:
                        # A cell holds no more than `done` of its edge's source, whose bits are seen.
                        for j in range(1 + sums):
                            waiting[n, j] += trees[c, at, j]
                            seen |= waiting[n, j]
                        for j in range(extremes):
                            waiting_minima[n, j] = min(waiting_minima[n, j], trees_minima[c, at, j])
                        at = at & (at - 1) if not comparisons.equal[c] else np.int64(0)
                count = waiting[n, 0]
                if count == 0:
                    continue
                for j in range(sums):
                    if vertices.weighted[j] & bit:
                        added = product(count, vertices.weights[i, j])
                        seen |= added
                        waiting[n, 1 + j] += added
                        seen |= waiting[n, 1 + j]
                for j in range(extremes):
                    if vertices.coded[j] & bit:
                        waiting_minima[n, j] = min(waiting_minima[n, j], vertices.codes[i, j])
                if template.end[s]:
                    for j in range(1 + sums):
                        totals[w, j] += waiting[n, j]
                        seen |= totals[w, j]
                    for j in range(extremes):
                        minima[w, j] = min(minima[w, j], waiting_minima[n, j])
                waiting_vertex[n] = i
                waiting_state[n] = s
                n += 1
        overflowed[w] = seen < 0 or seen >= LIMIT
        for c in range(compared):
            if 8 * (last[w] - first[w]) > ranks:
                trees[c, : ranks + 1, :] = 0
                trees_minima[c, : ranks + 1, :] = NOTHING
                continue
            for i in range(first[w], last[w]):
                at = np.int64(comparisons.rank[i, c])
                while 0 < at <= ranks:
                    trees[c, at, :] = 0
                    trees_minima[c, at, :] = NOTHING
                    at = at + (at & -at) if not comparisons.equal[c] else ranks + 1

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
def _enter(tree: Ints, tree_minima: Ints, at: int, ranks: int, equal: bool, own: Ints, own_minima: Ints) -> int:
    """Add a vertex's numbers at rank `at`. Returns the bits seen."""
    seen = 0
    while at <= ranks:
        for j in range(own.shape[0]):
            tree[at, j] += own[j]
            seen |= tree[at, j]
        for j in range(own_minima.shape[0]):
            tree_minima[at, j] = min(tree_minima[at, j], own_minima[j])
        if equal:
            break
        at += at & -at
    return seen


@njit(cache=True)
def _gather(tree: Ints, tree_minima: Ints, at: int, equal: bool, own: Ints, own_minima: Ints) -> int:
    """Add to `own` the numbers of all vertices of rank 1..`at` (of rank `at` where equal). Returns the bits seen."""
    seen = 0
    while at > 0:
        for j in range(own.shape[0]):
            own[j] += tree[at, j]
            seen |= own[j]
        for j in range(own_minima.shape[0]):
            own_minima[j] = min(own_minima[j], tree_minima[at, j])
        if equal:
            break
        at &= at - 1
    return seen


@njit(cache=True)
def _clear(tree: Ints, tree_minima: Ints, at: int, ranks: int, equal: bool) -> None:
    """Undo whatever was entered at rank `at`."""
    while at <= ranks:
        tree[at, :] = 0
        tree_minima[at, :] = NOTHING
        if equal:
            break
        at += at & -at


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
                for q in range(n):
                    s = waiting_state[q]
                    for j in range(1 + sums):
                        done[s, j] += waiting[q, j]
                        seen |= done[s, j]
                    for j in range(extremes):
                        done_minima[s, j] = min(done_minima[s, j], waiting_minima[q, j])
                    for c in range(compared):
                        at = np.int64(comparisons.rank[waiting_vertex[q], c])
                        if comparisons.source[c] == s and at > 0:
                            seen |= _enter(
                                trees[c],
                                trees_minima[c],
                                at,
                                ranks,
                                comparisons.equal[c],
                                waiting[q],
                                waiting_minima[q],
                            )
                n = 0
            for s in range(states):
                bit = np.uint64(1) << np.uint64(s)
                if not vertices.states[i] & bit:
                    continue
                own = waiting[n]
                own_minima = waiting_minima[n]
                own[:] = 0
                own[0] = np.int64(template.start[s])
                own_minima[:] = NOTHING
                for e in range(template.first_predecessor[s], template.first_predecessor[s + 1]):
                    r = template.predecessors[e]
                    for j in range(1 + sums):
                        own[j] += done[r, j]
                        seen |= own[j]
                    for j in range(extremes):
                        own_minima[j] = min(own_minima[j], done_minima[r, j])
                for c in range(compared):
                    if comparisons.target[c] == s:
                        bound = np.int64(comparisons.bound[i, c])
                        seen |= _gather(trees[c], trees_minima[c], bound, comparisons.equal[c], own, own_minima)
                if own[0] == 0:
                    continue
                for j in range(sums):
                    if vertices.weighted[j] & bit:
                        added = product(own[0], vertices.weights[i, j])
                        seen |= added
                        own[1 + j] += added
                        seen |= own[1 + j]
                for j in range(extremes):
                    if vertices.coded[j] & bit:
                        own_minima[j] = min(own_minima[j], vertices.codes[i, j])
                if template.end[s]:
                    for j in range(1 + sums):
                        totals[w, j] += own[j]
                        seen |= totals[w, j]
                    for j in range(extremes):
                        minima[w, j] = min(minima[w, j], own_minima[j])
                waiting_vertex[n] = i
                waiting_state[n] = s
                n += 1
        overflowed[w] = seen < 0 or seen >= LIMIT
        for c in range(compared):
            if 8 * (last[w] - first[w]) > ranks:
                trees[c, : ranks + 1, :] = 0
                trees_minima[c, : ranks + 1, :] = NOTHING
            else:
                for i in range(first[w], last[w]):
                    if comparisons.rank[i, c] > 0:
                        _clear(trees[c], trees_minima[c], np.int64(comparisons.rank[i, c]), ranks, comparisons.equal[c])

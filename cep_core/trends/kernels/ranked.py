"""Counts the trends of one window after another, for templates whose edges have one comparison each.

GRETA, section 6, keeps vertices in search trees and adds the counts of all predecessors one by one: O(n**2) for n
vertices. Here a Fenwick tree holds the counts themselves, ordered by the compared value. The sum over all earlier
vertices with a smaller (or greater) value is a prefix sum: O(log n). Entering a vertex is O(log n) as well. An edge
that asks for equal values reads one cell. O(n * edges * log n) time and O(values * edges) space for a window. MIN and
MAX use the same tree, with prefix minima. Numbers, ticks and overflow are as in `window_sums`.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from cep_core.arrays import NOTHING, Ints
from cep_core.numbers.words import LIMIT, product
from cep_core.trends.arrays.graph import Graph
from cep_core.trends.arrays.ranges import Numbers, Ranges
from cep_core.trends.kernels.window_sums import may_begin, may_end


@njit(cache=True)
def longest_tie(tick: Ints) -> int:
    """The length of the longest run of vertices with the same tick.

    >>> longest_tie(np.array([1, 2, 2, 3]))
    2
    """
    longest = 0
    run = 0
    for i in range(tick.shape[0]):
        run = run + 1 if i > 0 and tick[i] == tick[i - 1] else 1
        longest = max(longest, run)
    return longest


@njit(cache=True, nogil=True)
def count_compared_windows(graph: Graph, windows: Ranges, numbers: Numbers) -> None:
    """Like `window_sums.count_windows`, for a template with compared edges.

    This kernel does not handle edges that negated matches cut: see `block_walk`. The function is long because all its
    parts share counts in registers, and sums in arrays of their own: with the rows of `word_rows`, windows with sums
    took 13 to 20 % longer.
    """
    template, comparisons, vertices, limits = graph
    first, last, partition = windows
    totals, minima, overflowed = numbers
    states = template.start.shape[0]
    compared = comparisons.source.shape[0]
    limited = limits.starts_before.shape[0] > 0
    sums = vertices.weights.shape[1]
    extremes = vertices.codes.shape[1]
    cells = (comparisons.ranks.max() if comparisons.ranks.shape[0] else np.int64(0)) + 1
    # Of the sources of edges without comparisons: counts, sums and minima of all earlier vertices.
    done = np.zeros(states, np.int64)
    done_sums = np.zeros((states, sums), np.int64)
    done_minima = np.full((states, extremes), NOTHING, np.int64)
    # Of the sources of compared edges: the same, by rank.
    trees = np.zeros((compared, cells), np.int64)
    trees_sums = np.zeros((compared, cells, sums), np.int64)
    trees_minima = np.full((compared, cells, extremes), NOTHING, np.int64)
    # The vertices of the current tick, which nothing follows yet.
    room = longest_tie(vertices.tick) * states
    waiting = np.zeros(room, np.int64)
    waiting_sums = np.zeros((room, sums), np.int64)
    waiting_minima = np.full((room, extremes), NOTHING, np.int64)
    waiting_vertex = np.zeros(room, np.int64)
    waiting_state = np.zeros(room, np.int64)
    for w in range(first.shape[0]):
        ranks = comparisons.ranks[partition[w]]
        done[:] = 0
        done_sums[:] = 0
        done_minima[:] = NOTHING
        seen = np.int64(0)
        final = np.int64(0)
        n = 0
        for i in range(first[w], last[w]):
            if i > first[w] and vertices.tick[i] != vertices.tick[i - 1]:
                if seen < 0 or seen >= LIMIT:
                    break
                for q in range(n):
                    s = waiting_state[q]
                    count = waiting[q]
                    done[s] += count
                    seen |= done[s]
                    for j in range(sums):
                        done_sums[s, j] += waiting_sums[q, j]
                        seen |= done_sums[s, j]
                    for j in range(extremes):
                        done_minima[s, j] = min(done_minima[s, j], waiting_minima[q, j])
                    for c in range(compared):
                        cell = np.int64(comparisons.rank[waiting_vertex[q], c])
                        if comparisons.source[c] != s or cell == 0:
                            continue
                        equal = comparisons.equal[c]
                        while cell <= ranks:
                            trees[c, cell] += count
                            for j in range(sums):
                                trees_sums[c, cell, j] += waiting_sums[q, j]
                            for j in range(extremes):
                                trees_minima[c, cell, j] = min(trees_minima[c, cell, j], waiting_minima[q, j])
                            cell = ranks + 1 if equal else cell + (cell & -cell)
                n = 0
            for s in range(states):
                bit = np.uint64(1) << np.uint64(s)
                if not vertices.states[i] & bit:
                    continue
                count = np.int64(template.start[s] and (not limited or may_begin(limits, i, s, w, first[w])))
                for j in range(sums):
                    waiting_sums[n, j] = 0
                for j in range(extremes):
                    waiting_minima[n, j] = NOTHING
                for e in range(template.first_predecessor[s], template.first_predecessor[s + 1]):
                    r = template.predecessors[e]
                    count += done[r]
                    seen |= count
                    for j in range(sums):
                        waiting_sums[n, j] += done_sums[r, j]
                        seen |= waiting_sums[n, j]
                    for j in range(extremes):
                        waiting_minima[n, j] = min(waiting_minima[n, j], done_minima[r, j])
                for c in range(compared):
                    if comparisons.target[c] != s:
                        continue
                    cell = np.int64(comparisons.bound[i, c])
                    equal = comparisons.equal[c]
                    while cell > 0:
                        # A cell is at most the `done` of its edge's source, and the bits of that are in `seen`.
                        count += trees[c, cell]
                        seen |= count
                        for j in range(sums):
                            waiting_sums[n, j] += trees_sums[c, cell, j]
                            seen |= waiting_sums[n, j]
                        for j in range(extremes):
                            waiting_minima[n, j] = min(waiting_minima[n, j], trees_minima[c, cell, j])
                        cell = np.int64(0) if equal else cell & (cell - 1)
                if count == 0:
                    continue
                waiting[n] = count
                for j in range(sums):
                    if vertices.weighted[j] & bit:
                        added = product(count, vertices.weights[i, j])
                        seen |= added
                        waiting_sums[n, j] += added
                        seen |= waiting_sums[n, j]
                for j in range(extremes):
                    if vertices.coded[j] & bit:
                        waiting_minima[n, j] = min(waiting_minima[n, j], vertices.codes[i, j])
                if template.end[s] and (not limited or may_end(limits, i, s, w, last[w])):
                    final += count
                    seen |= final
                    for j in range(sums):
                        totals[w, 1 + j] += waiting_sums[n, j]
                        seen |= totals[w, 1 + j]
                    for j in range(extremes):
                        minima[w, j] = min(minima[w, j], waiting_minima[n, j])
                waiting_vertex[n] = i
                waiting_state[n] = s
                n += 1
        totals[w, 0] = final
        overflowed[w] = seen < 0 or seen >= LIMIT
        for c in range(compared):
            equal = comparisons.equal[c]
            if 8 * (last[w] - first[w]) > ranks:
                trees[c, : ranks + 1] = 0
                trees_sums[c, : ranks + 1] = 0
                trees_minima[c, : ranks + 1] = NOTHING
                continue
            for i in range(first[w], last[w]):
                cell = np.int64(comparisons.rank[i, c])
                while 0 < cell <= ranks:
                    trees[c, cell] = 0
                    for j in range(sums):
                        trees_sums[c, cell, j] = 0
                    for j in range(extremes):
                        trees_minima[c, cell, j] = NOTHING
                    cell = ranks + 1 if equal else cell + (cell & -cell)

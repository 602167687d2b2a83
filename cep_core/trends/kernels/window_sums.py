"""Trends of one window after another, for templates whose edges carry no comparison.

GRETA, section 4.2 and Theorem 9.1, with one improvement over the paper: where edges carry no comparison, all vertices
of a state are predecessors alike, so a state needs only the sum of their counts, not the vertices. O(vertices of the
window * edges of the template) time, O(states) space. Vertices of one tick are committed together, after all earlier
ones, so they never follow each other (GRETA, section 7).

An edge that negated matches cut has a sum of its own, of the vertices that it still leads from. When it is cut, the
sum is formed again of those since the negated match began; matches that cut one after another share few vertices, so
that remains linear, at O(vertices of the window * states) space.

Counts are int64 with overflow detection: a window whose numbers reached 2**62 anywhere is flagged, its row is void,
and `exact.count_exactly` computes it again.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from cep_core.arrays import NOTHING, Flags, Ints
from cep_core.numbers.words import LIMIT, product
from cep_core.trends.arrays.graph import Comparisons, Limits, Vertices
from cep_core.trends.plan.state_arrays import Automaton


@njit(cache=True)
def may_begin(limits: Limits, vertex: int, state: int, window: int, first: int) -> bool:
    """Whether a vertex may begin a trend of a window that begins with the vertex `first`."""
    return vertex < limits.starts_before[window, state] and limits.begun[vertex, state] < first


@njit(cache=True)
def may_end(limits: Limits, vertex: int, state: int, window: int, last: int) -> bool:
    """Whether a vertex may end a trend of a window whose vertices come before `last`."""
    return vertex >= limits.ends_from[window, state] and limits.ended[vertex, state] >= last


@njit(cache=True, nogil=True)
def count_windows(
    template: Automaton,
    comparisons: Comparisons,
    vertices: Vertices,
    limits: Limits,
    first: Ints,
    last: Ints,
    totals: Ints,
    minima: Ints,
    overflowed: Flags,
) -> None:
    """Count the trends among the vertices first[w]..last[w]-1, for each w of W windows.

    Fills totals[W, 1 + J] (number of trends, then the J sums over all their occurrences), minima[W, M] (smallest code
    over all occurrences, or NOTHING) and overflowed[W] (the row is void). `comparisons` may hold edges that negated
    matches cut; what they compare is not read.
    """
    states = template.start.shape[0]
    cuts = comparisons.source.shape[0]
    limited = limits.starts_before.shape[0] > 0
    sums = vertices.weights.shape[1]
    extremes = vertices.codes.shape[1]
    # Counts, sums and minima of all vertices of a state: those that may be followed, and those of the current tick.
    done = np.zeros(states, np.int64)
    done_sums = np.zeros((states, sums), np.int64)
    done_minima = np.empty((states, extremes), np.int64)
    pending = np.zeros(states, np.int64)
    pending_sums = np.zeros((states, sums), np.int64)
    pending_minima = np.empty((states, extremes), np.int64)
    # The same of all vertices that an edge still leads from, and what each vertex of the window had, by state.
    left = np.zeros(cuts, np.int64)
    left_sums = np.zeros((cuts, sums), np.int64)
    left_minima = np.empty((cuts, extremes), np.int64)
    room = (last - first).max() if cuts and first.shape[0] else np.int64(0)
    kept = np.zeros((room, states), np.int64)
    kept_sums = np.zeros((room, states, sums), np.int64)
    kept_minima = np.empty((room, states, extremes), np.int64)
    floor = np.zeros(cuts, np.int64)
    for w in range(first.shape[0]):
        done[:] = 0
        done_sums[:] = 0
        done_minima[:] = NOTHING
        pending[:] = 0
        pending_sums[:] = 0
        pending_minima[:] = NOTHING
        left[:] = 0
        left_sums[:] = 0
        left_minima[:] = NOTHING
        kept[: last[w] - first[w] if cuts else 0] = 0
        floor[:] = first[w]
        committed = first[w]
        seen = np.int64(0)
        final = np.int64(0)
        for i in range(first[w], last[w]):
            if i > first[w] and vertices.tick[i] != vertices.tick[i - 1]:
                if seen < 0 or seen >= LIMIT:
                    break
                for c in range(cuts):
                    r = comparisons.source[c]
                    left[c] += pending[r]
                    seen |= left[c]
                    for j in range(sums):
                        left_sums[c, j] += pending_sums[r, j]
                        seen |= left_sums[c, j]
                    for j in range(extremes):
                        left_minima[c, j] = min(left_minima[c, j], pending_minima[r, j])
                committed = i
                for s in range(states):
                    done[s] += pending[s]
                    seen |= done[s]
                    pending[s] = 0
                    for j in range(sums):
                        done_sums[s, j] += pending_sums[s, j]
                        seen |= done_sums[s, j]
                        pending_sums[s, j] = 0
                    for j in range(extremes):
                        done_minima[s, j] = min(done_minima[s, j], pending_minima[s, j])
                        pending_minima[s, j] = NOTHING
            bits = vertices.states[i]
            for s in range(states):
                bit = np.uint64(1) << np.uint64(s)
                if not bits & bit:
                    continue
                begin, end = template.first_predecessor[s], template.first_predecessor[s + 1]
                count = np.int64(template.start[s] and (not limited or may_begin(limits, i, s, w, first[w])))
                ends = template.end[s] and (not limited or may_end(limits, i, s, w, last[w]))
                for e in range(begin, end):
                    count += done[template.predecessors[e]]
                    seen |= count
                for c in range(cuts):
                    if comparisons.target[c] != s:
                        continue
                    since = max(comparisons.since[c, i], first[w])
                    if since != floor[c]:
                        floor[c] = since
                        r = comparisons.source[c]
                        left[c] = 0
                        left_sums[c] = 0
                        left_minima[c] = NOTHING
                        for at in range(floor[c] - first[w], committed - first[w]):
                            if kept[at, r] == 0:
                                continue
                            left[c] += kept[at, r]
                            for j in range(sums):
                                left_sums[c, j] += kept_sums[at, r, j]
                            for j in range(extremes):
                                left_minima[c, j] = min(left_minima[c, j], kept_minima[at, r, j])
                    count += left[c]
                    seen |= count
                if count == 0:
                    continue
                pending[s] += count
                seen |= pending[s]
                if cuts:
                    kept[i - first[w], s] = count
                if ends:
                    final += count
                    seen |= final
                for j in range(sums):
                    total = np.int64(0)
                    if vertices.weighted[j] & bit:
                        total = product(count, vertices.weights[i, j])
                        seen |= total
                    for e in range(begin, end):
                        total += done_sums[template.predecessors[e], j]
                        seen |= total
                    for c in range(cuts):
                        if comparisons.target[c] == s:
                            total += left_sums[c, j]
                            seen |= total
                    if cuts:
                        kept_sums[i - first[w], s, j] = total
                    pending_sums[s, j] += total
                    seen |= pending_sums[s, j]
                    if ends:
                        totals[w, 1 + j] += total
                        seen |= totals[w, 1 + j]
                for j in range(extremes):
                    smallest = vertices.codes[i, j] if vertices.coded[j] & bit else NOTHING
                    for e in range(begin, end):
                        smallest = min(smallest, done_minima[template.predecessors[e], j])
                    for c in range(cuts):
                        if comparisons.target[c] == s:
                            smallest = min(smallest, left_minima[c, j])
                    if cuts:
                        kept_minima[i - first[w], s, j] = smallest
                    pending_minima[s, j] = min(pending_minima[s, j], smallest)
                    if ends:
                        minima[w, j] = min(minima[w, j], smallest)
        totals[w, 0] = final
        overflowed[w] = seen < 0 or seen >= LIMIT

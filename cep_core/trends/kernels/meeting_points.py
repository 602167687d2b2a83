"""Trends of overlapping windows at a cost that does not grow with their number, for edges without a comparison.

Windows of length w: each contains exactly one multiple of w, its *meeting point*. The windows that share a meeting
point differ only in how far they reach to its left and to its right. A trend of such a window has a part on the left
(ends in some state r), a part on the right (continues from r), or only one of the two:

    trends = left[end] + right[start] + sum over states r of left[r] * right[r]

`left[r]` is found by one walk from the meeting point back in time, at every window's start; `right[r]` by one walk
forward, at every window's end. So a vertex is visited twice, whatever the number of windows over it. This is the
two-stacks aggregation of sliding windows (Tangwongsan et al. 2015, paper 03's reference [33]) over the monoid of
transfer matrices, without ever multiplying two matrices: both walks multiply a matrix by an event.

Time O(vertices * (states + 1) * edges + windows * states), space O(windows of one meeting point * states). Numbers and
overflow as in `counting`; a flagged window may be flagged by a part that would not have counted, never the reverse.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from cep_core.arrays import NOTHING, Flags, Ints
from cep_core.numbers.words import LIMIT, product
from cep_core.trends.arrays.graph import Vertices
from cep_core.trends.plan.state_arrays import Automaton


@njit(cache=True, nogil=True)
def meet_windows(
    template: Automaton,
    vertices: Vertices,
    first: Ints,
    middle: Ints,
    last: Ints,
    point: Ints,
    totals: Ints,
    minima: Ints,
    overflowed: Flags,
) -> None:
    """As `window_sums.count_windows`, for windows in time order, partition after partition.

    `middle[w]`: the first vertex at or after the window's meeting point; windows of equal, consecutive `point[w]` share
    partition and meeting point.
    """
    states = template.start.shape[0]
    none = states  # the row of trends that lie on one side only
    numbers = 1 + vertices.weights.shape[1]
    extremes = vertices.codes.shape[1]
    forward = (template.first_predecessor, template.predecessors)
    backward = (template.first_successor, template.successors)
    # Which rows a vertex of state s opens, on the left: those that stop at s, and the complete ones if s ends a trend;
    # on the right: those that continue from a state that s may follow, and the complete ones if s starts a trend.
    stop_at = np.zeros((states, states + 1), np.int64)
    go_on = np.zeros((states, states + 1), np.int64)
    for s in range(states):
        stop_at[s, s] = 1
        stop_at[s, none] = np.int64(template.end[s])
        go_on[s, none] = np.int64(template.start[s])
        for e in range(template.first_predecessor[s], template.first_predecessor[s + 1]):
            go_on[s, template.predecessors[e]] = 1
    begin = 0
    while begin < first.shape[0]:
        end = begin + 1
        while end < first.shape[0] and point[end] == point[begin]:
            end += 1
        left = np.zeros((end - begin, states + 1, numbers), np.int64)
        left_minima = np.full((end - begin, states + 1, extremes), NOTHING, np.int64)
        right = np.zeros_like(left)
        right_minima = np.full_like(left_minima, NOTHING)
        flags = overflowed[begin:end]
        stops = first[begin:end] - 1
        _walk(stop_at, template.start, backward, vertices, middle[begin] - 1, -1, stops, left, left_minima, flags)
        stops = last[begin:end]
        _walk(go_on, template.end, forward, vertices, middle[begin], 1, stops, right, right_minima, flags)
        for w in range(end - begin):
            bits = np.int64(0)
            for j in range(numbers):
                total = left[w, none, j] + right[w, none, j]
                bits |= total
                for r in range(states):
                    through = product(left[w, r, 0], right[w, r, j])
                    bits |= through
                    total += through
                    bits |= total
                    if j > 0:
                        through = product(left[w, r, j], right[w, r, 0])
                        bits |= through
                        total += through
                        bits |= total
                totals[begin + w, j] = total
            for j in range(extremes):
                smallest = min(left_minima[w, none, j], right_minima[w, none, j])
                for r in range(states):
                    if left[w, r, 0] != 0 and right[w, r, 0] != 0:
                        smallest = min(smallest, left_minima[w, r, j], right_minima[w, r, j])
                minima[begin + w, j] = smallest
            overflowed[begin + w] |= bits < 0 or bits >= LIMIT
        begin = end


@njit(cache=True)
def _walk(
    opens: Ints,
    closes: Flags,
    neighbours: tuple[Ints, Ints],
    vertices: Vertices,
    begin: int,
    step: int,
    stops: Ints,
    found: Ints,
    found_minima: Ints,
    overflowed: Flags,
) -> None:
    """Numbers of partial trends by row, over the vertices begin, begin + step, ... before stops[w], for each window w.

    `opens[s, r]`: whether a vertex of state s begins a partial trend of row r; `closes[s]`: whether it completes one;
    `neighbours`: the states that the walk has to come from. Fills found[W, rows, 1 + J] and found_minima[W, rows, M].
    """
    firsts, others = neighbours
    states, rows = opens.shape
    sums = vertices.weights.shape[1]
    extremes = vertices.codes.shape[1]
    done = np.zeros((states, rows), np.int64)
    done_sums = np.zeros((states, rows, sums), np.int64)
    done_minima = np.full((states, rows, extremes), NOTHING, np.int64)
    pending = np.zeros((states, rows), np.int64)
    pending_sums = np.zeros((states, rows, sums), np.int64)
    pending_minima = np.full((states, rows, extremes), NOTHING, np.int64)
    final = np.zeros((rows, 1 + sums), np.int64)
    final_minima = np.full((rows, extremes), NOTHING, np.int64)
    seen = np.int64(0)
    i = begin
    for k in range(stops.shape[0]):
        w = k if step > 0 else stops.shape[0] - 1 - k
        while i != stops[w]:
            if i != begin and vertices.tick[i] != vertices.tick[i - step]:
                for s in range(states):
                    for r in range(rows):
                        done[s, r] += pending[s, r]
                        seen |= done[s, r]
                        pending[s, r] = 0
                        for j in range(sums):
                            done_sums[s, r, j] += pending_sums[s, r, j]
                            seen |= done_sums[s, r, j]
                            pending_sums[s, r, j] = 0
                        for j in range(extremes):
                            done_minima[s, r, j] = min(done_minima[s, r, j], pending_minima[s, r, j])
            bits = vertices.states[i]
            for s in range(states):
                bit = np.uint64(1) << np.uint64(s)
                if not bits & bit:
                    continue
                for r in range(rows):
                    count = opens[s, r]
                    for e in range(firsts[s], firsts[s + 1]):
                        count += done[others[e], r]
                        seen |= count
                    if count == 0:
                        continue
                    pending[s, r] += count
                    seen |= pending[s, r]
                    if closes[s]:
                        final[r, 0] += count
                        seen |= final[r, 0]
                    for j in range(sums):
                        total = np.int64(0)
                        if vertices.weighted[j] & bit:
                            total = product(count, vertices.weights[i, j])
                            seen |= total
                        for e in range(firsts[s], firsts[s + 1]):
                            total += done_sums[others[e], r, j]
                            seen |= total
                        pending_sums[s, r, j] += total
                        seen |= pending_sums[s, r, j]
                        if closes[s]:
                            final[r, 1 + j] += total
                            seen |= final[r, 1 + j]
                    for j in range(extremes):
                        smallest = vertices.codes[i, j] if vertices.coded[j] & bit else NOTHING
                        for e in range(firsts[s], firsts[s + 1]):
                            smallest = min(smallest, done_minima[others[e], r, j])
                        pending_minima[s, r, j] = min(pending_minima[s, r, j], smallest)
                        if closes[s]:
                            final_minima[r, j] = min(final_minima[r, j], smallest)
            i += step
        found[w] = final
        found_minima[w] = final_minima
        overflowed[w] |= seen < 0 or seen >= LIMIT

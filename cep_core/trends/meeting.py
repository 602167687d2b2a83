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

from cep_core.trends.counting import LIMIT, product
from cep_core.trends.graph import NOTHING, Automaton, Flags, Ints, Vertices


@njit(cache=True)
def _commit(done: Ints, pending: Ints, done_minima: Ints, pending_minima: Ints) -> int:
    """Let the vertices of the last tick be followed. Returns the bits seen."""
    seen = 0
    for r in range(done.shape[0]):
        for s in range(done.shape[1]):
            for j in range(done.shape[2]):
                done[r, s, j] += pending[r, s, j]
                seen |= done[r, s, j]
                pending[r, s, j] = 0
            for j in range(done_minima.shape[2]):
                done_minima[r, s, j] = min(done_minima[r, s, j], pending_minima[r, s, j])
                pending_minima[r, s, j] = NOTHING
    return seen


@njit(cache=True)
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
    """As `counting.count_windows`, for windows in time order, partition after partition.

    `middle[w]`: the first vertex at or after the window's meeting point; windows of equal, consecutive `point[w]` share
    partition and meeting point.
    """
    states = template.start.shape[0]
    sums = vertices.weights.shape[1]
    extremes = vertices.codes.shape[1]
    none = states  # the row of trends that lie on one side only
    shape = (states + 1, states, 1 + sums)
    shape_minima = (states + 1, states, extremes)
    done = np.zeros(shape, np.int64)
    pending = np.zeros(shape, np.int64)
    done_minima = np.empty(shape_minima, np.int64)
    pending_minima = np.empty(shape_minima, np.int64)
    own = np.zeros(1 + sums, np.int64)
    whole = np.zeros((states + 1, 1 + sums), np.int64)
    whole_minima = np.empty((states + 1, extremes), np.int64)
    w0 = 0
    while w0 < first.shape[0]:
        w1 = w0
        while w1 < first.shape[0] and point[w1] == point[w0]:
            w1 += 1
        left = np.zeros((w1 - w0, states + 1, 1 + sums), np.int64)
        left_minima = np.full((w1 - w0, states + 1, extremes), NOTHING, np.int64)

        # Back in time. done[r, s]: partial trends that begin at s here, and stop at r before the meeting point
        # (r = none: that are complete).
        done[:] = 0
        pending[:] = 0
        done_minima[:] = NOTHING
        pending_minima[:] = NOTHING
        seen = np.int64(0)
        tick = np.int64(0)
        i = middle[w0] - 1
        for w in range(w1 - 1, w0 - 1, -1):
            while i >= first[w]:
                if vertices.tick[i] != tick:
                    tick = vertices.tick[i]
                    seen |= _commit(done, pending, done_minima, pending_minima)
                for s in range(states):
                    bit = np.uint64(1) << np.uint64(s)
                    if not vertices.states[i] & bit:
                        continue
                    for r in range(states + 1):
                        count = np.int64(template.end[s]) if r == none else np.int64(r == s)
                        for e in range(template.first_successor[s], template.first_successor[s + 1]):
                            count += done[r, template.successors[e], 0]
                            seen |= count
                        if count == 0:
                            continue
                        pending[r, s, 0] += count
                        for j in range(sums):
                            total = np.int64(0)
                            if vertices.weighted[j] & bit:
                                total = product(count, vertices.weights[i, j])
                                seen |= total
                            for e in range(template.first_successor[s], template.first_successor[s + 1]):
                                total += done[r, template.successors[e], 1 + j]
                                seen |= total
                            pending[r, s, 1 + j] += total
                        for j in range(1 + sums):
                            seen |= pending[r, s, j]
                        for j in range(extremes):
                            smallest = vertices.codes[i, j] if vertices.coded[j] & bit else NOTHING
                            for e in range(template.first_successor[s], template.first_successor[s + 1]):
                                smallest = min(smallest, done_minima[r, template.successors[e], j])
                            pending_minima[r, s, j] = min(pending_minima[r, s, j], smallest)
                i -= 1
            seen |= _commit(done, pending, done_minima, pending_minima)
            for r in range(states + 1):
                for s in range(states):
                    if template.start[s]:
                        for j in range(1 + sums):
                            left[w - w0, r, j] += done[r, s, j]
                            seen |= left[w - w0, r, j]
                        for j in range(extremes):
                            left_minima[w - w0, r, j] = min(left_minima[w - w0, r, j], done_minima[r, s, j])
            overflowed[w] = seen < 0 or seen >= LIMIT

        # Forward. done[r, s]: continuations from state r (none: trends that begin here) that have come to s;
        # whole[r]: those that are complete.
        done[:] = 0
        pending[:] = 0
        done_minima[:] = NOTHING
        pending_minima[:] = NOTHING
        whole[:] = 0
        whole_minima[:] = NOTHING
        for r in range(states):
            done[r, r, 0] = 1
        seen = np.int64(0)
        i = middle[w0]
        for w in range(w0, w1):
            while i < last[w]:
                if vertices.tick[i] != tick:
                    tick = vertices.tick[i]
                    seen |= _commit(done, pending, done_minima, pending_minima)
                for s in range(states):
                    bit = np.uint64(1) << np.uint64(s)
                    if not vertices.states[i] & bit:
                        continue
                    for r in range(states + 1):
                        count = np.int64(template.start[s]) if r == none else np.int64(0)
                        for e in range(template.first_predecessor[s], template.first_predecessor[s + 1]):
                            count += done[r, template.predecessors[e], 0]
                            seen |= count
                        if count == 0:
                            continue
                        own[0] = count
                        for j in range(sums):
                            total = np.int64(0)
                            if vertices.weighted[j] & bit:
                                total = product(count, vertices.weights[i, j])
                                seen |= total
                            for e in range(template.first_predecessor[s], template.first_predecessor[s + 1]):
                                total += done[r, template.predecessors[e], 1 + j]
                                seen |= total
                            own[1 + j] = total
                        for j in range(1 + sums):
                            pending[r, s, j] += own[j]
                            seen |= pending[r, s, j]
                            if template.end[s]:
                                whole[r, j] += own[j]
                                seen |= whole[r, j]
                        for j in range(extremes):
                            smallest = vertices.codes[i, j] if vertices.coded[j] & bit else NOTHING
                            for e in range(template.first_predecessor[s], template.first_predecessor[s + 1]):
                                smallest = min(smallest, done_minima[r, template.predecessors[e], j])
                            pending_minima[r, s, j] = min(pending_minima[r, s, j], smallest)
                            if template.end[s]:
                                whole_minima[r, j] = min(whole_minima[r, j], smallest)
                i += 1
            bits = seen
            for j in range(1 + sums):
                total = left[w - w0, none, j] + whole[none, j]
                bits |= total
                for r in range(states):
                    through = product(left[w - w0, r, 0], whole[r, j])
                    bits |= through
                    total += through
                    bits |= total
                    if j > 0:
                        through = product(left[w - w0, r, j], whole[r, 0])
                        bits |= through
                        total += through
                        bits |= total
                totals[w, j] = total
            for j in range(extremes):
                smallest = min(left_minima[w - w0, none, j], whole_minima[none, j])
                for r in range(states):
                    if left[w - w0, r, 0] != 0 and whole[r, 0] != 0:
                        smallest = min(smallest, left_minima[w - w0, r, j], whole_minima[r, j])
                minima[w, j] = smallest
            overflowed[w] |= bits < 0 or bits >= LIMIT
        w0 = w1

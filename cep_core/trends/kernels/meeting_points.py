"""Counts the trends of overlapping windows, for edges without comparisons. The cost does not grow with the overlap.

Windows have length w. Each contains exactly one multiple of w, its *meeting point*. The windows that share a meeting
point differ only in how far they reach to its left and to its right. A trend of such a window has a part on the left
(it ends in some state r) and a part on the right (it continues from r), or only one of the two:

    trends = left[end] + right[start] + sum over states r of left[r] * right[r]

One walk from the meeting point back in time computes `left[r]` at the start of every window; one walk forward computes
`right[r]` at the end of every window. So a vertex is visited twice, however many windows contain it. This is the
two-stacks aggregation of sliding windows (Tangwongsan et al. 2015, paper 03's reference [33]) over the monoid of
transfer matrices. It never multiplies two matrices: both walks multiply a matrix by an event.

Time O(vertices * (states + 1) * edges + windows * states), space O(windows of one meeting point * states). Numbers and
overflow are as in `window_sums`. A window may be flagged because of a part that its result does not use; an overflow
is never missed.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from cep_core.arrays import NOTHING, Flags, Ints
from cep_core.inner_kernels import inner
from cep_core.numbers.words import LIMIT, product
from cep_core.trends.arrays.graph import Graph, Vertices
from cep_core.trends.arrays.ranges import Numbers, Ranges
from cep_core.trends.plan.state_arrays import StateArrays


class MeetingPoints(NamedTuple):
    """The meeting points of W windows."""

    middle: Ints
    """[W] The first vertex at or after the window's meeting point."""
    point: Ints
    """[W] Consecutive windows with equal numbers share the partition and the meeting point."""


class MeetingSide(NamedTuple):
    """One side of a meeting point, as a template that is walked away from the meeting point."""

    opens: Ints
    """[S, rows] Whether a vertex in state s begins a partial trend of row r."""
    closes: Flags
    """[S] Whether a vertex in state s completes a partial trend."""
    first_neighbour: Ints
    neighbours: Ints
    """The states from which the walk reaches s: neighbours[first_neighbour[s]:first_neighbour[s + 1]]."""


class MeetingPart(NamedTuple):
    """The numbers of the partial trends on one side, by window and row."""

    totals: Ints
    """[W, rows, 1 + J]."""
    minima: Ints
    """[W, rows, M]."""


@njit(cache=True, nogil=True)
def meet_windows(graph: Graph, windows: Ranges, points: MeetingPoints, numbers: Numbers) -> None:
    """Like `window_sums.count_windows`, for a graph without comparisons and limits.

    The function is long because windows of few vertices take 4 % longer if a separate function joins the sides.
    """
    template, vertices = graph.template, graph.vertices
    before, after = _sides(template)
    states = template.start.shape[0]
    none, rows = states, states + 1  # the last row: trends on one side only
    sums, extremes = vertices.weights.shape[1], vertices.codes.shape[1]
    totals, minima, overflowed = numbers
    begin = 0
    while begin < windows.first.shape[0]:
        end = begin + 1
        while end < windows.first.shape[0] and points.point[end] == points.point[begin]:
            end += 1
        left = np.zeros((end - begin, rows, 1 + sums), np.int64)
        left_minima = np.full((end - begin, rows, extremes), NOTHING, np.int64)
        right = np.zeros_like(left)
        right_minima = np.full_like(left_minima, NOTHING)
        flags = overflowed[begin:end]
        stops = windows.first[begin:end] - 1
        _walk(before, vertices, points.middle[begin] - 1, -1, stops, MeetingPart(left, left_minima), flags)
        stops = windows.last[begin:end]
        _walk(after, vertices, points.middle[begin], 1, stops, MeetingPart(right, right_minima), flags)
        for w in range(end - begin):
            bits = np.int64(0)
            for j in range(1 + sums):
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


@inner
def _sides(template: StateArrays) -> tuple[MeetingSide, MeetingSide]:
    """The sides before and after a meeting point.

    The last row has the trends that lie on one side only. Before the point, row r has the trends that stop at r. After
    the point, row r has the trends that continue from r, so a vertex opens the rows of the states that it may follow.
    """
    states = template.start.shape[0]
    stops = np.zeros((states, states + 1), np.int64)
    continues = np.zeros((states, states + 1), np.int64)
    for s in range(states):
        stops[s, s] = 1
        stops[s, states] = np.int64(template.end[s])
        continues[s, states] = np.int64(template.start[s])
        for e in range(template.first_predecessor[s], template.first_predecessor[s + 1]):
            continues[s, template.predecessors[e]] = 1
    before = MeetingSide(stops, template.start, template.first_successor, template.successors)
    return before, MeetingSide(continues, template.end, template.first_predecessor, template.predecessors)


@inner
def _walk(
    side: MeetingSide, vertices: Vertices, begin: int, step: int, stops: Ints, partial: MeetingPart, overflowed: Flags
) -> None:
    """Fill the numbers of one side, over the vertices begin, begin + step, ... before stops[w], for each window w.

    `step`: 1 forward in time, -1 backward. The function is long because its parts share counts, sums and minima: with
    the rows of `word_rows`, a COUNT(*) took 7 to 37 % longer (sums and minima took 2 to 25 % less).
    """
    opens, closes, firsts, sources = side
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
                        count += done[sources[e], r]
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
                            total += done_sums[sources[e], r, j]
                            seen |= total
                        pending_sums[s, r, j] += total
                        seen |= pending_sums[s, r, j]
                        if closes[s]:
                            final[r, 1 + j] += total
                            seen |= final[r, 1 + j]
                    for j in range(extremes):
                        smallest = vertices.codes[i, j] if vertices.coded[j] & bit else NOTHING
                        for e in range(firsts[s], firsts[s + 1]):
                            smallest = min(smallest, done_minima[sources[e], r, j])
                        pending_minima[s, r, j] = min(pending_minima[s, r, j], smallest)
                        if closes[s]:
                            final_minima[r, j] = min(final_minima[r, j], smallest)
            i += step
        partial.totals[w] = final
        partial.minima[w] = final_minima
        overflowed[w] |= seen < 0 or seen >= LIMIT

"""Trends of overlapping windows, for templates whose edges carry a comparison each: many windows in one walk.

Each cell of `ranked`'s Fenwick trees holds a number for each window of a *block* of overlapping windows (its lanes), so
that the search for a cell, which is what costs, is done once for all windows of a vertex, and the additions are done by
vector instructions. A vertex takes part in the lanes of the windows that contain it. Ranks are renumbered within a
block, so that trees are as small as the block. O(n * edges * log n) searches and O(n * k * edges * log n) additions for
n vertices and k windows over a vertex: no way is known that avoids the latter for arbitrary values.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from cep_core.trends.counting import LIMIT, product
from cep_core.trends.graph import NOTHING, Automaton, Comparisons, Flags, Ints, Limits, Vertices
from cep_core.trends.ranked import longest_tie

FEWEST_LANES = 8
MOST_LANES = 64
CACHE = 1 << 18
"""Words of a tree that fit a core's own cache."""
MEMORY = 1 << 24
"""Words of a tree that more than one lane may take."""


@njit(cache=True)
def block_end(first: Ints, last: Ints, partition: Ints, begin: int, words: int) -> int:
    """One after the last window of the block that begins with window `begin`; `words` are what a lane of a cell takes.

    A block holds windows of one partition that overlap its first one, at most MOST_LANES, and fewer where trees would
    outgrow the cache.

    >>> first, last = np.array([0, 1, 2, 9]), np.array([5, 6, 7, 12])
    >>> block_end(first, last, np.zeros(4, np.int64), 0, 1)
    3
    """
    end = begin + 1
    while end < first.shape[0] and end - begin < MOST_LANES:
        if partition[end] != partition[begin] or first[end] >= last[begin]:
            break
        size = (last[end] - first[begin]) * (end - begin + 1) * words
        if size > (CACHE if end - begin >= FEWEST_LANES else MEMORY):
            break
        end += 1
    return end


@njit(cache=True)
def block_ranks(comparisons: Comparisons, begin: int, end: int) -> tuple[Ints, Ints, Ints]:
    """Ranks and bounds of vertices begin..end-1, renumbered among themselves, [c, vertex]; the cells of each edge."""
    compared = comparisons.source.shape[0]
    ranks = np.zeros((compared, end - begin), np.int64)
    bounds = np.zeros((compared, end - begin), np.int64)
    cells = np.zeros(compared, np.int64)
    for c in range(compared):
        ordered = np.sort(comparisons.rank[begin:end, c])
        distinct = np.zeros(end - begin, np.int64)
        n = 0
        for rank in ordered:
            if rank > 0 and (n == 0 or distinct[n - 1] != rank):
                distinct[n] = rank
                n += 1
        known = distinct[:n]
        for i in range(begin, end):
            rank = np.int64(comparisons.rank[i, c])
            bound = np.int64(comparisons.bound[i, c])
            if rank > 0:
                ranks[c, i - begin] = np.searchsorted(known, rank) + 1
            below = np.searchsorted(known, bound, side="right")
            if not comparisons.equal[c] or (below > 0 and known[below - 1] == bound):
                bounds[c, i - begin] = below
        cells[c] = n
    return ranks, bounds, cells


@njit(cache=True)
def lane_range(l0: int, l1: int, numbers: int, extremes: int) -> tuple[np.uint64, np.uint64, np.uint64, np.uint64]:
    """Where the numbers and minima of lanes l0..l1-1 stand. Unsigned, or else loops over them are not vectorised."""
    return np.uint64(l0 * numbers), np.uint64(l1 * numbers), np.uint64(l0 * extremes), np.uint64(l1 * extremes)


@njit(cache=True)
def cut_off(
    tree: Any,
    tree_minima: Ints,
    rank: Ints,
    cells: int,
    equal: bool,
    kept: Any,
    kept_minima: Ints,
    present: Flags,
    floor: int,
    since: int,
    committed: int,
) -> None:
    """Let a tree that holds the vertices floor..committed-1 forget those before `since`.

    It is cleared, and what stays is entered again. A negated match cuts off all that precedes its start, and reaches
    from there to its end; matches that cut one after another overlap in no more vertices than a match has events. So
    every vertex is entered again a bounded number of times: O(n log n) in all.
    """
    for i in range(floor, committed):
        at = rank[i] if present[i] else np.int64(0)
        while 0 < at <= cells:
            tree[at] = 0
            tree_minima[at] = NOTHING
            at = cells + 1 if equal else at + (at & -at)
    for i in range(since, committed):
        at = rank[i] if present[i] else np.int64(0)
        while 0 < at <= cells:
            for x in range(tree.shape[1]):
                tree[at, x] += kept[i, x]
            for y in range(tree_minima.shape[1]):
                tree_minima[at, y] = min(tree_minima[at, y], kept_minima[i, y])
            at = cells + 1 if equal else at + (at & -at)


@njit(cache=True)
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
    states = template.start.shape[0]
    compared = comparisons.source.shape[0]
    numbers = 1 + vertices.weights.shape[1]
    extremes = vertices.codes.shape[1]
    limited = limits.starts_before.shape[0] > 0
    cut = comparisons.cut.any()
    room = longest_tie(vertices.tick) * states
    waiting_vertex = np.zeros(room, np.int64)
    waiting_state = np.zeros(room, np.int64)
    begin = 0
    while begin < first.shape[0]:
        end = block_end(first, last, partition, begin, numbers + extremes)
        lanes = end - begin
        start = first[begin]
        ranks, bounds, cells = block_ranks(comparisons, start, last[end - 1])
        most = 0
        for c in range(compared):
            most = max(most, cells[c])
        # Lane l's numbers stand at l * numbers, its minima at l * extremes.
        done = np.zeros((states, lanes * numbers), np.int64)
        done_minima = np.full((states, lanes * extremes), NOTHING, np.int64)
        trees = np.zeros((compared, most + 1, lanes * numbers), np.int64)
        trees_minima = np.full((compared, most + 1, lanes * extremes), NOTHING, np.int64)
        waiting = np.zeros((room, lanes * numbers), np.int64)
        waiting_minima = np.full((room, lanes * extremes), NOTHING, np.int64)
        final = np.zeros(lanes * numbers, np.int64)
        final_minima = np.full(lanes * extremes, NOTHING, np.int64)
        seen = np.zeros(lanes * numbers, np.int64)
        # What each vertex committed, for edges that forget what negated matches cut off.
        span = last[end - 1] - start if cut else np.int64(0)
        kept = np.zeros((states, span, lanes * numbers), np.int64)
        kept_minima = np.full((states, span, lanes * extremes), NOTHING, np.int64)
        present = np.zeros((states, span), np.bool_)
        floor = np.zeros(compared, np.int64)
        committed = np.int64(0)
        l0 = 0
        l1 = 0
        n = 0
        for i in range(start, last[end - 1]):
            if i > start and vertices.tick[i] != vertices.tick[i - 1]:
                x0, x1, y0, y1 = lane_range(l0, l1, numbers, extremes)
                for q in range(n):
                    s = waiting_state[q]
                    for x in range(x0, x1):
                        done[s, x] += waiting[q, x]
                        seen[x] |= done[s, x]
                    for y in range(y0, y1):
                        done_minima[s, y] = min(done_minima[s, y], waiting_minima[q, y])
                    if cut:
                        at = waiting_vertex[q] - start
                        present[s, at] = True
                        kept[s, at, x0:x1] = waiting[q, x0:x1]
                        kept_minima[s, at, y0:y1] = waiting_minima[q, y0:y1]
                    for c in range(compared):
                        at = ranks[c, waiting_vertex[q] - start]
                        if comparisons.source[c] != s or at == 0:
                            continue
                        equal = comparisons.equal[c]
                        while at <= cells[c]:
                            for x in range(x0, x1):
                                trees[c, at, x] += waiting[q, x]
                            for y in range(y0, y1):
                                trees_minima[c, at, y] = min(trees_minima[c, at, y], waiting_minima[q, y])
                            at = cells[c] + 1 if equal else at + (at & -at)
                n = 0
                committed = i - start
            while last[begin + l0] <= i:
                l0 += 1
            while l1 < lanes and first[begin + l1] <= i:
                l1 += 1
            x0, x1, y0, y1 = lane_range(l0, l1, numbers, extremes)
            for s in range(states):
                bit = np.uint64(1) << np.uint64(s)
                if not vertices.states[i] & bit:
                    continue
                waiting[n, x0:x1] = 0
                waiting_minima[n, y0:y1] = NOTHING
                if template.start[s]:
                    for lane in range(l0, l1):
                        if not limited or i < limits.starts_before[begin + lane, s]:
                            waiting[n, lane * numbers] = 1
                for e in range(template.first_predecessor[s], template.first_predecessor[s + 1]):
                    r = template.predecessors[e]
                    for x in range(x0, x1):
                        waiting[n, x] += done[r, x]
                        seen[x] |= waiting[n, x]
                    for y in range(y0, y1):
                        waiting_minima[n, y] = min(waiting_minima[n, y], done_minima[r, y])
                for c in range(compared):
                    if comparisons.target[c] != s:
                        continue
                    if comparisons.cut[c] and comparisons.since[c, i] - start > floor[c]:
                        r = comparisons.source[c]
                        since = comparisons.since[c, i] - start
                        cut_off(
                            trees[c],
                            trees_minima[c],
                            ranks[c],
                            cells[c],
                            comparisons.equal[c],
                            kept[r],
                            kept_minima[r],
                            present[r],
                            floor[c],
                            since,
                            committed,
                        )
                        floor[c] = since
                    at = bounds[c, i - start]
                    equal = comparisons.equal[c]
                    while at > 0:
                        for x in range(x0, x1):
                            waiting[n, x] += trees[c, at, x]
                        for y in range(y0, y1):
                            waiting_minima[n, y] = min(waiting_minima[n, y], trees_minima[c, at, y])
                        at = np.int64(0) if equal else at & (at - 1)
                    # All cells of an edge hold no more than `done` of its source, so this adds two seen numbers.
                    for x in range(x0, x1):
                        seen[x] |= waiting[n, x]
                found = np.int64(0)
                for x in range(x0, x1):
                    found |= waiting[n, x]
                if found == 0:
                    continue
                if numbers > 1 or extremes > 0:
                    for lane in range(l0, l1):
                        x = lane * numbers
                        y = lane * extremes
                        if waiting[n, x] == 0:
                            continue
                        for j in range(1, numbers):
                            if vertices.weighted[j - 1] & bit:
                                added = product(waiting[n, x], vertices.weights[i, j - 1])
                                seen[x + j] |= added
                                waiting[n, x + j] += added
                                seen[x + j] |= waiting[n, x + j]
                        for j in range(extremes):
                            if vertices.coded[j] & bit:
                                waiting_minima[n, y + j] = min(waiting_minima[n, y + j], vertices.codes[i, j])
                if template.end[s] and limited:
                    for lane in range(l0, l1):
                        if i < limits.ends_from[begin + lane, s]:
                            continue
                        for x in range(lane * numbers, (lane + 1) * numbers):
                            final[x] += waiting[n, x]
                            seen[x] |= final[x]
                        for y in range(lane * extremes, (lane + 1) * extremes):
                            final_minima[y] = min(final_minima[y], waiting_minima[n, y])
                elif template.end[s]:
                    for x in range(x0, x1):
                        final[x] += waiting[n, x]
                        seen[x] |= final[x]
                    for y in range(y0, y1):
                        final_minima[y] = min(final_minima[y], waiting_minima[n, y])
                waiting_vertex[n] = i
                waiting_state[n] = s
                n += 1
        for lane in range(lanes):
            bits = np.int64(0)
            for j in range(numbers):
                bits |= seen[lane * numbers + j]
                totals[begin + lane, j] = final[lane * numbers + j]
            for j in range(extremes):
                minima[begin + lane, j] = final_minima[lane * extremes + j]
            overflowed[begin + lane] = bits < 0 or bits >= LIMIT
        begin = end

"""Counts the trends of many overlapping windows in one walk, as machine words: one lane for each window.

Each cell of the Fenwick trees of `ranked` holds one number for every window over the current vertex, side by side. So
the search for a cell, which is the costly step, is done once for all windows; vector instructions do the additions. The
lanes are a ring: a window that opens takes the lane of a window that has ended. Lanes are cleared one cache line at a
time, when all windows of the line have ended, so one clearing serves many windows. For n vertices and k windows over a
vertex: O(n * edges * log n) searches and O(n * k * edges * log n) additions. No known method avoids these additions for
arbitrary values.

A row holds the counts of all lanes, then each sum of all lanes. Its minima are stored in the same way.

Windows are walked one chunk at a time (`chunks`). Ranks are renumbered within a chunk, so trees hold no more values
than a few windows do. Overflow is as in `window_sums`: if any number of a window comes close to the limit, the window
is flagged and its row is void.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from cep_core.arrays import NOTHING, Bits, Flags, Ints
from cep_core.inner_kernels import inner
from cep_core.numbers.limb_rows import Rows, rows_of
from cep_core.numbers.words import LIMIT, LIMIT_AS_FLOAT, SMALL
from cep_core.trends.arrays.blocks import BlockRanks, block_ranks
from cep_core.trends.arrays.chunks import GROUP, Chunk, chunk_from
from cep_core.trends.arrays.graph import Graph
from cep_core.trends.arrays.ranges import Numbers, Ranges
from cep_core.trends.kernels.ranked import longest_tie


@njit(cache=True, nogil=True)
def count_overlapping_windows(graph: Graph, windows: Ranges, numbers: Numbers) -> None:
    """Like `ranked.count_compared_windows`, without limits, for windows in time order, partition after partition.

    Windows with more values than fit `blocks.MEMORY` are flagged as well.
    """
    first, last = windows.first, windows.last
    width = 1 + graph.vertices.weights.shape[1] + graph.vertices.codes.shape[1]
    begin = np.int64(0)
    while begin < first.shape[0]:
        chunk = chunk_from(begin, windows, graph.comparisons.rank, width)
        begin = chunk.end
        if chunk.lanes == 0:
            numbers.overflowed[chunk.begin : chunk.end] = True
            continue
        ranked = block_ranks(graph.comparisons, first[chunk.begin], last[chunk.end - 1])
        for window in range(chunk.begin, min(chunk.end, chunk.begin + chunk.step)):
            _walk(graph, ranked, windows, Chunk(window, chunk.end, chunk.step, chunk.lanes), numbers)


@inner
def _walk(graph: Graph, ranked: BlockRanks, windows: Ranges, chunk: Chunk, numbers: Numbers) -> None:
    """Walk every step-th window of a chunk, from its first window on.

    A vertex receives along an edge at most the sum over all vertices of the edge's source. If these sums leave enough
    room, no addition wraps. So only these sums are checked. The function is long because the steps for a vertex share
    about twenty arrays; with few lanes, passing these arrays in calls would cost more than the steps.
    """
    template, comparisons, vertices, _ = graph
    start, ranks, bounds, cells = ranked
    first, last = windows.first, windows.last
    states = template.start.shape[0]
    compared = comparisons.source.shape[0]
    sums = vertices.weights.shape[1]
    extremes = vertices.codes.shape[1]
    lanes = chunk.lanes
    width, lows = lanes * (1 + sums), lanes * extremes
    words, least = np.uint64(width), np.uint64(lows)
    room = np.uint64(LIMIT)
    ways = 1 + template.predecessors.shape[0] + compared
    while ways > 0:
        ways //= 2
        room >>= np.uint64(1)
    stop = last[chunk.end - 1]
    tree_rows = 1 + cells.max()
    ties = longest_tie(vertices.tick[first[chunk.begin] : stop]) * states
    # The vertices of the current tick, which nothing follows yet. Then all earlier vertices: by state, and by rank.
    waiting = rows_of(ties, width, lows)
    waiting_vertex = np.zeros(ties, np.int64)
    waiting_state = np.zeros(ties, np.int64)
    done = rows_of(states, width, lows)
    trees = rows_of(compared * tree_rows, width, lows)
    seen = np.zeros((1, width), np.uint64)
    # The first counts of a vertex, [whether its state may begin a trend]: 1 in the lanes of open windows.
    fresh = np.zeros((2, width), np.uint64)
    opening, closing = chunk.begin, chunk.begin
    n = 0
    i = first[opening]
    while closing < chunk.end:
        if n > 0 and (i == stop or vertices.tick[i] != vertices.tick[i - 1]):
            for q in range(n):
                s = waiting_state[q]
                _add(done, s, waiting, q, words, least)
                for x in range(words):
                    seen[0, x] |= done.words[s, x]
                for c in range(compared):
                    if comparisons.source[c] != s:
                        continue
                    cell = ranks[c, waiting_vertex[q] - start]
                    while 0 < cell <= cells[c]:
                        _add(trees, c * tree_rows + cell, waiting, q, words, least)
                        cell = cells[c] + 1 if comparisons.equal[c] else cell + (cell & -cell)
            n = 0
        while closing < chunk.end and last[closing] <= i:
            lane = (closing - chunk.begin) // chunk.step % lanes
            ended = Ended(template.end, done, waiting, waiting_state[:n], seen[0])
            _tell(ended, lane, lanes, room, numbers, closing)
            fresh[1, lane] = 0
            closing += chunk.step
        while opening < chunk.end and first[opening] <= i:
            lane = (opening - chunk.begin) // chunk.step % lanes
            if lane % GROUP == 0:
                for rows in (waiting, done, trees):
                    _empty(rows, lane, lanes)
                for x in range(lane, seen.shape[1], lanes):
                    seen[0, x : x + GROUP] = 0
            fresh[1, lane] = 1
            opening += chunk.step
        if opening == closing:  # no window contains the vertices before the next window
            n = 0
            i = first[opening] if opening < chunk.end else stop
            continue
        for s in range(states):
            bit = np.uint64(1) << np.uint64(s)
            if not vertices.states[i] & bit:
                continue
            begins = np.int64(template.start[s])
            for x in range(words):
                waiting.words[n, x] = fresh[begins, x]
            for y in range(least):
                waiting.minima[n, y] = NOTHING
            for e in range(template.first_predecessor[s], template.first_predecessor[s + 1]):
                _add(waiting, n, done, template.predecessors[e], words, least)
            for c in range(compared):
                if comparisons.target[c] == s:
                    bound, equal = bounds[c, i - start], comparisons.equal[c]
                    while bound > 0:
                        bound = _add_four(waiting, n, trees, c * tree_rows, bound, equal, words, least)
            for j in range(sums):
                if vertices.weighted[j] & bit:
                    _weigh(waiting, n, seen[0], 1 + j, vertices.weights[i, j], np.uint64(lanes), room)
            for j in range(extremes):
                if vertices.coded[j] & bit:
                    _offer(waiting, n, j, vertices.codes[i, j], np.uint64(lanes))
            waiting_vertex[n] = i
            waiting_state[n] = s
            n += 1
        i += 1


@njit(cache=True, inline="always")
def _add(into: Rows, row: int, rows: Rows, added: int, words: np.uint64, least: np.uint64) -> None:
    """Add a row to another. Bounds are unsigned, otherwise these loops are not vectorised."""
    for x in range(words):
        into.words[row, x] += rows.words[added, x]
    for y in range(least):
        into.minima[row, y] = min(into.minima[row, y], rows.minima[added, y])


@njit(cache=True, inline="always")
def _add_four(
    into: Rows, row: int, rows: Rows, tree: int, at: int, equal: bool, words: np.uint64, least: np.uint64
) -> int:
    """Add the next four cells of a tree's prefix to a row, in one pass over the row. Returns the cell after them.

    After the end of the prefix this is cell 0, which is empty. If equal ranks are asked for, the prefix is one cell.
    """
    second = 0 if equal else at & (at - 1)
    third = second & (second - 1)
    fourth = third & (third - 1)
    a, b, c, d = tree + at, tree + second, tree + third, tree + fourth
    cells = rows.words
    for x in range(words):
        into.words[row, x] += (cells[a, x] + cells[b, x]) + (cells[c, x] + cells[d, x])
    lows = rows.minima
    for y in range(least):
        into.minima[row, y] = min(into.minima[row, y], lows[a, y], lows[b, y], lows[c, y], lows[d, y])
    return fourth & (fourth - 1)


@inner
def _empty(rows: Rows, lane: int, lanes: int) -> None:
    """Clear a group of lanes in all rows."""
    for r in range(rows.words.shape[0]):
        for begin in range(lane, rows.words.shape[1], lanes):
            for x in range(np.uint64(begin), np.uint64(begin + GROUP)):
                rows.words[r, x] = 0
        for begin in range(lane, rows.minima.shape[1], lanes):
            for y in range(np.uint64(begin), np.uint64(begin + GROUP)):
                rows.minima[r, y] = NOTHING


@inner
def _weigh(rows: Rows, row: int, seen: Bits, number: int, weight: int, lanes: np.uint64, room: np.uint64) -> None:
    """Add weight times the count of each lane to its number. A product that reaches the limit is flagged in `seen`."""
    factor = np.uint64(weight)
    begin = np.uint64(number) * lanes
    large = factor
    for x in range(lanes):
        large |= rows.words[row, x]
    if large >= np.uint64(SMALL):
        for x in range(lanes):
            if np.float64(rows.words[row, x]) * np.float64(weight) >= LIMIT_AS_FLOAT:
                seen[x] |= room
    for x in range(lanes):
        rows.words[row, begin + x] += rows.words[row, x] * factor


@inner
def _offer(rows: Rows, row: int, number: int, code: int, lanes: np.uint64) -> None:
    """Lower a minimum to the code of a vertex, in the lanes where a trend reaches the vertex."""
    begin = np.uint64(number) * lanes
    for x in range(lanes):
        offered = code if rows.words[row, x] != 0 else NOTHING
        rows.minima[row, begin + x] = min(rows.minima[row, begin + x], offered)


class Ended(NamedTuple):
    """The numbers that fill the results of windows that have ended."""

    ends: Flags
    """Whether a trend may end in a state."""
    done: Rows
    waiting: Rows
    waiting_state: Ints
    seen: Bits


@inner
def _tell(ended: Ended, lane: int, lanes: int, room: np.uint64, numbers: Numbers, window: int) -> None:
    """Fill the numbers of a window that has ended."""
    ends, done, waiting, waiting_state, seen = ended
    overflow = False
    for j in range(numbers.totals.shape[1]):
        x = j * lanes + lane
        bits = seen[x]
        total = np.uint64(0)
        for s in range(ends.shape[0]):
            if ends[s]:
                total += done.words[s, x]
                bits |= total
        for q in range(waiting_state.shape[0]):
            if ends[waiting_state[q]]:
                total += waiting.words[q, x]
                bits |= total
        numbers.totals[window, j] = np.int64(total)
        overflow |= bits >= room
    for j in range(numbers.minima.shape[1]):
        y = j * lanes + lane
        smallest = numbers.minima[window, j]
        for s in range(ends.shape[0]):
            if ends[s]:
                smallest = min(smallest, done.minima[s, y])
        for q in range(waiting_state.shape[0]):
            if ends[waiting_state[q]]:
                smallest = min(smallest, waiting.minima[q, y])
        numbers.minima[window, j] = smallest
    numbers.overflowed[window] = overflow

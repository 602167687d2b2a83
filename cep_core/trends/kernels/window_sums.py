"""Counts the trends of one window after another, for templates whose edges have no comparisons.

GRETA, section 4.2 and Theorem 9.1, with one improvement over the paper: if edges have no comparisons, all vertices of a
state are predecessors alike. So a state needs only the sum of their counts, not the vertices. O(vertices of the window
* edges of the template) time, O(states) space. Vertices of one tick are committed together, after all earlier ones, so
they never follow each other (GRETA, section 7).

An edge that negated matches cut has its own sum, over the vertices from which it still leads. At a cut this sum is
computed again, over the vertices since the start of the negated match. Consecutive negated matches share few vertices,
so this stays linear; it takes O(vertices of the window * states) space.

Counts are int64 with overflow detection. If any number of a window reaches 2**62, the window is flagged, its row is
void, and `exact.count_exactly` computes it again.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from cep_core.arrays import Ints
from cep_core.inner_kernels import inner
from cep_core.numbers.words import LIMIT
from cep_core.trends.arrays.graph import Graph, WindowLimits
from cep_core.trends.arrays.ranges import Numbers, Ranges
from cep_core.trends.kernels.word_rows import WordRows, add, clear, weigh, word_rows


@inner
def may_begin(limits: WindowLimits, vertex: int, state: int, window: int, first: int) -> bool:
    """Whether a vertex may begin a trend of a window whose first vertex is `first`."""
    return vertex < limits.starts_before[window, state] and limits.begun[vertex, state] < first


@inner
def may_end(limits: WindowLimits, vertex: int, state: int, window: int, last: int) -> bool:
    """Whether a vertex may end a trend of a window whose vertices all come before `last`."""
    return vertex >= limits.ends_from[window, state] and limits.ended[vertex, state] >= last


class Memory(NamedTuple):
    """What the walk over one window keeps."""

    done: WordRows
    """[S] of each state, the vertices that may be followed"""
    pending: WordRows
    """[S] and those of the current tick"""
    of_vertex: WordRows
    """[1]"""
    final: WordRows
    """[1] the vertices that end a trend"""
    uncut: WordRows
    """[cuts] of each cut edge, the vertices since its floor, from which it still leads"""
    floor: Ints
    """[cuts]"""
    kept: WordRows
    """[vertices of a window * S] each vertex of the window, by state; nothing without cuts"""


@njit(cache=True, nogil=True)
def count_windows(graph: Graph, windows: Ranges, numbers: Numbers) -> None:
    """Fill the numbers of the trends of each window.

    The graph may have edges that negated matches cut; their comparisons are not read.
    """
    vertices = graph.vertices
    states, cuts = graph.template.start.shape[0], graph.comparisons.source.shape[0]
    longest = (windows.last - windows.first).max() if cuts and windows.first.shape[0] else np.int64(0)
    memory = Memory(
        word_rows(states, vertices),
        word_rows(states, vertices),
        word_rows(np.int64(1), vertices),
        word_rows(np.int64(1), vertices),
        word_rows(cuts, vertices),
        np.zeros(cuts, np.int64),
        word_rows(longest * states, vertices),
    )
    _count_windows(graph, windows, numbers, memory)


@inner
def _count_windows(graph: Graph, windows: Ranges, numbers: Numbers, memory: Memory) -> None:
    """Walk each window. The function is long because its parts share the counts in registers: with any part in a
    function of its own, a COUNT(*) took 10 to 45 % longer. Its memory is an argument, so that nothing here counts who
    holds an array: that took time in each loop, and a second of compiling."""
    template, comparisons, vertices, limits = graph
    states = template.start.shape[0]
    cuts = comparisons.source.shape[0]
    limited = limits.starts_before.shape[0] > 0
    wide = vertices.weighted.shape[0] + vertices.coded.shape[0] > 0
    done, pending, of_vertex, final, uncut, floor, kept = memory
    for w in range(windows.first.shape[0]):
        first, last = windows.first[w], windows.last[w]
        for s in range(states):
            clear(done, s)
            done.counts[s] = 0
            pending.counts[s] = 0
            clear(pending, s)
        for c in range(cuts):
            clear(uncut, c)
            uncut.counts[c] = 0
        clear(final, 0)
        kept.counts[: (last - first) * states if cuts else 0] = 0
        floor[:] = first
        committed = first
        seen = np.int64(0)
        final_count = np.int64(0)
        for i in range(first, last):
            if i > first and vertices.tick[i] != vertices.tick[i - 1]:
                if seen < 0 or seen >= LIMIT:
                    break
                for c in range(cuts):
                    if pending.counts[comparisons.source[c]] != 0:
                        seen |= add(uncut, c, pending, comparisons.source[c])
                        uncut.counts[c] += pending.counts[comparisons.source[c]]
                        seen |= uncut.counts[c]
                for s in range(states):
                    if pending.counts[s] != 0:
                        done.counts[s] += pending.counts[s]
                        pending.counts[s] = 0
                        seen |= done.counts[s]
                        if wide:
                            seen |= add(done, s, pending, s)
                            clear(pending, s)
                committed = i
            bits = vertices.states[i]
            for s in range(states):
                bit = np.uint64(1) << np.uint64(s)
                if not bits & bit:
                    continue
                begin, end = template.first_predecessor[s], template.first_predecessor[s + 1]
                count = np.int64(template.start[s] and (not limited or may_begin(limits, i, s, w, first)))
                for e in range(begin, end):
                    count += done.counts[template.predecessors[e]]
                    seen |= count
                for c in range(cuts):
                    if comparisons.target[c] == s:
                        since = max(comparisons.since[c, i], first)
                        if since != floor[c]:
                            floor[c] = since
                            clear(uncut, c)
                            uncut.counts[c] = 0
                            for j in range(since - first, committed - first):
                                if kept.counts[j * states + comparisons.source[c]] != 0:
                                    uncut.counts[c] += kept.counts[j * states + comparisons.source[c]]
                                    add(uncut, c, kept, j * states + comparisons.source[c])
                        count += uncut.counts[c]
                        seen |= count
                if count == 0:
                    continue
                ends = template.end[s] and (not limited or may_end(limits, i, s, w, last))
                pending.counts[s] += count
                seen |= pending.counts[s]
                if ends:
                    final_count += count
                    seen |= final_count
                if cuts:
                    kept.counts[(i - first) * states + s] = count
                if not wide:
                    continue
                clear(of_vertex, 0)
                for e in range(begin, end):
                    seen |= add(of_vertex, 0, done, template.predecessors[e])
                for c in range(cuts):
                    if comparisons.target[c] == s:
                        seen |= add(of_vertex, 0, uncut, c)
                seen |= weigh(of_vertex, 0, count, vertices, i, bit)
                seen |= add(pending, s, of_vertex, 0)
                if cuts:
                    clear(kept, (i - first) * states + s)
                    add(kept, (i - first) * states + s, of_vertex, 0)
                if ends:
                    seen |= add(final, 0, of_vertex, 0)
        numbers.totals[w, 0] = final_count
        numbers.totals[w, 1:] = final.sums[0]
        numbers.minima[w] = final.minima[0]
        numbers.overflowed[w] = seen < 0 or seen >= LIMIT

"""Counts the trends of templates with at most two states, as most queries have, without a branch in the innermost loop.

Like `window_sums`, but all numbers of a window stay in registers. For each state these are the total over its vertices,
and the total before the current tick, which is what followers see. A template is given as masks (all ones or zero);
masks remove the numbers that an event does not contribute. Totals only grow, so their bits show whether any total
exceeded 2**62.

A range of vertices is a *pane*. Its numbers are rows: one for the trends that begin in the pane, and one each for
trends that continue from a trend that ended in state 0 or in state 1 before the pane; that earlier trend counts as one.
`panes` joins panes to windows, `two_state_sums` computes sums and minima of the same rows. O(vertices).
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numba import njit

from cep_core.arrays import Flags, Ints
from cep_core.numbers.words import LIMIT
from cep_core.trends.arrays.graph import Comparisons, Vertices
from cep_core.trends.plan.state_arrays import StateArrays

BEGIN = 2
"""The row of trends that begin in the pane. Rows 0 and 1 continue from state 0 and state 1."""


class TwoStates(NamedTuple):
    """A template of states 0 and 1, as masks. If a template has one state, nothing binds the second state."""

    edge_00: int
    edge_01: int
    edge_10: int
    edge_11: int
    start_0: int
    """1 or 0."""
    start_1: int
    end_0: int
    """A mask: whether a trend may end in the state."""
    end_1: int


def two_states(template: StateArrays) -> TwoStates:
    """The template's masks.

    >>> from cep_core.trends.plan.state_arrays import automaton
    >>> two_states(automaton(2, [0], [1], [(0, 0), (0, 1), (1, 0)]))[:4]  # (SEQ(A+, B))+
    (-1, -1, -1, 0)
    """
    edges = [0] * 4
    sources, firsts = template.predecessors.tolist(), template.first_predecessor.tolist()
    for target, (begin, end) in enumerate(pairwise(firsts)):
        for source in sources[begin:end]:
            edges[2 * source + target] = -1
    unused = [False] * (2 - len(template.start))
    starts, ends = template.start.tolist() + unused, template.end.tolist() + unused
    return TwoStates(*edges, *map(int, starts), *(-int(end) for end in ends))


@njit(cache=True, nogil=True)
def count_beginning(
    template: TwoStates, vertices: Vertices, first: Ints, last: Ints, totals: Ints, overflowed: Flags
) -> None:
    """Count the trends that begin and end in each pane first[p]..last[p]-1: totals[P, 0]."""
    for p in range(first.shape[0]):
        before_0 = before_1 = total_0 = total_1 = seen = np.int64(0)
        tick = vertices.tick[first[p]]
        for i in range(first[p], last[p]):
            new = vertices.tick[i] != tick
            tick = vertices.tick[i]
            before_0 = total_0 if new else before_0
            before_1 = total_1 if new else before_1
            bits = np.int64(vertices.states[i])
            total_0 += (template.start_0 + (before_0 & template.edge_00) + (before_1 & template.edge_10)) & -(bits & 1)
            total_1 += (template.start_1 + (before_0 & template.edge_01) + (before_1 & template.edge_11)) & -(
                bits >> 1 & 1
            )
            seen |= total_0 | total_1
        totals[p, 0] = (total_0 & template.end_0) + (total_1 & template.end_1)
        overflowed[p] = seen < 0 or seen >= LIMIT or totals[p, 0] >= LIMIT


@njit(cache=True, nogil=True)
def count_beginning_cut(
    template: TwoStates,
    comparisons: Comparisons,
    vertices: Vertices,
    first: Ints,
    last: Ints,
    totals: Ints,
    overflowed: Flags,
) -> None:
    """Like `count_beginning`, with edges that negated matches cut: `comparisons` has them, `template` does not.

    A cut edge leads from the state's total minus the total at the cut.
    """
    row = np.zeros(
        4, np.int64
    )  # rows of `since`; an edge that is not cut may use any row, because masks remove its value
    is_cut = np.zeros(4, np.int64)
    for c in range(comparisons.source.shape[0]):
        edge = 2 * comparisons.source[c] + comparisons.target[c]
        row[edge] = c
        is_cut[edge] = -1
    cut_00, cut_01, cut_10, cut_11 = is_cut[0], is_cut[1], is_cut[2], is_cut[3]
    row_00, row_01, row_10, row_11 = row[0], row[1], row[2], row[3]
    edge_00, edge_01 = template.edge_00 | cut_00, template.edge_01 | cut_01
    edge_10, edge_11 = template.edge_10 | cut_10, template.edge_11 | cut_11
    since = comparisons.since
    room = (last - first).max() if first.shape[0] else np.int64(0)
    before = np.zeros((room + 1, 2), np.int64)  # the totals before each vertex of the pane
    for p in range(first.shape[0]):
        before_0 = before_1 = total_0 = total_1 = seen = np.int64(0)
        tick = vertices.tick[first[p]]
        begin = first[p]
        for i in range(begin, last[p]):
            new = vertices.tick[i] != tick
            tick = vertices.tick[i]
            before_0 = total_0 if new else before_0
            before_1 = total_1 if new else before_1
            before[i - begin, 0] = total_0
            before[i - begin, 1] = total_1
            bits = np.int64(vertices.states[i])
            gone_00 = before[max(since[row_00, i] - begin, 0), 0] & cut_00
            gone_10 = before[max(since[row_10, i] - begin, 0), 1] & cut_10
            gone_01 = before[max(since[row_01, i] - begin, 0), 0] & cut_01
            gone_11 = before[max(since[row_11, i] - begin, 0), 1] & cut_11
            count_0 = template.start_0 + (before_0 - gone_00 & edge_00) + (before_1 - gone_10 & edge_10)
            count_1 = template.start_1 + (before_0 - gone_01 & edge_01) + (before_1 - gone_11 & edge_11)
            total_0 += count_0 & -(bits & 1)
            total_1 += count_1 & -(bits >> 1 & 1)
            seen |= total_0 | total_1
        totals[p, 0] = (total_0 & template.end_0) + (total_1 & template.end_1)
        overflowed[p] = seen < 0 or seen >= LIMIT or totals[p, 0] >= LIMIT


@njit(cache=True, nogil=True)
def count_panes(
    template: TwoStates, vertices: Vertices, first: Ints, last: Ints, totals: Ints, overflowed: Flags
) -> None:
    """Count all rows of each pane: totals[P, 3, 2], by the state in which trends end."""
    edge_00, edge_01, edge_10, edge_11 = template.edge_00, template.edge_01, template.edge_10, template.edge_11
    for p in range(first.shape[0]):
        before_0 = before_1 = total_0 = total_1 = seen = np.int64(0)
        before_00 = total_00 = before_11 = total_11 = np.int64(1)
        before_01 = total_01 = before_10 = total_10 = np.int64(0)
        tick = vertices.tick[first[p]]
        for i in range(first[p], last[p]):
            new = vertices.tick[i] != tick
            tick = vertices.tick[i]
            bits = np.int64(vertices.states[i])
            is_0 = -(bits & 1)
            is_1 = -(bits >> 1 & 1)
            before_0 = total_0 if new else before_0
            before_1 = total_1 if new else before_1
            total_0 += (template.start_0 + (before_0 & edge_00) + (before_1 & edge_10)) & is_0
            total_1 += (template.start_1 + (before_0 & edge_01) + (before_1 & edge_11)) & is_1
            before_00 = total_00 if new else before_00
            before_01 = total_01 if new else before_01
            total_00 += ((before_00 & edge_00) + (before_01 & edge_10)) & is_0
            total_01 += ((before_00 & edge_01) + (before_01 & edge_11)) & is_1
            before_10 = total_10 if new else before_10
            before_11 = total_11 if new else before_11
            total_10 += ((before_10 & edge_00) + (before_11 & edge_10)) & is_0
            total_11 += ((before_10 & edge_01) + (before_11 & edge_11)) & is_1
            seen |= total_0 | total_1 | total_00 | total_01 | total_10 | total_11
        totals[p, 0, 0] = total_00
        totals[p, 0, 1] = total_01
        totals[p, 1, 0] = total_10
        totals[p, 1, 1] = total_11
        totals[p, BEGIN, 0] = total_0
        totals[p, BEGIN, 1] = total_1
        overflowed[p] = seen < 0 or seen >= LIMIT

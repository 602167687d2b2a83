"""Counts the trends of templates with at most two states, as most queries have, without a branch in the innermost loop.

Like `window_sums`, but all numbers of a window stay in registers. For each state these are the total over its vertices,
and the total before the current tick, which is what followers see. A template is given as masks (all ones or zero);
masks remove the numbers that an event does not contribute. Totals only grow, so their bits show whether any total
exceeded 2**62.

A range of vertices is a *pane*. Its numbers are rows: one for the trends that begin in the pane, and one each for
trends that continue from a trend that ended in state 0 or in state 1 before the pane; that earlier trend counts as one.
`panes` joins panes to windows. O(vertices) for counts; again O(vertices) for every two sums and two minima, which are
computed side by side.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numba import njit

from cep_core.arrays import Bits, Flags, Ints
from cep_core.inner_kernels import inner
from cep_core.numbers.words import LIMIT, LIMIT_AS_FLOAT, SMALL
from cep_core.trends.arrays.graph import Comparisons, Vertices
from cep_core.trends.arrays.ranges import Numbers
from cep_core.trends.plan.state_arrays import StateArrays

BEGIN = 2
"""The row of trends that begin in the pane. Rows 0 and 1 continue from state 0 and state 1."""
NONE = np.uint64(0xFFFFFFFFFFFFFFFF)
"""NOTHING, as an unsigned number."""
SIGN = np.uint64(1 << 63)


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


class Columns(NamedTuple):
    """Two sums and two minima that are computed side by side."""

    j: int
    """The columns of the sums: j and k."""
    k: int
    x: int
    """The columns of the minima: x and y."""
    y: int
    weights: Ints
    codes: Ints
    weigh: tuple[np.int64, np.int64, np.int64, np.int64]
    """Whether column j counts in state 0 and in state 1, as masks; then the same for column k."""
    code: tuple[np.int64, np.int64, np.int64, np.int64]


@njit(cache=True, nogil=True)
def aggregate_panes(
    template: TwoStates, vertices: Vertices, first: Ints, last: Ints, rows: int, numbers: Numbers
) -> None:
    """The counts, sums and minima of the last `rows` of the three rows of each pane.

    Fills totals[P, rows, 2, 1 + J], and minima in the same way. Two sums and two minima are computed at a time. If
    there are fewer, a column is read and masked.
    """
    sums = vertices.weights.shape[1]
    extremes = vertices.codes.shape[1]
    weights = vertices.weights if sums else np.zeros((vertices.tick.shape[0], 1), np.int64)
    codes = vertices.codes if extremes else np.zeros((vertices.tick.shape[0], 1), np.int64)
    for column in range(0, max(sums, extremes, 1), 2):
        j = min(column, weights.shape[1] - 1)
        k = min(column + 1, weights.shape[1] - 1)
        x = min(column, codes.shape[1] - 1)
        y = min(column + 1, codes.shape[1] - 1)
        weigh = (*_masks(vertices.weighted, j), *_masks(vertices.weighted, k))
        code = (*_masks(vertices.coded, x), *_masks(vertices.coded, y))
        columns = Columns(j, k, x, y, weights, codes, weigh, code)
        _aggregate(template, vertices, columns, first, last, rows, numbers)


@inner
def _masks(columns: Bits, column: int) -> tuple[np.int64, np.int64]:
    """Whether a column counts in state 0 and in state 1, as masks. A missing column counts in neither."""
    bits = np.int64(columns[column]) if column < columns.shape[0] else np.int64(0)
    return -(bits & 1), -(bits >> 1 & 1)


@inner
def _aggregate(
    template: TwoStates, vertices: Vertices, columns: Columns, first: Ints, last: Ints, rows: int, numbers: Numbers
) -> None:
    """Sums of columns j and k, and minima of columns x and y.

    Codes become unsigned numbers. The largest, all ones, means no code; masks produce it with `or`. The function is
    long because all its numbers stay in registers.
    """
    totals, minima, overflowed = numbers
    weights, codes = columns.weights, columns.codes
    weigh, code = columns.weigh, columns.code
    edge_00, edge_01, edge_10, edge_11 = template.edge_00, template.edge_01, template.edge_10, template.edge_11
    no_00, no_01, no_10, no_11 = np.uint64(~edge_00), np.uint64(~edge_01), np.uint64(~edge_10), np.uint64(~edge_11)
    j, k, x, y = columns.j, columns.k, columns.x, columns.y
    weigh_j0, weigh_j1, weigh_k0, weigh_k1 = weigh
    no_x0, no_x1, no_y0, no_y1 = np.uint64(~code[0]), np.uint64(~code[1]), np.uint64(~code[2]), np.uint64(~code[3])
    for p in range(first.shape[0]):
        for place in range(rows):
            row = place + BEGIN + 1 - rows
            start_0 = template.start_0 if row == BEGIN else 0
            start_1 = template.start_1 if row == BEGIN else 0
            total_0 = np.int64(row == 0)
            total_1 = np.int64(row == 1)
            total_j0 = total_j1 = total_k0 = total_k1 = seen = np.int64(0)
            least_x0 = least_x1 = least_y0 = least_y1 = NONE
            # the numbers that a vertex of the current tick receives from earlier vertices
            in_0 = start_0 + (total_0 & edge_00) + (total_1 & edge_10)
            in_1 = start_1 + (total_0 & edge_01) + (total_1 & edge_11)
            in_j0 = in_j1 = in_k0 = in_k1 = np.int64(0)
            in_x0 = in_x1 = in_y0 = in_y1 = NONE
            tick = vertices.tick[first[p]]
            for i in range(first[p], last[p]):
                if vertices.tick[i] != tick:
                    tick = vertices.tick[i]
                    in_0 = start_0 + (total_0 & edge_00) + (total_1 & edge_10)
                    in_1 = start_1 + (total_0 & edge_01) + (total_1 & edge_11)
                    in_j0 = (total_j0 & edge_00) + (total_j1 & edge_10)
                    in_j1 = (total_j0 & edge_01) + (total_j1 & edge_11)
                    in_k0 = (total_k0 & edge_00) + (total_k1 & edge_10)
                    in_k1 = (total_k0 & edge_01) + (total_k1 & edge_11)
                    in_x0 = min(least_x0 | no_00, least_x1 | no_10)
                    in_x1 = min(least_x0 | no_01, least_x1 | no_11)
                    in_y0 = min(least_y0 | no_00, least_y1 | no_10)
                    in_y1 = min(least_y0 | no_01, least_y1 | no_11)
                bits = np.int64(vertices.states[i])
                is_0 = -(bits & 1)
                is_1 = -(bits >> 1 & 1)
                weight_j, weight_k = weights[i, j], weights[i, k]
                code_x, code_y = np.uint64(codes[i, x]) ^ SIGN, np.uint64(codes[i, y]) ^ SIGN
                count_0 = in_0 & is_0
                count_1 = in_1 & is_1
                large = (count_0 | count_1 | weight_j | weight_k) >= SMALL
                if large and float(max(count_0, count_1)) * float(max(weight_j, weight_k)) >= LIMIT_AS_FLOAT:
                    seen = np.int64(-1)
                total_0 += count_0
                total_1 += count_1
                total_j0 += count_0 * (weight_j & weigh_j0) + (in_j0 & is_0)
                total_j1 += count_1 * (weight_j & weigh_j1) + (in_j1 & is_1)
                total_k0 += count_0 * (weight_k & weigh_k0) + (in_k0 & is_0)
                total_k1 += count_1 * (weight_k & weigh_k1) + (in_k1 & is_1)
                # an event that no trend reaches offers no code
                none_0 = np.uint64(-np.int64(count_0 == 0))
                none_1 = np.uint64(-np.int64(count_1 == 0))
                least_x0 = min(least_x0, min(code_x | no_x0, in_x0) | none_0)
                least_x1 = min(least_x1, min(code_x | no_x1, in_x1) | none_1)
                least_y0 = min(least_y0, min(code_y | no_y0, in_y0) | none_0)
                least_y1 = min(least_y1, min(code_y | no_y1, in_y1) | none_1)
                seen |= total_0 | total_1 | total_j0 | total_j1 | total_k0 | total_k1
            totals[p, place, 0, 0] = total_0
            totals[p, place, 1, 0] = total_1
            if totals.shape[3] > 1:
                totals[p, place, 0, 1 + j] = total_j0
                totals[p, place, 1, 1 + j] = total_j1
                totals[p, place, 0, 1 + k] = total_k0
                totals[p, place, 1, 1 + k] = total_k1
            if minima.shape[3]:
                minima[p, place, 0, x] = np.int64(least_x0 ^ SIGN)
                minima[p, place, 1, x] = np.int64(least_x1 ^ SIGN)
                minima[p, place, 0, y] = np.int64(least_y0 ^ SIGN)
                minima[p, place, 1, y] = np.int64(least_y1 ^ SIGN)
            overflowed[p] |= seen < 0 or seen >= LIMIT

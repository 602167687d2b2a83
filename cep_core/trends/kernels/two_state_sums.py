"""Sums and minima over the trends of templates with at most two states, with their counts.

As in `two_states`, all numbers of a pane stay in registers, and masks remove those that an event does not contribute.
The rows of a pane are the same. Two sums and two minima are computed side by side. Codes of minima become unsigned
numbers, so that one of all ones stands for no code. O(vertices) for every two sums and two minima.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from cep_core.arrays import Bits, Ints
from cep_core.inner_kernels import inner
from cep_core.numbers.words import LIMIT, LIMIT_AS_FLOAT, SMALL
from cep_core.trends.arrays.graph import Vertices
from cep_core.trends.arrays.ranges import Numbers
from cep_core.trends.kernels.two_states import BEGIN, TwoStates

NONE = np.uint64(0xFFFFFFFFFFFFFFFF)
"""NOTHING, as an unsigned number."""
SIGN = np.uint64(1 << 63)


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

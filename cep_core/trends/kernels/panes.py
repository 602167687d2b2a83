"""Sliding windows joined from panes: each event is visited once, however many windows contain it.

The first and last vertices of all windows of a partition cut it into panes. A pane is a matrix. Row r, column s has the
numbers of the trends that continue from state r and end in s inside the pane (1 if r = s: the trend has no event of the
pane). The last row has the trends that begin in the pane. When panes join, matrices multiply: counts by sums of
products, sums by the product rule, minima over the states that are reached. Two stacks join the windows (Tangwongsan et
al. 2015, paper 03's reference [33]): products from each pane up to a turning point, and products from there on.

O(vertices * states) for the panes, and O(states^3) for each product. A pane takes two multiplications, a window one
product of a row and a matrix. Overflow is as in `window_sums`: a window is flagged if any of its parts is.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from cep_core.arrays import NOTHING, Flags, Ints
from cep_core.inner_kernels import inner
from cep_core.numbers.words import LIMIT, product
from cep_core.trends.arrays.ranges import Numbers, Ranges


class Panes(NamedTuple):
    """P panes in time order, partition after partition, and the panes of each of W windows."""

    first: Ints
    """[P] The first vertex."""
    last: Ints
    """[P] One after the last vertex."""
    begin: Ints
    """[W] The first pane of each window."""
    end: Ints
    """[W] One after the last pane of each window."""


class Matrices(NamedTuple):
    """The numbers of matrices, [matrices, rows, columns, ...]."""

    totals: Ints
    """[..., 1 + J]."""
    minima: Ints
    """[..., M]."""


@njit(cache=True, nogil=True)
def cut_panes(ranges: Ranges) -> Panes:
    """The panes of windows in time order, partition after partition.

    >>> from cep_core.trends.arrays.ranges import Ranges
    >>> panes = cut_panes(Ranges(np.array([0, 2, 4]), np.array([4, 6, 7]), np.zeros(3, np.int64)))
    >>> panes.first, panes.last, panes.begin, panes.end
    (array([0, 2, 4, 6]), array([2, 4, 6, 7]), array([0, 1, 2]), array([2, 3, 4]))
    """
    first, last, partition = ranges
    windows = first.shape[0]
    bounds = np.empty((2, 2 * windows), np.int64)
    begin = np.empty(windows, np.int64)
    end = np.empty(windows, np.int64)
    panes = 0
    opens = 0
    while opens < windows:
        stop = opens
        while stop < windows and partition[stop] == partition[opens]:
            stop += 1
        starts = opens  # the next window to open, and the next to close
        closes = opens
        vertex = first[opens]
        while closes < stop:
            while starts < stop and first[starts] == vertex:
                begin[starts] = panes
                starts += 1
            while closes < starts and last[closes] == vertex:
                end[closes] = panes
                closes += 1
            if closes == stop:
                break
            following = last[closes] if closes < starts else first[starts]
            if starts < stop:
                following = min(following, first[starts])
            if closes < starts:
                bounds[0, panes] = vertex
                bounds[1, panes] = following
                panes += 1
            vertex = following
        opens = stop
    return Panes(bounds[0, :panes].copy(), bounds[1, :panes].copy(), begin, end)


@njit(cache=True, nogil=True)
def join_panes(panes: Panes, ends: Flags, of_panes: Numbers, numbers: Numbers) -> None:
    """Fill the numbers of each window from the numbers of its panes, [P, S + 1, S, ...].

    `ends[s]`: whether a trend may end in state s.
    """
    pane = Matrices(of_panes.totals, of_panes.minima)
    count, rows, states, width = pane.totals.shape
    extremes = pane.minima.shape[3]
    # The front stack: for each pane, the trends that begin in it or later, and before the turning point.
    front = Matrices(
        np.zeros((count, 1, states, width), np.int64), np.full((count, 1, states, extremes), NOTHING, np.int64)
    )
    front_overflow = np.zeros(count, np.bool_)
    # The growing products, first towards the front, then towards the back: the last product, and room for the next.
    products = Matrices(np.zeros((2, rows, states, width), np.int64), np.zeros((2, rows, states, extremes), np.int64))
    windows = numbers.totals.shape[0]
    results = Matrices(
        numbers.totals.reshape((windows, 1, 1, width)), numbers.minima.reshape((windows, 1, 1, extremes))
    )
    current = 0
    turn = np.int64(0)
    reached = np.int64(0)
    back_overflow = False
    for w in range(windows):
        first, last = panes.begin[w], panes.end[w]
        if first >= turn:
            turn = last
            reached = turn
            _unite(products, current)
            overflow = False
            for p in range(turn - 1, first - 1, -1):
                overflow |= of_panes.overflowed[p]
                products.totals[1 - current] = 0
                products.minima[1 - current] = NOTHING
                for r in range(rows):
                    for s in range(states):
                        overflow |= _add(
                            pane, (int(p), r), products, (current, s, r == states), products, (1 - current, r, s)
                        )
                current = 1 - current
                front.totals[p, 0] = products.totals[current, states]
                front.minima[p, 0] = products.minima[current, states]
                front_overflow[p] = overflow
            _unite(products, current)
            back_overflow = False
        while reached < last:
            back_overflow |= of_panes.overflowed[reached]
            products.totals[1 - current] = 0
            products.minima[1 - current] = NOTHING
            for r in range(rows):
                for s in range(states):
                    back_overflow |= _add(
                        products, (current, r), pane, (int(reached), s, r == states), products, (1 - current, r, s)
                    )
            current = 1 - current
            reached += 1
        overflow = back_overflow or front_overflow[first]
        for s in range(states):
            if ends[s]:
                overflow |= _add(front, (first, 0), products, (current, s, True), results, (w, 0, 0))
        numbers.overflowed[w] = overflow


@inner
def _unite(whole: Matrices, now: int) -> None:
    """Set a matrix to the product of no panes."""
    whole.totals[now] = 0
    whole.minima[now] = NOTHING
    for s in range(whole.totals.shape[2]):
        whole.totals[now, s, s, 0] = 1


@inner
def _add(
    earlier: Matrices,
    row: tuple[int, int],
    later: Matrices,
    column: tuple[int, int, bool],
    product_of: Matrices,
    place: tuple[int, int, int],
) -> bool:
    """Add row r of the matrix earlier[e] times column s of later[f]; if `begins`, also the trends that begin there.

    Returns whether a number did not fit a word. No array is sliced: slicing would cost more than the product.
    """
    e, r = row
    f, s, begins = column
    o, u, v = place
    totals, minima = product_of
    states, width = earlier.totals.shape[2:]
    seen = np.int64(0)
    for q in range(states + 1 if begins else states):
        after = later.totals[f, q, s, 0]
        before = earlier.totals[e, r, q, 0] if q < states else np.int64(1)
        if before == 0 or after == 0:
            continue
        through = product(before, after)
        totals[o, u, v, 0] += through
        seen |= through | totals[o, u, v, 0]
        for j in range(1, width):
            summed = product(before, later.totals[f, q, s, j])
            totals[o, u, v, j] += summed
            seen |= summed | totals[o, u, v, j]
            if q < states:
                summed = product(earlier.totals[e, r, q, j], after)
                totals[o, u, v, j] += summed
                seen |= summed | totals[o, u, v, j]
        for j in range(minima.shape[3]):
            least = later.minima[f, q, s, j]
            if q < states:
                least = min(least, earlier.minima[e, r, q, j])
            minima[o, u, v, j] = min(minima[o, u, v, j], least)
    return bool(seen < 0 or seen >= LIMIT)

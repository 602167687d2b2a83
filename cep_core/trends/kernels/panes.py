"""Sliding windows joined from panes: each event is visited once, however many windows lie over it.

The first and last vertices of all windows of a partition cut it into panes. A pane is a matrix: row r, column s has the
numbers of the trends that continue from state r and end in s inside it (1 for r = s: no event of it), the last row
those that begin in it. Matrices multiply as panes join: counts by sums of products, sums by the product rule, minima
over the states that are reached. Windows are joined by two stacks (Tangwongsan et al. 2015, paper 03's reference [33]):
products from each pane up to a turning point, and from there onwards.

O(vertices * states) for the panes, O(states^3) a pane for the products; a pane has two multiplications, a window a
product of a row and a matrix. Overflow as in `counting`: a window is flagged if any of its parts was.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from cep_core.arrays import NOTHING, Flags, Ints
from cep_core.numbers.words import LIMIT, product


@njit(cache=True, nogil=True)
def cut_panes(first: Ints, last: Ints, partition: Ints) -> tuple[Ints, Ints, Ints, Ints]:
    """First and last vertex of each pane of W windows in time order, partition after partition; each window's panes.

    >>> first, last, begin, end = cut_panes(np.array([0, 2, 4]), np.array([4, 6, 7]), np.zeros(3, np.int64))
    >>> first, last, begin, end
    (array([0, 2, 4, 6]), array([2, 4, 6, 7]), array([0, 1, 2]), array([2, 3, 4]))
    """
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
        starts = opens  # the next window to open, and to close
        closes = opens
        at = first[opens]
        while closes < stop:
            while starts < stop and first[starts] == at:
                begin[starts] = panes
                starts += 1
            while closes < starts and last[closes] == at:
                end[closes] = panes
                closes += 1
            if closes == stop:
                break
            following = last[closes] if closes < starts else first[starts]
            if starts < stop:
                following = min(following, first[starts])
            if closes < starts:
                bounds[0, panes] = at
                bounds[1, panes] = following
                panes += 1
            at = following
        opens = stop
    return bounds[0, :panes].copy(), bounds[1, :panes].copy(), begin, end


@njit(cache=True, nogil=True)
def join_panes(
    begin: Ints,
    end: Ints,
    ends: Flags,
    pane_totals: Ints,
    pane_minima: Ints,
    pane_overflowed: Flags,
    totals: Ints,
    minima: Ints,
    overflowed: Flags,
) -> None:
    """Numbers of each window, panes begin[w]..end[w]-1, both ascending, from those of panes [P, S + 1, S, ...].

    `ends[s]`: whether a trend may end in state s. Fills totals[W, 1 + J], minima[W, M] and overflowed[W].
    """
    panes, rows, states, numbers = pane_totals.shape
    extremes = pane_minima.shape[3]
    # The front stack: for each pane the numbers of trends that begin from it on and before the turning point.
    front = np.zeros((panes, 1, states, numbers), np.int64)
    front_minima = np.full((panes, 1, states, extremes), NOTHING, np.int64)
    front_lost = np.zeros(panes, np.bool_)
    # The products that grow, first to the front, then to the back: the last one and room for the next.
    whole = np.zeros((2, rows, states, numbers), np.int64)
    least = np.zeros((2, rows, states, extremes), np.int64)
    window_totals = totals.reshape((totals.shape[0], 1, 1, numbers))
    window_minima = minima.reshape((minima.shape[0], 1, 1, extremes))
    now = 0
    turn = np.int64(0)
    reached = np.int64(0)
    lost = False
    for w in range(begin.shape[0]):
        if begin[w] >= turn:
            turn = end[w]
            reached = turn
            _unite(whole, least, now)
            gone = False
            for p in range(turn - 1, begin[w] - 1, -1):
                gone |= pane_overflowed[p]
                whole[1 - now] = 0
                least[1 - now] = NOTHING
                for r in range(rows):
                    for s in range(states):
                        row, column, out = (int(p), r), (now, s, r == states), (1 - now, r, s)
                        gone |= _add(pane_totals, pane_minima, row, whole, least, column, whole, least, out)
                now = 1 - now
                front[p, 0] = whole[now, states]
                front_minima[p, 0] = least[now, states]
                front_lost[p] = gone
            _unite(whole, least, now)
            lost = False
        while reached < end[w]:
            lost |= pane_overflowed[reached]
            whole[1 - now] = 0
            least[1 - now] = NOTHING
            for r in range(rows):
                for s in range(states):
                    row, column, out = (now, r), (int(reached), s, r == states), (1 - now, r, s)
                    lost |= _add(whole, least, row, pane_totals, pane_minima, column, whole, least, out)
            now = 1 - now
            reached += 1
        gone = lost or front_lost[begin[w]]
        for s in range(states):
            if ends[s]:
                row, column, out = (begin[w], 0), (now, s, True), (w, 0, 0)
                gone |= _add(front, front_minima, row, whole, least, column, window_totals, window_minima, out)
        overflowed[w] = gone


@njit(cache=True)
def _unite(whole: Ints, least: Ints, now: int) -> None:
    """The product of no panes."""
    whole[now] = 0
    least[now] = NOTHING
    for s in range(whole.shape[2]):
        whole[now, s, s, 0] = 1


@njit(cache=True)
def _add(
    earlier: Ints,
    earlier_least: Ints,
    row: tuple[int, int],
    later: Ints,
    later_least: Ints,
    column: tuple[int, int, bool],
    totals: Ints,
    minima: Ints,
    out: tuple[int, int, int],
) -> bool:
    """Add row r of matrix earlier[e] times column s of later[f], and what begins in the later one if `begins`.

    Returns whether a number outgrew a word. No array is sliced, which would cost more than the product.
    """
    e, r = row
    f, s, begins = column
    o, u, v = out
    states, numbers = earlier.shape[2:]
    extremes = minima.shape[3]
    seen = np.int64(0)
    for q in range(states + 1 if begins else states):
        after = later[f, q, s, 0]
        before = earlier[e, r, q, 0] if q < states else np.int64(1)
        if before == 0 or after == 0:
            continue
        through = product(before, after)
        totals[o, u, v, 0] += through
        seen |= through | totals[o, u, v, 0]
        for j in range(1, numbers):
            one = product(before, later[f, q, s, j])
            totals[o, u, v, j] += one
            seen |= one | totals[o, u, v, j]
            if q < states:
                other = product(earlier[e, r, q, j], after)
                totals[o, u, v, j] += other
                seen |= other | totals[o, u, v, j]
        for j in range(extremes):
            least = later_least[f, q, s, j]
            if q < states:
                least = min(least, earlier_least[e, r, q, j])
            minima[o, u, v, j] = min(minima[o, u, v, j], least)
    return bool(seen < 0 or seen >= LIMIT)

"""The joint probability of two matches: the probability of the worlds that contain both within one window.

Times are independent. So two matches without a common event depend on each other only through the window around them.
Either match may have the first event of the window. For each moment t, take the worlds whose first event is at t and
whose last event is not after t + w. In these worlds one match begins at t and the other at t or later, each in one of
its orders (`orders.chain`). If the matches share events, the sum runs over the moments of the shared events.

Cost of a pair: orders of both x moments of the events; times the moments of the first event if the window excludes
some worlds; times U^k for k common events of U moments.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from cep_core.arrays import Floats, Ints
from cep_core.inner_kernels import inner
from cep_core.language.budget import UNLIMITED, Budget
from cep_core.matching.arrays.event_graph import EventGraph
from cep_core.matching.arrays.paths import Paths
from cep_core.matching.imprecise.confidence.orders import between_states, chain, orders_of
from cep_core.matching.imprecise.kernels.worlds import Times
from cep_core.matching.judging.binding_judge import BindingJudge


class Ways(NamedTuple):
    """n matches of one side, and for each match the orders of its events that pass the conditions."""

    times: Times
    rows: Ints
    """The events of match k are rows[offsets[k]:offsets[k+1]]."""
    offsets: Ints
    first: Ints
    """The orders of match k are first[k]:first[k+1]."""
    begin: Ints
    """Order o is row[begin[o]:begin[o+1]]."""
    row: Ints
    step: Ints
    """The kind of the edge to each row of an order from the row before it; unused at the first row."""


def ways_of(
    graph: EventGraph, times: Times, judge: BindingJudge, kinds: Ints, paths: Paths, budget: Budget = UNLIMITED
) -> Ways:
    """The orders of each match that pass its side's conditions; `kinds`, `budget` as in `orders_of`."""
    orders, _, _ = orders_of(graph.network, judge.variable_of, kinds, times, paths, graph.width, budget)
    orders = orders.take(np.flatnonzero(judge.accepts(graph, orders)))
    step = np.zeros(len(orders.rows), np.int64)
    step[1:] = between_states(graph.network, kinds)[orders.states[:-1], orders.states[1:]]
    first = np.searchsorted(orders.jobs, np.arange(len(paths) + 1))
    # copies: the moments of shared events are overwritten one by one
    own = times._replace(low=times.low.copy(), high=times.high.copy(), share=times.share.copy())
    return Ways(own, paths.rows, paths.offsets, first, orders.offsets, orders.rows, step)


@inner
def _begun(ways: Ways, match: int, first: int, last_first: int, latest: int) -> float:
    """The probability that a match begins in first..last_first and has no event after `latest`."""
    total = 0.0
    for order in range(ways.first[match], ways.first[match + 1]):
        begin, end = ways.begin[order], ways.begin[order + 1]
        row = ways.row[begin]
        low, high = max(first, ways.times.low[row]), min(last_first, ways.times.high[row])
        if low <= high:
            total += chain(ways.times, ways.row[begin:end], ways.step[begin + 1 : end], low, high, latest)
    return total


@inner
def _bounds(ways: Ways, match: int) -> tuple[int, int, int]:
    """The first and last moment of a match's events, and the moment by which at least one event has happened."""
    rows = ways.rows[ways.offsets[match] : ways.offsets[match + 1]]
    low, high = ways.times.low[rows], ways.times.high[rows]
    return low.min(), high.max(), high.min()


@inner
def _apart(left: Ways, left_match: int, right: Ways, right_match: int, width: int) -> float:
    """The probability of both matches in one window, if they share no event or each shared event has a fixed moment."""
    least, most, begun = _bounds(left, left_match)
    right_least, right_most, right_begun = _bounds(right, right_match)
    least, most, begun = min(least, right_least), max(most, right_most), min(begun, right_begun)
    if most - least <= width:
        return _begun(left, left_match, least, most, most) * _begun(right, right_match, least, most, most)
    total = 0.0
    for first in range(least, begun + 1):
        until = min(most, first + width)
        now, right_now = _begun(left, left_match, first, first, until), _begun(right, right_match, first, first, until)
        if now > 0:
            total += now * (right_now + _begun(right, right_match, first + 1, until, until))
        if right_now > 0:
            total += right_now * _begun(left, left_match, first + 1, until, until)
    return total


@inner
def _set(times: Times, row: int, low: int, high: int, share: float) -> None:
    times.low[row], times.high[row], times.share[row] = low, high, share


@inner
def _together(left: Ways, left_match: int, right: Ways, right_match: int, width: int) -> float:
    """The probability of both matches in one window, summed over the moments of their shared events."""
    left_rows = left.rows[left.offsets[left_match] : left.offsets[left_match + 1]]
    right_rows = right.rows[right.offsets[right_match] : right.offsets[right_match + 1]]
    shared = np.empty((left_rows.shape[0], 2), np.int64)
    n = 0
    for left_row in left_rows:
        for right_row in right_rows:
            if left.times.seq[left_row] == right.times.seq[right_row]:
                shared[n, 0], shared[n, 1] = left_row, right_row
                n += 1
    if n == 0:
        return _apart(left, left_match, right, right_match, width)
    low, high = left.times.low[shared[:n, 0]], left.times.high[shared[:n, 0]]
    moment = low.copy()
    weight = 1.0
    for k in range(n):
        weight *= left.times.share[shared[k, 0]]
    total = 0.0
    k = 0
    while k < n:
        for event in range(n):
            _set(left.times, shared[event, 0], moment[event], moment[event], 1.0)
            _set(right.times, shared[event, 1], moment[event], moment[event], 1.0)
        total += weight * _apart(left, left_match, right, right_match, width)
        k = 0
        while k < n:  # step to the next moments, like an odometer
            moment[k] += 1
            if moment[k] <= high[k]:
                break
            moment[k] = low[k]
            k += 1
    for event in range(n):
        share = 1.0 / (high[event] - low[event] + 1)
        _set(left.times, shared[event, 0], low[event], high[event], share)
        _set(right.times, shared[event, 1], low[event], high[event], share)
    return total


@inner
def _settings(left: Ways, left_match: int, right: Ways, right_match: int) -> float:
    """The number of combinations of moments of the events that two matches share."""
    ways = 1.0
    for left_row in left.rows[left.offsets[left_match] : left.offsets[left_match + 1]]:
        for right_row in right.rows[right.offsets[right_match] : right.offsets[right_match + 1]]:
            if left.times.seq[left_row] == right.times.seq[right_row]:
                ways *= left.times.high[left_row] - left.times.low[left_row] + 1
    return ways


@njit(cache=True)
def _fill(
    left: Ways, left_matches: Ints, right: Ways, right_matches: Ints, width: int, room: float, chances: Floats
) -> bool:
    """Fills `chances`; False if the shared events have more combinations of moments than `room`."""
    for k in range(left_matches.shape[0]):
        room -= _settings(left, left_matches[k], right, right_matches[k])
        if room < 0:
            return False
        chances[k] = min(1.0, _together(left, left_matches[k], right, right_matches[k], width))
    return True


def chances_of(
    left: Ways, left_matches: Ints, right: Ways, right_matches: Ints, width: int, budget: Budget = UNLIMITED
) -> Floats:
    """The probability of each pair of matches. Assumes that no match of a pair could also match the other side.

    Raises WorkExhausted if shared events have more combinations of moments than the budget allows.
    """
    chances = np.empty(len(left_matches))
    if not _fill(left, left_matches, right, right_matches, width, budget.left(0), chances):
        raise budget.exhausted()
    return chances

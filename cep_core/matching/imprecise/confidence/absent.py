"""The probability of an order of a match's events, if negated events must not happen between them.

A negated event has an imprecise time of its own. For given moments of the match's events, a share of its moments lies
in none of the gaps that forbid it. Negated events are independent of each other. So the probability of an order is the
sum over the moments of its events, each weighted with the product of these shares. If no negated event can lie in two
gaps, moments are summed pair by pair along the order; otherwise over all events together.

Cost of an order: for each pair of neighbours, the product of their moments x the negated events near them. If a
negated event may lie in two gaps: the product of the moments of all events of the order. If the window excludes some
worlds, the pair-by-pair sum is repeated for each moment of the first event.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from cep_core.arrays import Flags, Floats, Ints
from cep_core.inner_kernels import borrowing, inner
from cep_core.language.budget import UNLIMITED, Budget
from cep_core.language.patterns.automata.automaton import Automaton
from cep_core.matching.arrays.event_graph import EventGraph
from cep_core.matching.arrays.network import Network
from cep_core.matching.arrays.paths import Paths
from cep_core.matching.imprecise.confidence.orders import between_states
from cep_core.matching.imprecise.kernels.worlds import Times, admits
from cep_core.matching.judging.negation_listed import tested
from cep_core.matching.judging.quantities import Matches
from cep_core.matching.plan.negation import NegatedElement


class ForbiddenSpan(NamedTuple):
    """The negated events between place p of all orders' events and the next place: row[begin[p]:begin[p+1]]."""

    begin: Ints
    row: Ints


def chances_without(
    graph: EventGraph,
    automaton: Automaton,
    kinds: Ints,
    times: Times,
    orders: Paths,
    matches: Matches,
    budget: Budget = UNLIMITED,
) -> Floats:
    """The probability of each order in which no negated element of the graph happens between its events.

    `matches`: the orders, for the elements' tests. `kinds` as in `orders_of`. Each element is a single event. Raises
    WorkExhausted if the combined moments of all events are more than the budget allows.
    """
    step = between_states(graph.network, kinds)
    forbidden = _forbidden(graph, automaton, times, orders, matches)
    chances = np.empty(len(orders))
    steps = step[orders.states[:-1], orders.states[1:]]
    if not _fill(times, orders.rows, steps, orders.offsets, forbidden, graph.width, budget.left(0), chances):
        raise budget.exhausted()
    return chances


def _forbidden(graph: EventGraph, automaton: Automaton, times: Times, orders: Paths, matches: Matches) -> ForbiddenSpan:
    owner = np.repeat(np.arange(len(orders)), np.diff(orders.offsets))
    partition = np.repeat(np.arange(len(graph.offsets) - 1), np.diff(graph.offsets))
    places, rows = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for negation, network in graph.judged:
        gaps = np.flatnonzero(_passes(negation, automaton, orders, owner))
        begin = graph.offsets[partition[orders.rows[gaps]]]
        end = graph.offsets[partition[orders.rows[gaps]] + 1]
        first, last = orders.rows[gaps], orders.rows[gaps + 1]
        candidates = np.empty(
            (2, _count(network, times, first, last, begin, end, np.empty((2, 0), np.int64))), np.int64
        )
        _count(network, times, first, last, begin, end, candidates)
        place, row = gaps[candidates[0]], candidates[1]
        stands = tested(negation, network, row, owner[place], matches).any(axis=1)
        stands &= ~_bound(orders, owner[place], row)
        places.append(place[stands])
        rows.append(row[stands])
    pairs = np.unique(np.stack([np.concatenate(places), np.concatenate(rows)]), axis=1)
    return ForbiddenSpan(np.searchsorted(pairs[0], np.arange(len(orders.rows) + 1)), np.ascontiguousarray(pairs[1]))


def _passes(negation: NegatedElement, automaton: Automaton, orders: Paths, owner: Ints) -> Flags:
    """The places of the orders where the element is forbidden before the next event."""
    between = np.zeros((len(automaton.variables), len(automaton.variables)), np.bool_)
    for place in negation.places:
        between[place.source, place.target] = True
    passes = np.zeros(len(owner), np.bool_)
    passes[:-1] = between[orders.states[:-1], orders.states[1:]] & (owner[:-1] == owner[1:])
    return passes


def _bound(orders: Paths, owner: Ints, row: Ints) -> Flags:
    """Whether each row is itself an event of the order; such a row lies in no gap between two of its events."""
    size = int(max(orders.rows.max(initial=0), row.max(initial=0))) + 1
    own = np.repeat(np.arange(len(orders)), np.diff(orders.offsets)) * size + orders.rows
    bound: Flags = np.isin(owner * size + row, own)
    return bound


@njit(cache=True)
def _count(network: Network, times: Times, first: Ints, last: Ints, begin: Ints, end: Ints, pairs: Ints) -> int:
    """Writes (gap, row) for each candidate that may happen between first[gap] and last[gap]; returns their number."""
    low, high, fits = times.low, times.high, network.fits
    n = 0
    for gap in range(first.shape[0]):
        after, before = low[first[gap]], high[last[gap]]
        for row in range(begin[gap], end[gap]):
            if high[row] >= after and low[row] <= before and fits[row].any():
                if n < pairs.shape[1]:
                    pairs[0, n], pairs[1, n] = gap, row
                n += 1
    return n


@borrowing
def _inside(times: Times, row: int, first: int, moment: int, last: int, later: int) -> int:
    """The number of the row's moments strictly between `moment` of row `first` and `later` of row `last`."""
    after, before = moment + 1, later - 1
    if times.ordered and times.seq[row] > times.seq[first]:
        after = moment
    if times.ordered and times.seq[row] < times.seq[last]:
        before = later
    return max(0, min(times.high[row], before) - max(times.low[row], after) + 1)


@borrowing
def _follows(times: Times, kind: int, first: int, moment: int, last: int, later: int) -> bool:
    if moment < later:
        return admits(kind, False)
    return moment == later and times.seq[first] < times.seq[last] and admits(kind, True)


@inner
def _pair_by_pair(
    times: Times, rows: Ints, steps: Ints, begin: Ints, row: Ints, first: int, last_first: int, latest: int
) -> float:
    """With the first event in first..last_first, none after `latest`; each negated event lies in one gap at most."""
    low, high, share = times.low, times.high, times.share
    row_before = rows[0]
    start = max(first, low[row_before])
    before = np.full(max(0, min(last_first, high[row_before], latest) - start + 1), share[row_before])
    for k in range(1, rows.shape[0]):
        row_after = rows[k]
        now = np.zeros(max(0, min(high[row_after], latest) - low[row_after] + 1))
        for t in range(now.shape[0]):
            later = low[row_after] + t
            for u in range(before.shape[0]):
                moment = start + u
                if moment > later or not _follows(times, steps[k - 1], row_before, moment, row_after, later):
                    continue
                free = before[u]
                for n in range(begin[k - 1], begin[k]):
                    free *= 1.0 - _inside(times, row[n], row_before, moment, row_after, later) * share[row[n]]
                now[t] += free * share[row_after]
        before, row_before, start = now, row_after, low[row_after]
    return before.sum()


@inner
def _all_together(times: Times, rows: Ints, steps: Ints, begin: Ints, row: Ints, distinct: Ints, width: int) -> float:
    """Sums over all combinations of moments, which are stepped through like an odometer."""
    low, high, share = times.low, times.high, times.share
    count = rows.shape[0]
    moment = low[rows]
    total = 0.0
    k = 0
    while k < count:
        stands = moment[count - 1] - moment[0] <= width
        weight = 1.0
        for k in range(count):
            weight *= share[rows[k]]
            if k and not _follows(times, steps[k - 1], rows[k - 1], moment[k - 1], rows[k], moment[k]):
                stands = False
        if stands:
            for negated in distinct:
                inside = 0
                for k in range(1, count):
                    for n in range(begin[k - 1], begin[k]):
                        if row[n] == negated:
                            inside += _inside(times, negated, rows[k - 1], moment[k - 1], rows[k], moment[k])
                weight *= 1.0 - inside * share[negated]
            total += weight
        k = 0
        while k < count:
            moment[k] += 1
            if moment[k] <= high[rows[k]]:
                break
            moment[k] = low[rows[k]]
            k += 1
    return total


@njit(cache=True)
def _fill(
    times: Times,
    rows: Ints,
    steps: Ints,
    offsets: Ints,
    forbidden: ForbiddenSpan,
    width: int,
    room: float,
    chances: Floats,
) -> bool:
    """Fills `chances`; False if orders that sum all events together need more moments than `room`."""
    for order in range(chances.shape[0]):
        first, after = offsets[order], offsets[order + 1]
        own, kinds = rows[first:after], steps[first : after - 1]
        begin, row = forbidden.begin[first : after + 1], forbidden.row
        near = row[begin[0] : begin[after - first]]
        distinct = np.unique(near)
        if distinct.shape[0] < near.shape[0]:
            moments = 1.0
            for chosen in own:
                moments *= times.high[chosen] - times.low[chosen] + 1
            room -= moments * own.shape[0]
            if room < 0:
                return False
            chances[order] = _all_together(times, own, kinds, begin, row, distinct, width)
            continue
        least, most = times.low[own].min(), times.high[own].max()
        if most - least <= width:
            chances[order] = _pair_by_pair(times, own, kinds, begin, row, least, most, most)
            continue
        total = 0.0
        for moment in range(times.low[own[0]], times.high[own[0]] + 1):
            total += _pair_by_pair(times, own, kinds, begin, row, moment, moment, min(most, moment + width))
        chances[order] = total
    return True

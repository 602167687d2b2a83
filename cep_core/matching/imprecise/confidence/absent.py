"""How likely an order of a match's events is where something must not happen between two of them.

A negated event has an imprecise time of its own: given the moments of a match's events, the worlds in which it lies in
none of the gaps that forbid it are a share of its moments, and negated events are independent of each other. An order
is thus as likely as its moments, each weighed with the product of those shares. As long as no negated event can lie in
two gaps, moments are summed pair by pair along the order; else all together.

Cost of an order: for each pair of neighbours the product of their moments x negated events near them; where one may lie
in two gaps the product of the moments of all of its events; both again for each moment of the first event where the
window decides.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from cep_core.arrays import Flags, Floats, Ints
from cep_core.language.budget import UNLIMITED, Budget
from cep_core.language.patterns.automata.automaton import Automaton
from cep_core.matching.arrays.event_graph import EventGraph
from cep_core.matching.arrays.network import Network
from cep_core.matching.arrays.paths import Paths
from cep_core.matching.imprecise.confidence.orders import between_states
from cep_core.matching.imprecise.kernels.borrowing import borrowing
from cep_core.matching.imprecise.kernels.worlds import Times, admits
from cep_core.matching.judging.negation_listed import tested
from cep_core.matching.judging.quantities import Matches
from cep_core.matching.plan.negation import NegatedElement


class ForbiddenSpan(NamedTuple):
    """By place among the events of all orders: the negated events row[begin[p]:begin[p+1]] between it and the next."""

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
    """The probability of each order with no negated element of the graph happening between its events.

    `matches`: the orders, for the elements' tests; `kinds` as of `orders_of`. Each element is a single event. Raises
    WorkExhausted where the moments of all events together are more than the budget allows.
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
        found = np.empty((2, _count(network, times, first, last, begin, end, np.empty((2, 0), np.int64))), np.int64)
        _count(network, times, first, last, begin, end, found)
        place, row = gaps[found[0]], found[1]
        stands = tested(negation, network, row, owner[place], matches).any(axis=1)
        stands &= ~_bound(orders, owner[place], row)
        places.append(place[stands])
        rows.append(row[stands])
    pairs = np.unique(np.stack([np.concatenate(places), np.concatenate(rows)]), axis=1)
    return ForbiddenSpan(np.searchsorted(pairs[0], np.arange(len(orders.rows) + 1)), pairs[1])


def _passes(negation: NegatedElement, automaton: Automaton, orders: Paths, owner: Ints) -> Flags:
    """At which places of the orders the element lies before the next event."""
    between = np.zeros((len(automaton.variables), len(automaton.variables)), np.bool_)
    for place in negation.places:
        between[place.source, place.target] = True
    passes = np.zeros(len(owner), np.bool_)
    passes[:-1] = between[orders.states[:-1], orders.states[1:]] & (owner[:-1] == owner[1:])
    return passes


def _bound(orders: Paths, owner: Ints, row: Ints) -> Flags:
    """Which rows are events of the order themselves: those lie in no gap between two of its events."""
    size = int(max(orders.rows.max(initial=0), row.max(initial=0))) + 1
    own = np.repeat(np.arange(len(orders)), np.diff(orders.offsets)) * size + orders.rows
    bound: Flags = np.isin(owner * size + row, own)
    return bound


@njit(cache=True)
def _count(network: Network, times: Times, first: Ints, last: Ints, begin: Ints, end: Ints, found: Ints) -> int:
    """Writes (gap, row) of the element's candidates that may happen between first[gap] and last[gap]; how many."""
    low, high, fits = times.low, times.high, network.fits
    n = 0
    for gap in range(first.shape[0]):
        after, before = low[first[gap]], high[last[gap]]
        for row in range(begin[gap], end[gap]):
            if high[row] >= after and low[row] <= before and fits[row].any():
                if n < found.shape[1]:
                    found[0, n], found[1, n] = gap, row
                n += 1
    return n


@borrowing
def _inside(times: Times, row: int, one: int, moment: int, other: int, later: int) -> int:
    """At how many of its moments a row happens strictly between row `one` at a moment and row `other` at a later."""
    after, before = moment + 1, later - 1
    if times.ordered and times.seq[row] > times.seq[one]:
        after = moment
    if times.ordered and times.seq[row] < times.seq[other]:
        before = later
    return max(0, min(times.high[row], before) - max(times.low[row], after) + 1)


@borrowing
def _follows(times: Times, kind: int, one: int, moment: int, other: int, later: int) -> bool:
    if moment < later:
        return admits(kind, False)
    return moment == later and times.seq[one] < times.seq[other] and admits(kind, True)


@njit(cache=True)
def _pair_by_pair(
    times: Times, rows: Ints, steps: Ints, begin: Ints, row: Ints, first: int, last_first: int, latest: int
) -> float:
    """The first event in first..last_first and none after `latest`; each negated event can lie in one gap at most."""
    low, high, share = times.low, times.high, times.share
    one = rows[0]
    start = max(first, low[one])
    before = np.full(max(0, min(last_first, high[one], latest) - start + 1), share[one])
    for k in range(1, rows.shape[0]):
        other = rows[k]
        now = np.zeros(max(0, min(high[other], latest) - low[other] + 1))
        for t in range(now.shape[0]):
            later = low[other] + t
            for u in range(before.shape[0]):
                moment = start + u
                if moment > later or not _follows(times, steps[k - 1], one, moment, other, later):
                    continue
                free = before[u]
                for n in range(begin[k - 1], begin[k]):
                    free *= 1.0 - _inside(times, row[n], one, moment, other, later) * share[row[n]]
                now[t] += free * share[other]
        before, one, start = now, other, low[other]
    return before.sum()


@njit(cache=True)
def _all_together(times: Times, rows: Ints, steps: Ints, begin: Ints, row: Ints, distinct: Ints, width: int) -> float:
    """All moments of all events, as an odometer counts."""
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
            for other in distinct:
                inside = 0
                for k in range(1, count):
                    for n in range(begin[k - 1], begin[k]):
                        if row[n] == other:
                            inside += _inside(times, other, rows[k - 1], moment[k - 1], rows[k], moment[k])
                weight *= 1.0 - inside * share[other]
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
    """Whether there was room for the moments of all events of orders that ask for them all together."""
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

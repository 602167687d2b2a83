"""Dropping: chooses which partial matches are dropped and which events leave a window.

Victims are chosen among all partial matches of the operator (pSPICE, Algorithm 2), including those that the event does
not meet. If a strategy sheds by partition, they are chosen among those that the event meets.

Cost: O(partitions + partial matches alive), or O(partial matches met).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from numba import njit

from cep_core.arrays import Flags, Ints
from cep_core.inner_kernels import inner
from cep_core.shedding.arrays.account import Account
from cep_core.shedding.arrays.pool import END, OWN, WORTH, Pool, move_row
from cep_core.shedding.arrays.rules import CHANCE, LOWEST, Rules
from cep_core.shedding.arrays.stream import DRAW, DROP, LOOKUP, SORT, Stream
from cep_core.shedding.kernels.drawing import chance
from cep_core.shedding.kernels.lifetimes import expire, settle, spent_in_state
from cep_core.shedding.kernels.victims import by_chance, lowest
from cep_core.shedding.model.regression import predicted
from cep_core.shedding.model.utility import utility_at


@njit(cache=True)
def share_wanted(rules: Rules, queued: int, count: int) -> float:
    """The share of the load to drop: 0 up to half of the bound, everything at the bound, linear between.

    Dropping events by type needs time to act, because the current event may be of a type that is kept.
    """
    f_kind, f_base, f_slope = rules.processing
    g_kind, g_base, g_slope = rules.shedding
    expected = queued + predicted(f_kind, f_base, f_slope, count) + predicted(g_kind, g_base, g_slope, count)
    half = max((rules.bound - rules.buffer) / 2.0, 1.0)
    return min(1.0, max(0.0, (expected - half) / half))


@njit(cache=True)
def share_to_drop(rules: Rules, kind: int, wanted: float) -> float:
    """The probability with which an event of a type leaves a window, to drop a share `wanted` of the load."""
    wanted_at, scale_at = rules.wanted_at, rules.scale_at
    j = np.searchsorted(wanted_at, wanted, side="right") - 1
    scale = scale_at[j]
    if j + 1 < wanted_at.shape[0]:
        scale += (wanted - wanted_at[j]) * (scale_at[j + 1] - scale) / (wanted_at[j + 1] - wanted_at[j])
    return min(1.0, scale * rules.lack[kind])


@inner
def windows_left(stream: Stream, pool: Pool, seed: int, i: int, probability: float) -> int:
    """How many of its windows event i leaves."""
    leaving = 0
    for q in range(stream.start.shape[0]):
        own = stream.partition[q, i]
        if stream.open_windows[q, i] == 0:
            continue
        for window in range(pool.closed[q], stream.window_first[q, i + 1]):
            if stream.start[q] != 0 or stream.partition[q, stream.window_at[window]] == own:
                leaving += chance(seed, i, window) < probability
    return leaving


@inner
def meeting_cost(stream: Stream, pool: Pool, i: int) -> int:
    """The cost of the partial matches that event i is about to meet."""
    cost = 0
    for q in range(stream.start.shape[0]):
        if stream.partition[q, i] < 0:
            continue
        for g in (stream.segment[q], stream.segment[q] + 1 + stream.partition[q, i]):
            for s in range(stream.at[q + 1] - stream.at[q]):
                cost += pool.histogram[g, s] * stream.state_cost[stream.at[q] + s]
    return cost


@inner
def shed(
    stream: Stream, pool: Pool, account: Account, rules: Rules, i: int, count: int, number: int
) -> tuple[int, int]:
    """Drops `number` of the `count` candidates at event i; returns how many were dropped, and what shedding costs."""
    segments = _segments(stream, pool, account, rules, i)
    if rules.kind == CHANCE:
        victims = by_chance(count, number, rules.seed, i)
    else:
        victims = lowest(_utilities(stream, pool, rules, i, segments, count), number)
    dropped = _drop(stream, pool, account, rules, i, segments, victims)
    if rules.kind == CHANCE:
        return dropped, stream.cost[DRAW] * count + stream.cost[DROP] * dropped
    bits = 0
    while count >> bits:
        bits += 1
    return dropped, (stream.cost[LOOKUP] + stream.cost[SORT] * bits) * count + stream.cost[DROP] * dropped


@inner
def shed_known(stream: Stream, pool: Pool, account: Account, rules: Rules, i: int, count: int, excess: int) -> int:
    """Drops the least worthy of the `count` partial matches that event i meets, until `excess` of cost is saved."""
    segments = _segments(stream, pool, account, rules, i)
    price = np.empty(count, np.int64)
    at = 0
    for n in range(segments.shape[0]):
        q, g = segments[n, 0], segments[n, 1]
        for r in range(pool.begin[g], pool.begin[g] + pool.length[g]):
            price[at] = stream.state_cost[stream.at[q] + pool.state[r]]
            at += 1
    order = np.argsort(_utilities(stream, pool, rules, i, segments, count), kind="mergesort")
    victims = np.zeros(count, np.bool_)
    for n in range(count):
        if excess <= 0:
            break
        victims[order[n]] = True
        excess -= price[order[n]]
    return _drop(stream, pool, account, rules, i, segments, victims)


@inner
def _drop(stream: Stream, pool: Pool, account: Account, rules: Rules, i: int, segments: Ints, goes: Flags) -> int:
    """Removes the marked candidates, in the order of `segments`; returns their number."""
    state, body, histogram, counter, meetings = pool.state, pool.body, pool.histogram, pool.counter, pool.meetings
    gone, spent, inside, dying = account.gone, account.spent, pool.inside, pool.dying
    tick = stream.tick[i]
    at = 0
    dropped = 0
    for n in range(segments.shape[0]):
        q, g = segments[n, 0], segments[n, 1]
        first = stream.at[q]
        cost = stream.state_cost[first:]
        begin = pool.begin[g]
        keep = begin
        for r in range(begin, begin + pool.length[g]):
            if goes[at]:
                settle(state, body, histogram, counter, meetings, inside, dying, tick, spent, cost, rules.tracked, g, r)
                gone[first + state[r]] += 1
                dropped += 1
            else:
                if keep < r:
                    move_row(state, body, keep, r)
                keep += 1
            at += 1
        pool.length[g] = keep - begin
    return dropped


@inner
def _segments(stream: Stream, pool: Pool, account: Account, rules: Rules, i: int) -> Ints:
    """[., 2] pattern and segment of the candidates, in order. Removes partial matches whose window has ended."""
    most = 2 * stream.start.shape[0]
    if rules.everywhere:
        most = 0
        for g in range(pool.length.shape[0]):
            most += pool.length[g] > 0
    segments = np.empty((most, 2), np.int64)
    number = 0
    for q in range(stream.start.shape[0]):
        if rules.everywhere:
            clock, tick = stream.clock[q, i], stream.tick[i]
            for g in range(stream.segment[q], stream.segment[q + 1]):
                if pool.length[g] > 0:
                    expire(stream, pool, account, rules.tracked, q, g, clock, tick)
                    segments[number, 0], segments[number, 1] = q, g
                    number += 1
        elif stream.partition[q, i] >= 0:
            for g in (stream.segment[q], stream.segment[q] + 1 + stream.partition[q, i]):
                segments[number, 0], segments[number, 1] = q, g
                number += 1
    return segments[:number]


@inner
def _utilities(stream: Stream, pool: Pool, rules: Rules, i: int, segments: Ints, count: int) -> npt.NDArray[np.float64]:
    """The utilities of the candidates, in order of pattern, partition and age."""
    utilities = np.empty(count, np.float64)
    state, body = pool.state, pool.body
    at = 0
    for n in range(segments.shape[0]):
        q, g = segments[n, 0], segments[n, 1]
        clock = stream.clock[q, i]
        rate, size = 0.0, 1
        gain = price = rules.gain.reshape(-1, 1)
        if rules.kind == LOWEST:
            states = stream.at[q + 1] - stream.at[q] + 1
            gain = rules.gain[rules.table_at[q] : rules.table_at[q + 1]].reshape(-1, states)
            price = rules.price[rules.table_at[q] : rules.table_at[q + 1]].reshape(-1, states)
            rate, size = rules.rate[q], rules.bin[q]
        for r in range(pool.begin[g], pool.begin[g] + pool.length[g]):
            if rules.kind != LOWEST:
                cost_left = body[r, OWN] - spent_in_state(stream, pool, q, g, r)
                utilities[at] = stream.weight[q] * body[r, WORTH] / max(cost_left, 1)
            else:
                remaining = (body[r, END] - clock + 1) * rate
                utilities[at] = utility_at(gain, price, size, state[r], remaining)
            at += 1
    return utilities

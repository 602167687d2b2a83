"""Dropping: which of the partial matches that an event would meet go, and which events leave a window."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from numba import njit

from cep_core.shedding.account import Account
from cep_core.shedding.lifetimes import settle, spent_in_state
from cep_core.shedding.pool import END, OWN, WORTH, Pool, move_row
from cep_core.shedding.regression import predicted
from cep_core.shedding.rules import CHANCE, LOWEST, LOWEST_AHEAD, Rules
from cep_core.shedding.stream import DRAW, DROP, LOOKUP, SORT, Stream
from cep_core.shedding.utility import utility_at
from cep_core.shedding.victims import by_chance, lowest

Ints = npt.NDArray[np.int64]


@njit(cache=True)
def share_wanted(rules: Rules, queued: int, met: int) -> float:
    """The share of the load that must go: 0 up to half of the bound, everything at the bound, linear between.

    Dropping events by type needs time to act, since the event at hand may be of a type that is spared.
    """
    f_kind, f_base, f_slope = rules.processing
    g_kind, g_base, g_slope = rules.shedding
    expected = queued + predicted(f_kind, f_base, f_slope, met) + predicted(g_kind, g_base, g_slope, met)
    half = max((rules.bound - rules.buffer) / 2.0, 1.0)
    return min(1.0, max(0.0, (expected - half) / half))


@njit(cache=True)
def share_to_drop(rules: Rules, kind: int, wanted: float) -> float:
    """With which probability an event of a type leaves a window, if a share `wanted` of the load must go."""
    wanted_at, scale_at = rules.wanted_at, rules.scale_at
    j = np.searchsorted(wanted_at, wanted, side="right") - 1
    scale = scale_at[j]
    if j + 1 < wanted_at.shape[0]:
        scale += (wanted - wanted_at[j]) * (scale_at[j + 1] - scale) / (wanted_at[j + 1] - wanted_at[j])
    return min(1.0, scale * rules.lack[kind])


@njit(cache=True)
def shed(stream: Stream, pool: Pool, account: Account, rules: Rules, i: int, met: int, number: int) -> tuple[int, int]:
    """Drops partial matches that event i would meet; how many, and what that costs."""
    if rules.kind == CHANCE:
        goes = by_chance(met, number, rules.seed, i)
    else:
        goes = lowest(_utilities(stream, pool, rules, i, met), number)
    state, body, histogram, counter, meetings = pool.state, pool.body, pool.histogram, pool.counter, pool.meetings
    gone, spent = account.gone, account.spent
    at = 0
    dropped = 0
    for q in range(stream.start.shape[0]):
        if stream.partition[q, i] < 0:
            continue
        first = stream.at[q]
        cost = stream.state_cost[first:]
        for g in (stream.segment[q], stream.segment[q] + 1 + stream.partition[q, i]):
            begin = pool.begin[g]
            keep = begin
            for r in range(begin, begin + pool.length[g]):
                if goes[at]:
                    settle(state, body, histogram, counter, meetings, spent, cost, rules.tracked, g, r)
                    gone[first + state[r]] += 1
                    dropped += 1
                else:
                    if keep < r:
                        move_row(state, body, keep, r)
                    keep += 1
                at += 1
            pool.length[g] = keep - begin
    if rules.kind == CHANCE:
        return dropped, stream.cost[DRAW] * met + stream.cost[DROP] * dropped
    bits = 0
    while met >> bits:
        bits += 1
    return dropped, (stream.cost[LOOKUP] + stream.cost[SORT] * bits) * met + stream.cost[DROP] * dropped


@njit(cache=True)
def _utilities(stream: Stream, pool: Pool, rules: Rules, i: int, met: int) -> npt.NDArray[np.float64]:
    """Of the partial matches that event i would meet, in order of pattern, segment and age."""
    utilities = np.empty(met, np.float64)
    state, body = pool.state, pool.body
    at = 0
    for q in range(stream.start.shape[0]):
        if stream.partition[q, i] < 0:
            continue
        clock = stream.clock[q, i]
        rate, size = 0.0, 1
        gain = price = rules.gain.reshape(-1, 1)
        if rules.kind == LOWEST:
            states = stream.at[q + 1] - stream.at[q] + 1
            gain = rules.gain[rules.table_at[q] : rules.table_at[q + 1]].reshape(-1, states)
            price = rules.price[rules.table_at[q] : rules.table_at[q + 1]].reshape(-1, states)
            rate, size = rules.rate[q], rules.bin[q]
        for g in (stream.segment[q], stream.segment[q] + 1 + stream.partition[q, i]):
            for r in range(pool.begin[g], pool.begin[g] + pool.length[g]):
                if rules.kind == LOWEST_AHEAD:
                    left = body[r, OWN] - spent_in_state(stream, pool, q, g, r)
                    utilities[at] = stream.weight[q] * body[r, WORTH] / max(left, 1)
                else:
                    remaining = (body[r, END] - clock + 1) * rate
                    utilities[at] = utility_at(gain, price, size, state[r], remaining)
                at += 1
    return utilities

"""The operator: matches every event with the partial matches of its windows, on a virtual clock.

pSPICE, sections II-A and III-A: events queue; for each the overload detector judges whether it would miss the bound,
the shedder drops what the rules say, then the event meets every partial match of its windows and its partition.
Everything that costs moves the clock, so the latency of each event is what it waited, plus shedding, plus matching.

Cost: O(patterns) an event, plus O(partial matches met) where some state of theirs fits it, plus O(partial matches met)
where one of their windows ends or something is dropped. Memory: partial matches alive (`pool`), and what is returned.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from numba import njit

from cep_core.shedding.account import Account
from cep_core.shedding.dropping import share_to_drop, share_wanted, shed
from cep_core.shedding.lifetimes import expire, open_new
from cep_core.shedding.meeting import ADVANCES, KILLED, REPEATS, meet
from cep_core.shedding.overload import too_many
from cep_core.shedding.pool import LIVE, MATCHES, NEED, NODES, NOW, PEAK, Pool, reserve
from cep_core.shedding.rules import EVENTS, KEEP, RECORD, Rules
from cep_core.shedding.stream import DRAW, EVENT, WINDOW, Stream

Ints = npt.NDArray[np.int64]
Actions = npt.NDArray[np.uint8]


@njit(cache=True)
def process(stream: Stream, arrival: Ints, pool: Pool, account: Account, rules: Rules, first: int, stop: int) -> int:
    """Processes events first..stop - 1; returns the first one not processed, earlier than `stop` if it needs room."""
    counter = pool.counter
    patterns = stream.start.shape[0]
    actions = np.zeros(stream.fits.shape[1], np.uint8)
    for i in range(first, stop):
        _actions(stream, i, actions)
        if not _has_room(stream, pool, account, rules.tracked, i, actions):
            return i
        now = max(counter[NOW], arrival[i])
        queued = now - arrival[i]
        met = 0
        cost = stream.cost[EVENT]
        for q in range(patterns):
            cost += stream.cost[WINDOW] * open_new(stream, pool, account, rules, q, i)
            if stream.partition[q, i] < 0:
                continue
            for g in (stream.segment[q], stream.segment[q] + 1 + stream.partition[q, i]):
                expire(stream, pool, account, rules.tracked, q, g, stream.clock[q, i], stream.tick[i])
                met += pool.length[g]
                account.alive[q] += pool.length[g] * (stream.clock[q, i] - pool.touched[g])
                pool.touched[g] = stream.clock[q, i]
        account.met[i] = met
        shed_cost = 0
        probability = 0.0
        if rules.kind == EVENTS:
            wanted = share_wanted(rules, queued, met)
            if wanted > 0.0:
                for q in range(patterns):
                    shed_cost += stream.cost[DRAW] * stream.open_windows[q, i]
                probability = share_to_drop(rules, stream.kind[i], wanted)
        elif rules.kind != KEEP and met > 0:
            excess = too_many(queued, met, rules.bound, rules.buffer, rules.processing, rules.shedding)
            if excess > 0:
                account.dropped[i], shed_cost = shed(stream, pool, account, rules, i, met, excess)
        for q in range(patterns):
            if stream.partition[q, i] < 0:
                continue
            shared, own = stream.segment[q], stream.segment[q] + 1 + stream.partition[q, i]
            cost += meet(stream, pool, account, rules, q, own, own, i, actions, probability)
            cost += meet(stream, pool, account, rules, q, shared, own, i, actions, probability)
        now += shed_cost + cost
        counter[NOW] = now
        counter[PEAK] = max(counter[PEAK], counter[LIVE])
        account.latency[i] = now - arrival[i]
        account.work[i] = cost
        account.shed_work[i] = shed_cost
    return stop


@njit(cache=True)
def _actions(stream: Stream, i: int, actions: Actions) -> None:
    """What event i may do to partial matches in each state of each pattern."""
    for q in range(stream.start.shape[0]):
        for t in range(stream.at[q], stream.at[q + 1]):
            action = ADVANCES if stream.fits[i, t] else 0
            if t > stream.at[q] and stream.loops[t - 1] and stream.fits[i, t - 1]:
                action |= REPEATS
            if t > stream.at[q] and stream.kills.shape[0] and stream.kills[i, t]:
                action |= KILLED
            actions[t] = action


@njit(cache=True)
def _has_room(stream: Stream, pool: Pool, account: Account, tracked: int, i: int, actions: Actions) -> bool:
    """Whether every array can take what event i may bring; says in `NEED` what it may bring otherwise."""
    counter = pool.counter
    total = 0
    fits = True
    for q in range(stream.start.shape[0]):
        opens = stream.window_first[q, i + 1] - stream.window_first[q, i]
        shared = stream.segment[q]
        here = 0
        if stream.partition[q, i] >= 0:
            own = shared + 1 + stream.partition[q, i]
            if actions[stream.at[q]] & ADVANCES:
                here = pool.histogram[shared, 0] + opens
            for s in range(stream.at[q + 1] - stream.at[q]):
                action = actions[stream.at[q] + s]
                here += pool.histogram[own, s] * ((action & ADVANCES) + ((action & REPEATS) >> 1))
            wanted = pool.length[own] + here + opens
            if fits and wanted > pool.room[own]:
                fits = reserve(pool.state, pool.body, pool.begin, pool.length, pool.room, counter, own, wanted)
        if fits and pool.length[shared] + opens > pool.room[shared]:
            fits = reserve(
                pool.state,
                pool.body,
                pool.begin,
                pool.length,
                pool.room,
                counter,
                shared,
                pool.length[shared] + opens,
            )
        total += here + opens
    if not fits or counter[MATCHES] + total > account.match_key.shape[0]:
        fits = False
    if tracked == RECORD and counter[NODES] + total > account.parent.shape[0]:
        fits = False
    counter[NEED] = total
    return fits

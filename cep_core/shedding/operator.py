"""The operator: matches every event with the partial matches of its windows, on a virtual clock.

pSPICE, sections II-A and III-A: events wait in a queue. For each event the overload detector judges whether it would
miss the bound. Then the shedder drops what the rules say. Then the event meets every partial match of its windows and
its partition. All work moves the clock, so the latency of an event is its waiting time, plus shedding, plus matching.

Cost: O(patterns) for an event, plus O(partial matches met) if the event fits one of their states or one of their
windows ends, plus O(partitions + partial matches alive) if partial matches are dropped. Memory: the partial matches
alive (`pool`), and the account that is returned.
"""

from __future__ import annotations

from numba import njit

from cep_core.arrays import Ints
from cep_core.inner_kernels import inner
from cep_core.shedding.arrays.account import Account
from cep_core.shedding.arrays.pool import DYING, HELD, LIVE, MATCHES, MET, NEED, NODES, NOW, PEAK, TICK, Pool, reserve
from cep_core.shedding.arrays.rules import EVENTS, KEEP, RECORD, USEFUL, Rules
from cep_core.shedding.arrays.stream import ADVANCES, DRAW, EVENT, EVENT_WINDOW, REPEATS, WINDOW, Stream
from cep_core.shedding.kernels.dropping import meeting_cost, share_to_drop, share_wanted, shed, shed_known, windows_left
from cep_core.shedding.kernels.lifetimes import bury, expire, open_new
from cep_core.shedding.kernels.meeting import meet
from cep_core.shedding.model.overload import too_many


@njit(cache=True)
def process(stream: Stream, arrival: Ints, pool: Pool, account: Account, rules: Rules, first: int, stop: int) -> int:
    """Processes events first..stop - 1; returns the first one not processed, earlier than `stop` if it needs room.

    It has more than 60 lines because a call of a function must pass every array. So only the work that most events do
    not need is in a function, and a test comes before its call.
    """
    counter, length, due, due_cut = pool.counter, pool.length, pool.due, pool.due_cut
    histogram, meetings, touched = pool.histogram, pool.meetings, pool.touched
    segment, partition, clocks, window_first = stream.segment, stream.partition, stream.clock, stream.window_first
    window_end, closed, inside = stream.window_end, pool.closed, pool.inside
    actions, acts, begin_of, state_cost = stream.actions, stream.acts, stream.at, stream.state_cost
    moves, alive, met_by, held_by = account.moves, account.alive, account.met, account.held
    event_cost, window_cost, inside_cost = stream.cost[EVENT], stream.cost[WINDOW], stream.cost[EVENT_WINDOW]
    patterns = stream.start.shape[0]
    for i in range(first, stop):
        tick = stream.tick[i]
        acting = False
        for q in range(patterns):
            acting = acting or acts[q, i]
        if acting and not _has_room(stream, pool, account, rules.tracked, i):
            return i
        if counter[DYING] > 0 and tick > counter[TICK]:
            bury(pool)
        now = max(counter[NOW], arrival[i])
        queued = now - arrival[i]
        met = 0
        cost = event_cost
        for q in range(patterns):
            window, clock = closed[q], clocks[q, i]
            if window < window_first[q, i] and window_end[window] < clock:
                while window < window_first[q, i] and window_end[window] < clock:
                    counter[HELD] -= inside[window]
                    inside[window] = 0
                    window += 1
                closed[q] = window
            if inside_cost > 0:
                cost += inside_cost * stream.open_windows[q, i]
            opens = window_first[q, i + 1] - window_first[q, i]
            if opens > 0:
                cost += window_cost * opens
                open_new(stream, pool, account, rules, q, i)
            if partition[q, i] < 0:
                continue
            for side in range(2):
                g = segment[q] + side * (1 + partition[q, i])
                if length[g] > 0:
                    if clock > due[g] or tick > due_cut[g]:
                        expire(stream, pool, account, rules.tracked, q, g, clock, tick)
                    met += length[g]
                    alive[q] += length[g] * (clock - touched[g])
                touched[g] = clock
        held = counter[HELD]
        met_by[i], held_by[i] = met, held
        shed_cost = 0
        probability = 0.0
        if rules.kind == EVENTS:
            share = share_wanted(rules, queued, held)
            if share > 0.0:
                for q in range(patterns):
                    shed_cost += stream.cost[DRAW] * stream.open_windows[q, i]
                probability = share_to_drop(rules, stream.kind[i], share)
                if inside_cost > 0:
                    cost -= inside_cost * windows_left(stream, pool, rules.seed, i, probability)
        elif rules.kind == USEFUL:
            excess = queued + cost + meeting_cost(stream, pool, i) - rules.bound
            if excess > 0 and met > 0:
                account.candidates[i] = met
                account.dropped[i] = shed_known(stream, pool, account, rules, i, met, excess + rules.buffer)
                account.asked[i] = account.dropped[i]
        elif rules.kind != KEEP:
            count = held if rules.everywhere else met
            excess = (
                too_many(queued, count, rules.bound, rules.buffer, rules.processing, rules.shedding) if count else 0
            )
            if excess > 0:
                account.candidates[i], account.asked[i] = count, excess
                account.dropped[i], shed_cost = shed(stream, pool, account, rules, i, count, excess)
        for q in range(patterns):
            if partition[q, i] < 0:
                continue
            own = segment[q] + 1 + partition[q, i]
            at, steps = begin_of[q], begin_of[q + 1] - begin_of[q]
            for side in range(2):
                g = own if side == 0 else segment[q]
                if length[g] == 0:
                    continue
                offers = probability > 0.0 or (stream.start[q] == 0 and histogram[g, 0] > 0)
                for s in range(steps):
                    waiting = histogram[g, s]
                    cost += waiting * state_cost[at + s]
                    moves[at + s, s] += waiting
                    offers = offers or (waiting > 0 and actions[i, at + s] > 0)
                meetings[g] += 1
                counter[MET] += length[g]
                if offers:
                    cost -= meet(stream, pool, account, rules, q, g, own, i, probability)
        now += shed_cost + cost
        counter[NOW] = now
        counter[PEAK] = max(counter[PEAK], counter[LIVE])
        account.latency[i] = now - arrival[i]
        account.work[i] = cost
        account.shed_work[i] = shed_cost
    return stop


@inner
def _has_room(stream: Stream, pool: Pool, account: Account, tracked: int, i: int) -> bool:
    """Whether every array has room for what event i may bring; if not, `NEED` says how much that is."""
    counter, histogram, length, room = pool.counter, pool.histogram, pool.length, pool.room
    at, actions = stream.at, stream.actions
    total = 0
    fits = True
    for q in range(stream.start.shape[0]):
        opens = stream.window_first[q, i + 1] - stream.window_first[q, i]
        shared = stream.segment[q]
        born = 0
        if stream.partition[q, i] >= 0:
            own = shared + 1 + stream.partition[q, i]
            if actions[i, at[q]] & ADVANCES:
                born = histogram[shared, 0] + opens
            for s in range(at[q + 1] - at[q]):
                action = actions[i, at[q] + s]
                born += histogram[own, s] * ((action & ADVANCES) + ((action & REPEATS) >> 1))
            needed = length[own] + born + opens
            if fits and needed > room[own]:
                fits = reserve(pool.state, pool.body, pool.begin, length, room, counter, own, needed)
        needed = length[shared] + opens
        if fits and needed > room[shared]:
            fits = reserve(pool.state, pool.body, pool.begin, length, room, counter, shared, needed)
        total += born + opens
    if not fits or counter[MATCHES] + total > account.match_key.shape[0]:
        fits = False
    if tracked == RECORD and counter[NODES] + total > account.parent.shape[0]:
        fits = False
    counter[NEED] = total
    return fits

"""The operator: matches every event with the partial matches of its windows, on a virtual clock.

pSPICE, sections II-A and III-A: events queue; for each the overload detector judges whether it would miss the bound,
the shedder drops what the rules say, then the event meets every partial match of its windows and its partition.
Everything that costs moves the clock, so the latency of each event is what it waited, plus shedding, plus matching.

Cost: O(patterns) an event, plus O(partial matches met) where some state of theirs fits it, plus O(partial matches met)
where one of their windows ends or something is dropped. Memory: partial matches alive (`pool`), and what is returned.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from cep_core.matching.network import compares
from cep_core.shedding.drawing import chained, chance
from cep_core.shedding.overload import too_many
from cep_core.shedding.pool import (
    CHILD,
    CUT,
    END,
    LAST,
    LIVE,
    MATCHES,
    MEMBERS,
    MET,
    NEED,
    NEVER,
    NODE,
    NODES,
    NOW,
    OWN,
    PATH,
    PEAK,
    SINCE,
    TOP,
    WINDOW as ITS_WINDOW,
    WORTH,
    Pool,
    empty_pool,
    reserve,
    with_room,
)
from cep_core.shedding.rules import CHANCE, EVENTS, KEEP, LOWEST, LOWEST_AHEAD, RECORD, REPLAY, WITHOUT, Rules
from cep_core.shedding.stream import DRAW, DROP, EVENT, LOOKUP, SORT, WINDOW, Stream
from cep_core.shedding.victims import by_chance, lowest, utility_at

Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

ADVANCES, REPEATS, KILLED = 1, 2, 4
"""What an event may do to a partial match of a state."""


class Account(NamedTuple):
    """What a run leaves behind, by event and by match."""

    latency: Ints
    """[n] from arrival to the end of processing."""
    work: Ints
    """[n] processing alone."""
    shed_work: Ints
    """[n] choosing and dropping."""
    met: Ints
    """[n] partial matches met before anything was dropped."""
    dropped: Ints
    """[n] partial matches dropped, or events left out of windows."""
    match_pattern: Ints
    match_event: Ints
    """The event that completes it."""
    match_key: Ints
    """A hash of pattern, window and binding; of the binding only the first event where a start has one match."""
    moves: Ints
    """[T, states] observations: from each state to each other by meeting one event."""
    births: Ints
    """[T, states] partial matches of a state that sprang from one of another by meeting one event."""
    alive: Ints
    """[Q] clock units that partial matches lived, summed."""
    started: Ints
    """[Q] partial matches that left the initial state."""
    parent: Ints
    first_child: Ints
    last_child: Ints
    next_sibling: Ints
    worth: Ints
    spent: Ints
    root: Ints


@dataclass
class Run:
    """An operator at work: `advance` processes a stretch of events under some rules, and may be called again."""

    stream: Stream
    arrival: Ints
    tracked: int = 0

    def __post_init__(self) -> None:
        stream = self.stream
        n, patterns, states = stream.events, len(stream.start), int(np.diff(stream.at).max(initial=1)) + 1
        self.pool: Pool = empty_pool(stream)
        nodes = 1024 if self.tracked == RECORD else 0
        self.account = Account(
            *(np.zeros(n, np.int64) for _ in range(5)),
            *(np.zeros(1024, np.int64) for _ in range(3)),
            moves=np.zeros((int(stream.at[-1]), states), np.int64),
            births=np.zeros((int(stream.at[-1]), states), np.int64),
            alive=np.zeros(patterns, np.int64),
            started=np.zeros(patterns, np.int64),
            parent=np.full(nodes, -1, np.int64),
            first_child=np.full(nodes, -1, np.int64),
            last_child=np.full(nodes, -1, np.int64),
            next_sibling=np.full(nodes, -1, np.int64),
            worth=np.zeros(nodes, np.int64),
            spent=np.zeros(nodes, np.int64),
            root=np.full(len(stream.window_end) if self.tracked == RECORD else 0, -1, np.int64),
        )
        self.at = 0

    def advance(self, stop: int, rules: Rules = WITHOUT) -> None:
        """Processes the events up to `stop`."""
        rules = rules._replace(tracked=self.tracked)
        while self.at < stop:
            self.at = _process(self.stream, self.arrival, self.pool, self.account, rules, self.at, stop)
            if self.at < stop:
                need = int(self.pool.counter[NEED])
                self.pool = with_room(self.pool, need)
                self._grow(need)

    @property
    def matches(self) -> int:
        return int(self.pool.counter[MATCHES])

    @property
    def peak(self) -> int:
        """Partial matches alive at most."""
        return int(self.pool.counter[PEAK])

    @property
    def met(self) -> int:
        """Meetings of an event and a partial match."""
        return int(self.pool.counter[MET])

    def match_columns(self) -> tuple[Ints, Ints, Ints]:
        """Pattern, completing event and key of each match, in order of completion."""
        account, count = self.account, self.matches
        return account.match_pattern[:count], account.match_event[:count], account.match_key[:count]

    def _grow(self, need: int) -> None:
        account, grown = self.account, {}
        fields = {MATCHES: ("match_pattern", "match_event", "match_key")}
        if self.tracked == RECORD:
            fields[NODES] = ("parent", "first_child", "last_child", "next_sibling", "worth", "spent")
        for counter, names in fields.items():
            used = int(self.pool.counter[counter])
            for name in names:
                old = getattr(account, name)
                if used + need > len(old):
                    fill = -1 if name in ("parent", "first_child", "last_child", "next_sibling") else 0
                    grown[name] = np.concatenate([old[:used], np.full(used + need, fill, np.int64)])
        self.account = account._replace(**grown)


@njit(cache=True)
def _process(
    stream: Stream, arrival: Ints, pool: Pool, account: Account, rules: Rules, first: int, stop: int
) -> int:
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
            cost += stream.cost[WINDOW] * _open_windows(stream, pool, account, rules, q, i)
            if stream.partition[q, i] < 0:
                continue
            for g in (stream.segment[q], stream.segment[q] + 1 + stream.partition[q, i]):
                _expire(stream, pool, account, rules.tracked, q, g, stream.clock[q, i], stream.tick[i])
                met += pool.length[g]
                account.alive[q] += pool.length[g] * (stream.clock[q, i] - pool.touched[g])
                pool.touched[g] = stream.clock[q, i]
        account.met[i] = met
        shed_cost = 0
        probability = 0.0
        if rules.kind != KEEP and met > 0:
            excess = too_many(queued, met, rules.bound, rules.buffer, rules.processing, rules.shedding)
            if excess > 0:
                if rules.kind == EVENTS:
                    decisions = 0
                    for q in range(patterns):
                        decisions += stream.open_windows[q, i]
                    shed_cost = stream.cost[DRAW] * decisions
                    probability = _share_to_drop(rules, stream.kind[i], excess / met)
                else:
                    dropped, shed_cost = _shed(stream, pool, account, rules, i, met, excess)
                    account.dropped[i] = dropped
        for q in range(patterns):
            if stream.partition[q, i] < 0:
                continue
            shared, own = stream.segment[q], stream.segment[q] + 1 + stream.partition[q, i]
            cost += _meet(stream, pool, account, rules, q, own, own, i, actions, probability)
            cost += _meet(stream, pool, account, rules, q, shared, own, i, actions, probability)
        now += shed_cost + cost
        counter[NOW] = now
        counter[PEAK] = max(counter[PEAK], counter[LIVE])
        account.latency[i] = now - arrival[i]
        account.work[i] = cost
        account.shed_work[i] = shed_cost
    return stop


@njit(cache=True)
def _actions(stream: Stream, i: int, actions: npt.NDArray[np.uint8]) -> None:
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
def _has_room(
    stream: Stream, pool: Pool, account: Account, tracked: int, i: int, actions: npt.NDArray[np.uint8]
) -> bool:
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
                fits = reserve(
                    pool.state, pool.body, pool.begin, pool.length, pool.room, counter, own, wanted
                )
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


@njit(cache=True)
def _open_windows(stream: Stream, pool: Pool, account: Account, rules: Rules, q: int, i: int) -> int:
    """Puts an instance in the initial state into each window that opens; their number."""
    begin, end = stream.window_first[q, i], stream.window_first[q, i + 1]
    g = stream.segment[q] + (1 + stream.partition[q, i] if stream.start[q] == 0 else 0)
    for window in range(begin, end):
        r = _append(pool, g, 0, stream.window_end[window])
        body = pool.body[r]
        body[LAST] = -1
        body[ITS_WINDOW] = window
        body[PATH] = chained(chained(0, q), window)
        body[SINCE] = pool.meetings[g]
        if rules.tracked == RECORD:
            body[NODE] = _node(pool, account, -1)
            account.root[window] = body[NODE]
        elif rules.tracked == REPLAY:
            _replay(rules, body, rules.root[window])
    return end - begin


@njit(cache=True)
def _append(pool: Pool, g: int, state: int, end: int) -> int:
    """A new row of a segment, at its end."""
    r = pool.begin[g] + pool.length[g]
    if pool.length[g] == 0:
        pool.by_end[g] = True
        pool.due[g] = end
    else:
        if end < pool.body[r - 1, END]:
            pool.by_end[g] = False
        if end < pool.due[g]:
            pool.due[g] = end
    pool.length[g] += 1
    pool.state[r] = state
    pool.body[r, END] = end
    pool.body[r, CUT] = NEVER
    pool.histogram[g, state] += 1
    pool.counter[LIVE] += 1
    return r


@njit(cache=True)
def _node(pool: Pool, account: Account, parent: int) -> int:
    """A number for a partial match that is tracked, as the last child of its parent."""
    node = pool.counter[NODES]
    pool.counter[NODES] += 1
    account.parent[node] = parent
    if parent >= 0:
        if account.first_child[parent] < 0:
            account.first_child[parent] = node
        else:
            account.next_sibling[account.last_child[parent]] = node
        account.last_child[parent] = node
    return node


@njit(cache=True)
def _replay(rules: Rules, body: Ints, node: int) -> None:
    """What the run without shedding knows of a partial match."""
    body[NODE] = node
    body[OWN] = rules.left[node]
    body[CHILD] = rules.first_child[node]
    body[WORTH] = rules.worth[node]


@njit(cache=True)
def _spent(stream: Stream, pool: Pool, q: int, g: int, r: int) -> int:
    """What meetings have cost a partial match since it entered its state."""
    return (pool.meetings[g] - pool.body[r, SINCE]) * stream.state_cost[stream.at[q] + pool.state[r]]


@njit(cache=True)
def _settle(stream: Stream, pool: Pool, account: Account, tracked: int, q: int, g: int, r: int) -> None:
    """Books a partial match that leaves: the histogram, and its cost if it is tracked."""
    pool.histogram[g, pool.state[r]] -= 1
    pool.counter[LIVE] -= 1
    if tracked == RECORD:
        account.spent[pool.body[r, NODE]] += pool.body[r, OWN] + _spent(stream, pool, q, g, r)


@njit(cache=True)
def _expire(
    stream: Stream, pool: Pool, account: Account, tracked: int, q: int, g: int, clock: int, tick: int
) -> None:
    """Removes partial matches whose window has ended or that a negated event has killed."""
    if pool.length[g] == 0 or (clock <= pool.due[g] and tick <= pool.due_cut[g]):
        return
    state, body = pool.state, pool.body
    if tick <= pool.due_cut[g] and pool.by_end[g]:
        while pool.length[g] > 0 and body[pool.begin[g], END] < clock:
            _settle(stream, pool, account, tracked, q, g, pool.begin[g])
            pool.begin[g] += 1
            pool.room[g] -= 1
            pool.length[g] -= 1
        pool.due[g] = body[pool.begin[g], END] if pool.length[g] > 0 else NEVER
        return
    begin = pool.begin[g]
    keep = begin
    due, due_cut = NEVER, NEVER
    ordered = True
    for r in range(begin, begin + pool.length[g]):
        end = body[r, END]
        cut = body[r, CUT]
        if end < clock or cut < tick:
            _settle(stream, pool, account, tracked, q, g, r)
            continue
        if end < due:
            due = end
        if cut < due_cut:
            due_cut = cut
        if keep > begin and end < body[keep - 1, END]:
            ordered = False
        if keep < r:
            state[keep] = state[r]
            body[keep] = body[r]
        keep += 1
    pool.length[g] = keep - begin
    pool.due[g], pool.due_cut[g], pool.by_end[g] = due, due_cut, ordered


@njit(cache=True)
def _share_to_drop(rules: Rules, kind: int, wanted: float) -> float:
    """With which probability an event of a type leaves a window, if a share `wanted` of the load must go."""
    if rules.share[kind] <= 0.0:
        return 1.0
    own = (wanted - rules.before[kind]) / rules.share[kind]
    return min(1.0, max(own, 0.0))


@njit(cache=True)
def _shed(
    stream: Stream, pool: Pool, account: Account, rules: Rules, i: int, met: int, number: int
) -> tuple[int, int]:
    """Drops partial matches that event i would meet; how many, and what that costs."""
    if rules.kind == CHANCE:
        goes = by_chance(met, number, rules.seed, i)
    else:
        goes = lowest(_utilities(stream, pool, rules, i, met), number)
    at = 0
    dropped = 0
    for q in range(stream.start.shape[0]):
        if stream.partition[q, i] < 0:
            continue
        for g in (stream.segment[q], stream.segment[q] + 1 + stream.partition[q, i]):
            begin = pool.begin[g]
            keep = begin
            for r in range(begin, begin + pool.length[g]):
                if goes[at]:
                    _settle(stream, pool, account, rules.tracked, q, g, r)
                    dropped += 1
                else:
                    if keep < r:
                        pool.state[keep] = pool.state[r]
                        pool.body[keep] = pool.body[r]
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
def _utilities(
    stream: Stream, pool: Pool, rules: Rules, i: int, met: int
) -> npt.NDArray[np.float64]:
    """Of the partial matches that event i would meet, in order of pattern, segment and age."""
    utilities = np.empty(met, np.float64)
    at = 0
    for q in range(stream.start.shape[0]):
        if stream.partition[q, i] < 0:
            continue
        for g in (stream.segment[q], stream.segment[q] + 1 + stream.partition[q, i]):
            for r in range(pool.begin[g], pool.begin[g] + pool.length[g]):
                if rules.kind == LOWEST_AHEAD:
                    left = pool.body[r, OWN] - _spent(stream, pool, q, g, r)
                    utilities[at] = stream.weight[q] * pool.body[r, WORTH] / max(left, 1)
                else:
                    remaining = (pool.body[r, END] - stream.clock[q, i] + 1) * rules.rate[q]
                    table = rules.table[rules.table_at[q] : rules.table_at[q + 1]]
                    states = stream.at[q + 1] - stream.at[q] + 1
                    utilities[at] = utility_at(table, states, rules.bin[q], pool.state[r], remaining)
                at += 1
    return utilities


@njit(cache=True)
def _meet(
    stream: Stream,
    pool: Pool,
    account: Account,
    rules: Rules,
    q: int,
    g: int,
    into: int,
    i: int,
    actions: npt.NDArray[np.uint8],
    probability: float,
) -> int:
    """Event i meets the partial matches of a segment; what that costs. Those that move on go to the segment `into`."""
    count = pool.length[g]
    if count == 0:
        return 0
    at, steps = stream.at[q], stream.at[q + 1] - stream.at[q]
    cost = 0
    fits = probability > 0.0 or (stream.start[q] == 0 and pool.histogram[g, 0] > 0)
    for s in range(steps):
        waiting = pool.histogram[g, s]
        cost += waiting * stream.state_cost[at + s]
        account.moves[at + s, s] += waiting
        if waiting > 0 and actions[at + s]:
            fits = True
    pool.meetings[g] += 1
    pool.counter[MET] += count
    if not fits:
        return cost
    state, body = pool.state, pool.body
    begin = pool.begin[g]
    keep = begin
    for r in range(begin, begin + count):
        s = state[r]
        stays = True
        if probability > 0.0 and chance(rules.seed, i, body[r, ITS_WINDOW]) < probability:
            cost -= stream.state_cost[at + s]
            account.moves[at + s, s] -= 1
            account.dropped[i] += 1
            pool.counter[MET] -= 1
            if s == 0 and stream.start[q] == 0:
                _settle(stream, pool, account, rules.tracked, q, g, r)
                stays = False
        elif actions[at + s] or (s == 0 and stream.start[q] == 0):
            stays = _offer(stream, pool, account, rules, q, g, into, i, r, actions[at + s])
        if stays:
            if keep < r:
                state[keep] = state[r]
                body[keep] = body[r]
            keep += 1
    # What was born or moved within the segment stands behind all that were there.
    for r in range(begin + count, begin + pool.length[g]):
        if keep < r:
            state[keep] = state[r]
            body[keep] = body[r]
        keep += 1
    pool.length[g] = keep - begin
    return cost


@njit(cache=True)
def _offer(
    stream: Stream,
    pool: Pool,
    account: Account,
    rules: Rules,
    q: int,
    g: int,
    into: int,
    i: int,
    r: int,
    action: int,
) -> bool:
    """Offers event i to one partial match; whether that stays where it is."""
    state, body = pool.state, pool.body
    s = state[r]
    at, steps = stream.at[q], stream.at[q + 1] - stream.at[q]
    opening = s == 0 and stream.start[q] == 0
    last = body[r, LAST]
    if s > 0 and stream.tick[last] >= stream.tick[i]:
        return True
    advances = (action & ADVANCES) != 0 and _accepts(stream, q, s, last, i, body[r], 2 * (at + s))
    repeats = (action & REPEATS) != 0 and _accepts(stream, q, -1, last, i, body[r], 2 * (at + s - 1) + 1)
    splits = (stream.any_match[q] and not opening) or (s == 0 and stream.start[q] == 2)
    if advances:
        account.moves[at + s, s] -= 1
        account.moves[at + s, s + 1] += 1
        if s == 0:
            account.started[q] += 1
    stays = True
    if splits:
        if advances:
            _branch(stream, pool, account, rules, q, into, i, r, s + 1)
        if repeats:
            _branch(stream, pool, account, rules, q, into, i, r, s)
    elif advances and s + 1 == steps:
        _complete(stream, pool, account, rules, q, i, r, s)
        _settle(stream, pool, account, rules.tracked, q, g, r)
        stays = False
    elif advances:
        stays = _move_on(stream, pool, account, rules, q, g, into, i, r)
    elif repeats:
        body[r, LAST] = i
    elif opening:
        _settle(stream, pool, account, rules.tracked, q, g, r)
        stays = False
    if (action & KILLED) != 0 and stays and (splits or not (advances or repeats)) and body[r, CUT] == NEVER:
        body[r, CUT] = stream.tick[i]
        pool.due_cut[g] = min(pool.due_cut[g], stream.tick[i])
    return stays


@njit(cache=True)
def _accepts(stream: Stream, q: int, s: int, last: int, i: int, body: Ints, place: int) -> bool:
    """Whether comparisons and the group allow event i after the event bound last. `s` -1: a repeated step."""
    for c in range(stream.condition[place], stream.condition[place + 1]):
        if not compares(stream.operator[c], stream.left[c, last], stream.right[c, i]):
            return False
    if s >= 0:
        group = stream.group[stream.at[q] + s]
        if group >= 0:
            for step in range(group, s):
                if body[MEMBERS + step] == stream.member[q, i]:
                    return False
    return True


@njit(cache=True)
def _path(stream: Stream, q: int, s: int, i: int, path: int, step: int) -> int:
    """The hash of a binding with one event more, where that tells matches apart."""
    if stream.any_match[q] or (s == 0 and stream.start[q] != 1):
        return chained(path, i * 128 + step)
    return path


@njit(cache=True)
def _complete(stream: Stream, pool: Pool, account: Account, rules: Rules, q: int, i: int, r: int, s: int) -> None:
    """Books a match."""
    number = pool.counter[MATCHES]
    pool.counter[MATCHES] += 1
    account.match_pattern[number] = q
    account.match_event[number] = i
    account.match_key[number] = _path(stream, q, s, i, pool.body[r, PATH], s)
    if rules.tracked == RECORD:
        account.worth[pool.body[r, NODE]] += 1
    elif rules.tracked == REPLAY:
        pool.body[r, WORTH] -= 1


@njit(cache=True)
def _branch(
    stream: Stream, pool: Pool, account: Account, rules: Rules, q: int, into: int, i: int, r: int, to: int
) -> None:
    """A new partial match with event i, beside the one that it springs from; or a match."""
    body = pool.body
    s = pool.state[r]
    step = to - 1
    account.births[stream.at[q] + s, to] += 1
    if to == stream.at[q + 1] - stream.at[q]:
        _complete(stream, pool, account, rules, q, i, r, s)
        return
    child = _append(pool, into, to, body[r, END])
    body[child, LAST] = i
    body[child, ITS_WINDOW] = body[r, ITS_WINDOW]
    body[child, PATH] = _path(stream, q, s, i, body[r, PATH], step)
    # The meeting with event i is its parent's.
    body[child, SINCE] = pool.meetings[into]
    body[child, OWN] = 0
    if body.shape[1] > MEMBERS:
        body[child, MEMBERS:] = body[r, MEMBERS:]
        body[child, MEMBERS + step] = stream.member[q, i]
    if rules.tracked == RECORD:
        body[child, NODE] = _node(pool, account, body[r, NODE])
    elif rules.tracked == REPLAY:
        node = body[r, CHILD]
        body[r, CHILD] = rules.next_sibling[node]
        body[r, WORTH] -= rules.worth[node]
        body[r, OWN] -= rules.left[node]
        _replay(rules, body[child], node)


@njit(cache=True)
def _move_on(
    stream: Stream,
    pool: Pool,
    account: Account,
    rules: Rules,
    q: int,
    g: int,
    into: int,
    i: int,
    r: int,
) -> bool:
    """Moves a partial match on to the next state, in place or into its partition's segment; whether in place."""
    body = pool.body
    s = pool.state[r]
    spent = _spent(stream, pool, q, g, r)
    body[r, OWN] += spent if rules.tracked == RECORD else -spent
    body[r, PATH] = _path(stream, q, s, i, body[r, PATH], s)
    body[r, LAST] = i
    body[r, SINCE] = pool.meetings[into]
    if body.shape[1] > MEMBERS:
        body[r, MEMBERS + s] = stream.member[q, i]
    pool.histogram[g, s] -= 1
    if into == g:
        pool.state[r] = s + 1
        pool.histogram[g, s + 1] += 1
        return True
    moved = _append(pool, into, s + 1, body[r, END])
    body[moved] = body[r]
    pool.counter[LIVE] -= 1
    return False

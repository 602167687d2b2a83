"""An event meets the partial matches of a segment: what each of them does, and what that costs.

Under skip-till-next-match a partial match that an event fits moves on, leaving a closure before staying in it; under
skip-till-any-match it stays and another one springs from it, for each way to bind the event. The cost comes from a
histogram of states; the rows are read only where some occupied state fits the event.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from numba import njit

from cep_core.matching.network import compares
from cep_core.shedding.account import Account
from cep_core.shedding.drawing import chained, chance
from cep_core.shedding.lifetimes import append_row, foresee, number_node, settle, spent_in_state
from cep_core.shedding.pool import (
    CHILD,
    CUT,
    END,
    LAST,
    LIVE,
    MATCHES,
    MEMBERS,
    MET,
    NEVER,
    NODE,
    OWN,
    PATH,
    SINCE,
    WINDOW,
    WORTH,
    Pool,
)
from cep_core.shedding.rules import RECORD, REPLAY, Rules
from cep_core.shedding.stream import Stream

Ints = npt.NDArray[np.int64]
Actions = npt.NDArray[np.uint8]

ADVANCES, REPEATS, KILLED = 1, 2, 4
"""What an event may do to a partial match of a state."""


@njit(cache=True)
def meet(
    stream: Stream,
    pool: Pool,
    account: Account,
    rules: Rules,
    q: int,
    g: int,
    into: int,
    i: int,
    actions: Actions,
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
        if probability > 0.0 and chance(rules.seed, i, body[r, WINDOW]) < probability:
            cost -= stream.state_cost[at + s]
            account.moves[at + s, s] -= 1
            account.dropped[i] += 1
            pool.counter[MET] -= 1
            if s == 0 and stream.start[q] == 0:
                settle(stream, pool, account, rules.tracked, q, g, r)
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
        settle(stream, pool, account, rules.tracked, q, g, r)
        stays = False
    elif advances:
        stays = _move_on(stream, pool, account, rules, q, g, into, i, r)
    elif repeats:
        body[r, LAST] = i
    elif opening:
        settle(stream, pool, account, rules.tracked, q, g, r)
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
    child = append_row(pool, into, to, body[r, END])
    body[child, LAST] = i
    body[child, WINDOW] = body[r, WINDOW]
    body[child, PATH] = _path(stream, q, s, i, body[r, PATH], step)
    # The meeting with event i is its parent's.
    body[child, SINCE] = pool.meetings[into]
    body[child, OWN] = 0
    if body.shape[1] > MEMBERS:
        body[child, MEMBERS:] = body[r, MEMBERS:]
        body[child, MEMBERS + step] = stream.member[q, i]
    if rules.tracked == RECORD:
        body[child, NODE] = number_node(pool, account, body[r, NODE])
    elif rules.tracked == REPLAY:
        node = body[r, CHILD]
        body[r, CHILD] = rules.next_sibling[node]
        body[r, WORTH] -= rules.worth[node]
        body[r, OWN] -= rules.left[node]
        foresee(rules, body[child], node)


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
    spent = spent_in_state(stream, pool, q, g, r)
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
    moved = append_row(pool, into, s + 1, body[r, END])
    body[moved] = body[r]
    pool.counter[LIVE] -= 1
    return False

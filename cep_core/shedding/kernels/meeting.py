"""An event meets the partial matches of a segment: what each of them does, and what that costs.

Under skip-till-next-match a partial match that an event fits moves on. If it can both leave a closure and stay in it,
it leaves. Under skip-till-any-match it stays, and each way to bind the event adds a new partial match. The cost comes
from a histogram of states (`operator`). The rows are read only if an event may change one of them.
"""

from __future__ import annotations

from cep_core.arrays import Ints
from cep_core.candidates.keys import compares
from cep_core.inner_kernels import inner
from cep_core.shedding.arrays.account import Account
from cep_core.shedding.arrays.pool import (
    CHILD,
    CUT,
    END,
    HELD,
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
    move_row,
)
from cep_core.shedding.arrays.rules import RECORD, UNTRACKED, USEFUL, Rules
from cep_core.shedding.arrays.stream import ADVANCES, KILLED, REPEATS, Stream
from cep_core.shedding.kernels.drawing import chained, chance
from cep_core.shedding.kernels.lifetimes import foresee, kill, number_node, settle


@inner
def meet(
    stream: Stream,
    pool: Pool,
    account: Account,
    rules: Rules,
    q: int,
    g: int,
    into: int,
    i: int,
    probability: float,
) -> int:
    """Offers event i to each partial match of a segment; those that move on go to the segment `into`.

    With `probability` the event has left a window. Returns the cost of the meetings that this saved.

    It has 9 parameters and more than 60 lines because all work on a partial match is done in one loop, over arrays that
    are unpacked once. A function for a part of it would need all these arrays again for every partial match.
    """
    state, body, histogram, counter = pool.state, pool.body, pool.histogram, pool.counter
    starts, lengths, due, by_end, meetings = pool.begin, pool.length, pool.due, pool.by_end, pool.meetings
    ticks, operator, left, right = stream.tick, stream.operator, stream.left, stream.right
    condition, member, actions = stream.condition, stream.member, stream.actions
    moves, births, dropped, gone = account.moves, account.births, account.dropped, account.gone
    started, spent = account.started, account.spent
    match_pattern, match_event, match_key = account.match_pattern, account.match_event, account.match_key
    at, steps = stream.at[q], stream.at[q + 1] - stream.at[q]
    group = stream.group[at : at + steps]
    cost = stream.state_cost[at : at + steps]
    kind, any_match = stream.start[q], stream.any_match[q]
    tracked, seed, tick = rules.tracked, rules.seed, stream.tick[i]
    useful_only = rules.kind == USEFUL
    grouped = body.shape[1] > MEMBERS
    inside, dying = pool.inside, pool.dying
    spared = 0
    begin, count = starts[g], lengths[g]
    keep = begin
    for r in range(begin, begin + count):
        s = state[r]
        action = actions[i, at + s]
        opening = s == 0 and kind == 0
        stays = True
        if probability > 0.0 and chance(seed, i, body[r, WINDOW]) < probability:
            spared += cost[s]
            moves[at + s, s] -= 1
            dropped[i] += 1
            gone[at + s] += 1
            counter[MET] -= 1
            stays = not opening
            if opening:
                settle(state, body, histogram, counter, meetings, inside, dying, tick, spent, cost, tracked, g, r)
        elif action or opening:
            last = body[r, LAST]
            first = group[s]  # step of the ANY that the next step is in; events of an ANY may be concurrent
            follows = s == 0 or ticks[last] < tick + (1 if 0 <= first < s else 0)
            advances = (action & ADVANCES) != 0 and follows
            if advances:
                for c in range(condition[2 * (at + s)], condition[2 * (at + s) + 1]):
                    advances = advances and compares(operator[c], left[c, last], right[c, i])
                if first >= 0:
                    for step in range(first, s):
                        advances = advances and body[r, MEMBERS + step] != member[q, i]
            repeats = (action & REPEATS) != 0 and follows
            if repeats:
                for c in range(condition[2 * (at + s) - 1], condition[2 * (at + s)]):
                    repeats = repeats and compares(operator[c], left[c, last], right[c, i])
            splits = (any_match and not opening) or (s == 0 and kind == 2)
            if advances:
                moves[at + s, s] -= 1
                moves[at + s, s + 1] += 1
                if s == 0:
                    started[q] += 1
            if splits:
                for step in range(s, s - 2, -1):
                    if not (advances if step == s else repeats):
                        continue
                    births[at + s, step + 1] += 1
                    path = body[r, PATH]
                    if any_match or (s == 0 and kind != 1):
                        path = chained(path, i * 128 + step)
                    if step + 1 == steps:
                        number = counter[MATCHES]
                        counter[MATCHES] += 1
                        match_pattern[number], match_event[number], match_key[number] = q, i, path
                        if tracked != UNTRACKED:
                            _book(
                                account,
                                body[r],
                                tracked,
                                number,
                                body[r, OWN] + (meetings[g] - body[r, SINCE]) * cost[s],
                            )
                        continue
                    if useful_only and rules.worth[body[r, CHILD]] == 0:
                        body[r, CHILD] = rules.next_sibling[body[r, CHILD]]
                        continue
                    child = starts[into] + lengths[into]
                    end = body[r, END]
                    if lengths[into] == 0:
                        by_end[into], due[into] = True, end
                    else:
                        by_end[into] = by_end[into] and end >= body[child - 1, END]
                        due[into] = min(due[into], end)
                    lengths[into] += 1
                    histogram[into, step + 1] += 1
                    counter[LIVE] += 1
                    inside[body[r, WINDOW]] += 1
                    counter[HELD] += 1
                    state[child] = step + 1
                    body[child, END], body[child, CUT], body[child, LAST] = end, NEVER, i
                    body[child, WINDOW], body[child, PATH] = body[r, WINDOW], path
                    # The parent pays for the meeting with event i.
                    body[child, SINCE], body[child, OWN] = meetings[into], 0
                    if grouped:
                        for column in range(MEMBERS, body.shape[1]):
                            body[child, column] = body[r, column]
                        body[child, MEMBERS + step] = member[q, i]
                    if tracked != UNTRACKED:
                        so_far = body[r, OWN] + (meetings[g] - body[r, SINCE]) * cost[s]
                        _bear(pool, account, rules, body[r], body[child], so_far)
            elif advances and s + 1 == steps:
                number = counter[MATCHES]
                counter[MATCHES] += 1
                path = body[r, PATH] if kind == 1 or (s > 0 and not any_match) else chained(body[r, PATH], i * 128 + s)
                match_pattern[number], match_event[number], match_key[number] = q, i, path
                if tracked != UNTRACKED:
                    _book(account, body[r], tracked, number, body[r, OWN] + (meetings[g] - body[r, SINCE]) * cost[s])
                settle(state, body, histogram, counter, meetings, inside, dying, tick, spent, cost, tracked, g, r)
                stays = False
            elif advances:
                used = (meetings[g] - body[r, SINCE]) * cost[s]
                body[r, OWN] += used if tracked == RECORD else -used
                if any_match or (s == 0 and kind != 1):
                    body[r, PATH] = chained(body[r, PATH], i * 128 + s)
                body[r, LAST], body[r, SINCE] = i, meetings[into]
                if grouped:
                    body[r, MEMBERS + s] = member[q, i]
                histogram[g, s] -= 1
                histogram[into, s + 1] += 1
                if into == g:
                    state[r] = s + 1
                else:
                    stays = False
                    moved = starts[into] + lengths[into]
                    end = body[r, END]
                    if lengths[into] == 0:
                        by_end[into], due[into] = True, end
                    else:
                        by_end[into] = by_end[into] and end >= body[moved - 1, END]
                        due[into] = min(due[into], end)
                    lengths[into] += 1
                    move_row(state, body, moved, r)
                    state[moved] = s + 1
            elif repeats:
                body[r, LAST] = i
            elif opening:
                settle(state, body, histogram, counter, meetings, inside, dying, tick, spent, cost, tracked, g, r)
                stays = False
            killed = (action & KILLED) != 0 and follows and stays and (splits or not (advances or repeats))
            if killed and body[r, CUT] == NEVER:
                body[r, CUT] = tick
                kill(pool, body[r, WINDOW], tick)
                pool.due_cut[g] = min(pool.due_cut[g], tick)
            if useful_only and stays and body[r, WORTH] == 0:
                settle(state, body, histogram, counter, meetings, inside, dying, tick, spent, cost, tracked, g, r)
                stays = False
        if stays:
            if keep < r:
                move_row(state, body, keep, r)
            keep += 1
    # New and moved partial matches stand behind those that were in the segment before.
    for r in range(begin + count, begin + lengths[g]):
        if keep < r:
            move_row(state, body, keep, r)
        keep += 1
    lengths[g] = keep - begin
    return spared


@inner
def _book(account: Account, body: Ints, tracked: int, number: int, spent: int) -> None:
    """Credits a tracked partial match with a match; in a recorded run the partial match has cost `spent` so far."""
    if tracked == RECORD:
        account.worth[body[NODE]] += 1
        account.match_node[number], account.match_spent[number] = body[NODE], spent
    else:
        body[WORTH] -= 1


@inner
def _bear(pool: Pool, account: Account, rules: Rules, parent: Ints, child: Ints, spent: int) -> None:
    """Numbers a new partial match, or finds the number that it had in the recorded run.

    `spent`: what its parent has cost so far, in a recorded run.
    """
    if rules.tracked == RECORD:
        child[NODE] = number_node(pool, account, parent[NODE], spent)
        return
    node = parent[CHILD]
    parent[CHILD] = rules.next_sibling[node]
    parent[WORTH] -= rules.worth[node]
    parent[OWN] -= rules.left[node]
    foresee(rules, child, node)

"""How partial matches begin and end: a window opens with an instance in the initial state, and closes.

A new partial match is a new row of its segment. When it ends, the histogram of states and the number alive are updated.
If a run keeps a record for look-ahead, the cost of the partial match is recorded, too.

Arrays are unpacked once, outside of loops over partial matches. Taking an array out of a tuple counts a reference,
which costs more than the work on a partial match.
"""

from __future__ import annotations

from numba import njit

from cep_core.arrays import Ints
from cep_core.inner_kernels import inner
from cep_core.shedding.arrays.account import Account
from cep_core.shedding.arrays.pool import (
    CHILD,
    CUT,
    DYING,
    END,
    HELD,
    LAST,
    LIVE,
    NEVER,
    NODE,
    NODES,
    OWN,
    PATH,
    SINCE,
    TICK,
    WINDOW,
    WORTH,
    Pool,
    States,
    move_row,
)
from cep_core.shedding.arrays.rules import RECORD, REPLAY, USEFUL, Rules
from cep_core.shedding.arrays.stream import Stream
from cep_core.shedding.kernels.drawing import chained


@inner
def open_new(stream: Stream, pool: Pool, account: Account, rules: Rules, q: int, i: int) -> int:
    """Puts an instance in the initial state into each window that opens; returns how many it put."""
    begin, end = stream.window_first[q, i], stream.window_first[q, i + 1]
    g = stream.segment[q] + (1 + stream.partition[q, i] if stream.start[q] == 0 else 0)
    state, body, window_end, met = pool.state, pool.body, stream.window_end, pool.meetings[g]
    before = pool.length[g]
    first, count, due, by_end = pool.begin[g], pool.length[g], pool.due[g], pool.by_end[g]
    if count == 0:
        due, by_end = NEVER, True
    for window in range(begin, end):
        if rules.kind == USEFUL and rules.worth[rules.root[window]] == 0:
            continue
        r = first + count
        pool.inside[window] = 1
        closing = window_end[window]
        by_end = by_end and (count == 0 or closing >= body[r - 1, END])
        due = min(due, closing)
        count += 1
        state[r] = 0
        body[r, END], body[r, CUT], body[r, LAST], body[r, WINDOW] = closing, NEVER, -1, window
        body[r, PATH] = chained(chained(0, q), window)
        body[r, SINCE], body[r, OWN] = met, 0
        if rules.tracked == RECORD:
            body[r, NODE] = number_node(pool, account, -1, 0)
            account.root[window] = body[r, NODE]
        elif rules.tracked == REPLAY:
            foresee(rules, body[r], rules.root[window])
    pool.length[g], pool.due[g], pool.by_end[g] = count, due, by_end
    pool.histogram[g, 0] += count - before
    pool.counter[LIVE] += count - before
    pool.counter[HELD] += count - before
    return count - before


@inner
def number_node(pool: Pool, account: Account, parent: int, spent: int) -> int:
    """Numbers a tracked partial match and appends it to its parent's children; the parent has cost `spent` so far."""
    node = pool.counter[NODES]
    pool.counter[NODES] += 1
    account.parent[node] = parent
    account.born_at[node] = spent
    if parent >= 0:
        if account.first_child[parent] < 0:
            account.first_child[parent] = node
        else:
            account.next_sibling[account.last_child[parent]] = node
        account.last_child[parent] = node
    return node


@inner
def foresee(rules: Rules, body: Ints, node: int) -> None:
    """Copies to a partial match what the run without shedding knows about it."""
    body[NODE] = node
    body[OWN] = rules.left[node]
    body[CHILD] = rules.first_child[node]
    body[WORTH] = rules.worth[node]


@njit(cache=True)
def spent_in_state(stream: Stream, pool: Pool, q: int, g: int, r: int) -> int:
    """The cost of a partial match's meetings since it entered its state."""
    return (pool.meetings[g] - pool.body[r, SINCE]) * stream.state_cost[stream.at[q] + pool.state[r]]


@inner
def settle(
    state: States,
    body: Ints,
    histogram: Ints,
    counter: Ints,
    meetings: Ints,
    inside: Ints,
    dying: Ints,
    tick: int,
    spent: Ints,
    cost: Ints,
    tracked: int,
    g: int,
    r: int,
) -> None:
    """Updates the counts for a partial match that ends, and records its cost if it is tracked.

    `cost`: by state, of meeting a partial match of its pattern. The function has 13 parameters because it is called for
    single partial matches: with the arrays in one NamedTuple, runs under skip-till-any-match took 3 to 4 % longer.
    """
    s = state[r]
    histogram[g, s] -= 1
    counter[LIVE] -= 1
    window, cut = body[r, WINDOW], body[r, CUT]
    if cut >= tick:
        if cut != NEVER:
            dying[window] -= 1
        if inside[window] > 0:
            inside[window] -= 1
            counter[HELD] -= 1
    if tracked == RECORD:
        spent[body[r, NODE]] += body[r, OWN] + (meetings[g] - body[r, SINCE]) * cost[s]


@inner
def kill(pool: Pool, window: int, tick: int) -> None:
    """Counts a partial match of a window that a negated event has killed. It lives until the tick is over."""
    if pool.dying[window] == 0:
        pool.dying_in[pool.counter[DYING]] = window
        pool.counter[DYING] += 1
        pool.dying[window] = 1
    pool.dying[window] += 1
    pool.counter[TICK] = tick


@inner
def bury(pool: Pool) -> None:
    """Stops counting killed partial matches as alive: the tick of the last kills is over."""
    for n in range(pool.counter[DYING]):
        window = pool.dying_in[n]
        if pool.inside[window] > 0:
            pool.inside[window] -= pool.dying[window] - 1
            pool.counter[HELD] -= pool.dying[window] - 1
        pool.dying[window] = 0
    pool.counter[DYING] = 0


@njit(cache=True)
def settle_alive(stream: Stream, pool: Pool, spent: Ints) -> None:
    """Adds the cost of partial matches that are still alive."""
    for q in range(stream.start.shape[0]):
        for g in range(stream.segment[q], stream.segment[q + 1]):
            for r in range(pool.begin[g], pool.begin[g] + pool.length[g]):
                spent[pool.body[r, NODE]] += pool.body[r, OWN] + spent_in_state(stream, pool, q, g, r)


@inner
def expire(stream: Stream, pool: Pool, account: Account, tracked: int, q: int, g: int, clock: int, tick: int) -> None:
    """Removes partial matches whose window has ended or that a negated event has killed."""
    if pool.length[g] == 0 or (clock <= pool.due[g] and tick <= pool.due_cut[g]):
        return
    state, body, histogram, counter, meetings = pool.state, pool.body, pool.histogram, pool.counter, pool.meetings
    spent, cost = account.spent, stream.state_cost[stream.at[q] :]
    inside, dying = pool.inside, pool.dying
    begin, count = pool.begin[g], pool.length[g]
    if tick <= pool.due_cut[g] and pool.by_end[g]:
        ended = 0
        while ended < count and body[begin + ended, END] < clock:
            settle(
                state, body, histogram, counter, meetings, inside, dying, tick, spent, cost, tracked, g, begin + ended
            )
            ended += 1
        pool.begin[g] += ended
        pool.room[g] -= ended
        pool.length[g] -= ended
        pool.due[g] = body[begin + ended, END] if ended < count else NEVER
        return
    keep = begin
    due, due_cut = NEVER, NEVER
    ordered = True
    for r in range(begin, begin + count):
        end = body[r, END]
        cut = body[r, CUT]
        if end < clock or cut < tick:
            settle(state, body, histogram, counter, meetings, inside, dying, tick, spent, cost, tracked, g, r)
            continue
        if end < due:
            due = end
        if cut < due_cut:
            due_cut = cut
        if keep > begin and end < body[keep - 1, END]:
            ordered = False
        if keep < r:
            move_row(state, body, keep, r)
        keep += 1
    pool.length[g] = keep - begin
    pool.due[g], pool.due_cut[g], pool.by_end[g] = due, due_cut, ordered

"""The probability of possible worlds, by dynamic programming over time (SASE++, sections 2.3 and 5.3).

Time advances moment by moment. All worlds in which the past chosen events form the same partial match are one
*configuration*: the chosen events still pending, the last event that happened, and its state of the automaton. The mass
of a configuration is the probability of its past events. A pending event multiplies in its own probability when it
happens at one of its remaining moments. Consecutive moments at which only the same event may happen are passed in one
step. A match does not depend on the order of its events, and each world has one order. So the confidence of a match is
the total mass of all complete configurations.

Weight the mass of each configuration by the chance that its pending events have not happened yet. The weighted sum is
the probability that the worlds so far are partial matches. It never rises when events are added, for any conditions.

Assumes that events are independent and uniform over the moments of their intervals, and that the automaton reads each
order in only one way. Cost of a moment: configurations x pending events x edges. There are at most 2^n n configurations
of n events whose intervals overlap, and one or two if intervals do not overlap.
"""

from __future__ import annotations

import numpy as np

from cep_core.arrays import Ints
from cep_core.inner_kernels import borrowing, inner
from cep_core.matching.arrays.network import holds
from cep_core.matching.imprecise.kernels.configurations import (
    NOTHING,
    SLOTS,
    Configurations,
    add,
    bits,
    drop_missed,
    union,
)
from cep_core.matching.imprecise.kernels.worlds import Asked, Chosen, admits

NO_ROOM = -1
"""Returned instead of a pool's end: the pool is too small."""


@borrowing
def happen(
    asked: Asked,
    chosen: Chosen,
    pool: Configurations,
    begin: int,
    end: int,
    source: int,
    slot: int,
    moments: int,
    together: bool,
) -> int:
    """The event of a slot happens in configuration `source`, at one of `moments` moments.

    `together`: it happens at the same moment as the last event of the configuration. Adds the resulting configurations
    to pool[begin:end]. Returns the new end, at most one further for each state. Nine arguments: a borrowing kernel
    makes no tuple, and its three callers hold these as separate numbers.
    """
    row, variable = chosen.row[slot], chosen.variable[slot]
    variable_of, useful, place = asked.variable_of, asked.useful, row - asked.base[0]
    last, state, pending = pool.last[source], pool.state[source], pool.pending[source] & ~(1 << slot)
    mass = pool.mass[source] * (asked.share[row] * moments)
    if last == NOTHING:
        for t in range(variable_of.shape[0]):
            if variable_of[t] == variable and asked.starts[row, t] and useful[place, t]:
                end = add(pool, begin, end, pending, row, t, mass)
        return end
    begins, target = asked.begin, asked.target
    for edge in range(begins[state], begins[state + 1]):
        t = target[edge]
        if (
            variable_of[t] == variable
            and useful[place, t]
            and (not asked.ordered or admits(asked.kinds[edge], together))
            and holds(asked.condition, asked.operator, asked.left, asked.right, edge, last, row)
        ):
            end = add(pool, begin, end, pending, row, t, mass)
    return end


@borrowing
def pass_moment(
    asked: Asked, chosen: Chosen, pool: Configurations, begin: int, end: int, moment: int, slots: Ints
) -> int:
    """Passes one moment at which at most one event of `slots` happens; no event follows another of the same moment.

    Configurations with few pending events come first, so that no configuration advances twice. Returns the new end, or
    NO_ROOM; then nothing has changed.
    """
    if end + (end - begin) * slots.shape[0] * asked.variable_of.shape[0] > pool.mass.shape[0]:
        return NO_ROOM
    before = end
    pendings, rows, low, high = pool.pending, chosen.row, asked.low, asked.high
    for pending in range(1, slots.shape[0] + 1):
        for c in range(begin, before):
            if bits(pendings[c]) != pending:
                continue
            for slot in slots:
                row = rows[slot]
                if pendings[c] >> slot & 1 and low[row] <= moment <= high[row]:
                    end = happen(asked, chosen, pool, begin, end, c, slot, 1, False)
    return end


@borrowing
def pass_moment_by_seq(
    asked: Asked, chosen: Chosen, pool: Configurations, begin: int, end: int, moment: int, slots: Ints
) -> int:
    """Passes one moment at which events may follow each other; `slots`: the pending ones, by seq of their rows.

    The configurations that result from this moment are kept apart. The earlier configurations do not change until all
    slots are done.
    """
    states = asked.variable_of.shape[0]
    fresh = end
    for slot in slots:
        row = chosen.row[slot]
        if not asked.low[row] <= moment <= asked.high[row]:
            continue
        sources = end
        for c in range(begin, sources):
            if pool.pending[c] >> slot & 1:
                if end + states > pool.mass.shape[0]:
                    return NO_ROOM
                end = happen(asked, chosen, pool, fresh, end, c, slot, 1, c >= fresh)
    merged = fresh
    for c in range(fresh, end):
        merged = add(pool, begin, merged, pool.pending[c], pool.last[c], pool.state[c], pool.mass[c])
    return merged


@inner
def slots_of(waiting: int, rows: Ints, seq: Ints) -> Ints:
    """The slots whose bits are set, ordered by the seq of their rows."""
    slots = np.empty(bits(waiting), np.int64)
    n = 0
    for slot in range(SLOTS):
        if waiting >> slot & 1:
            place = n
            while place > 0 and seq[rows[slots[place - 1]]] > seq[rows[slot]]:
                slots[place] = slots[place - 1]
                place -= 1
            slots[place] = slot
            n += 1
    return slots


@borrowing
def stretch(asked: Asked, slots: Ints, rows: Ints, now: int, until: int) -> tuple[int, int, int]:
    """The next moments after `now` that one step can pass: first, last, and the only slot that may happen in them.

    NOTHING instead of a slot: several slots may happen at this one moment, or no slot up to `until`.
    """
    low, high = asked.low, asked.high
    first = until
    for slot in slots:
        first = min(first, max(now + 1, low[rows[slot]]))
    last = until
    alone = NOTHING
    for slot in slots:
        if low[rows[slot]] > first:
            last = min(last, low[rows[slot]] - 1)
        elif alone != NOTHING:
            return first, first, NOTHING
        else:
            alone = slot
            last = min(last, high[rows[slot]])
    return first, last, alone


@inner
def advance(
    asked: Asked, chosen: Chosen, pool: Configurations, begin: int, end: int, now: int, until: int
) -> tuple[int, int]:
    """Advances time from after `now` up to `until`. Returns the new end and the moment reached.

    The moment reached is before `until` if the pool is too small to go on.
    """
    states, rows, seq, high = asked.variable_of.shape[0], chosen.row, asked.seq, asked.high
    waiting = union(pool, begin, end)
    slots = slots_of(waiting, rows, seq)
    while waiting and now < until:
        moment, last, alone = stretch(asked, slots, rows, now, until)
        if alone == NOTHING:
            if asked.ordered:
                after = pass_moment_by_seq(asked, chosen, pool, begin, end, moment, slots)
            else:
                after = pass_moment(asked, chosen, pool, begin, end, moment, slots)
            if after == NO_ROOM:
                return end, moment - 1
            end = after
        else:
            if end + (end - begin) * states > pool.mass.shape[0]:
                return end, moment - 1
            for c in range(begin, end):  # the new configurations no longer wait for the slot
                if pool.pending[c] >> alone & 1:
                    end = happen(asked, chosen, pool, begin, end, c, alone, last - moment + 1, False)
        now = last
        missed = 0
        for slot in slots:
            if high[rows[slot]] <= now:
                missed |= 1 << slot
        if missed:
            end = drop_missed(pool, begin, end, missed)
            waiting = union(pool, begin, end)
            slots = slots_of(waiting, rows, seq)
    return end, until


@borrowing
def completed(asked: Asked, pool: Configurations, begin: int, end: int) -> float:
    """The probability of the worlds in which all chosen events have happened and form a match."""
    total = 0.0
    for c in range(begin, end):
        if not pool.pending[c] and asked.accepts[pool.last[c], pool.state[c]]:
            total += pool.mass[c]
    return total


@borrowing
def chance(asked: Asked, chosen: Chosen, pool: Configurations, begin: int, end: int, now: int) -> float:
    """The probability that the worlds up to `now` are partial matches of the chosen events."""
    total = 0.0
    for c in range(begin, end):
        mass = pool.mass[c]
        waiting = pool.pending[c]
        slot = 0
        while waiting:
            if waiting & 1:
                row = chosen.row[slot]
                mass *= (asked.high[row] - max(now, asked.low[row] - 1)) * asked.share[row]
            waiting >>= 1
            slot += 1
        total += mass
    return total

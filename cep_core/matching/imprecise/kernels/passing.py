"""The probability of possible worlds, by dynamic programming over time (SASE++, sections 2.3 and 5.3).

Time passes moment by moment. All worlds in which the chosen events that happened so far form the same partial match are
one *configuration*: the chosen events still to come, the last event that happened, and its state of the automaton. Its
mass is the probability of the events that happened; each of those to come adds its own when it happens, in one of the
moments left to it. Moments at which only one event may happen pass at once. A match is the same whatever order its
events came in, and each world has one order, so the masses of all complete configurations add up to its confidence.

The mass of all configurations, each weighted by the chance that its events to come are still to come, is the
probability that the worlds so far are partial matches: it never rises as events are added, whatever the conditions.

Assumes independent events, uniform over the moments of their intervals, and an automaton that reads each order in one
way. Cost of a moment: configurations x events to come x edges; there are at most 2^n n configurations of n events whose
intervals overlap, and one or two where they do not.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from cep_core.arrays import Ints
from cep_core.matching.arrays.network import holds
from cep_core.matching.imprecise.kernels.borrowing import borrowing
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
"""Instead of a pool's end."""


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
    """The event of a slot happens in configuration `source`, at one of so many moments, or `together` with its last.

    Adds what becomes of it to pool[begin:end]; returns the new end, at most one further for each state. Nine arguments:
    a kernel that borrows makes no tuple, and its three callers hold these as separate numbers.
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
    """What may happen at one moment, where no event follows another of the same moment: one of `slots`, or none.

    Configurations with few events to come go first, which makes none a source of what it became. Returns the new end,
    or NO_ROOM, and then nothing has changed.
    """
    if end + (end - begin) * slots.shape[0] * asked.variable_of.shape[0] > pool.mass.shape[0]:
        return NO_ROOM
    before = end
    pendings, rows, low, high = pool.pending, chosen.row, asked.low, asked.high
    for left in range(1, slots.shape[0] + 1):
        for c in range(begin, before):
            if bits(pendings[c]) != left:
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
    """The same where events of one moment may follow each other; `slots`: those to come, by seq of their rows.

    What comes of a configuration at this moment stands apart from those before it, which are not changed until all is
    done.
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


@njit(cache=True)
def slots_of(waiting: int, rows: Ints, seq: Ints) -> Ints:
    """The slots of a set of bits, by the seq of their rows."""
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
    """The next moments after `now` that can be passed at once: first, last, and the only slot that may happen in them.

    NOTHING instead of a slot: at this one moment several may happen, or none up to `until`.
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


@njit(cache=True)
def advance(
    asked: Asked, chosen: Chosen, pool: Configurations, begin: int, end: int, now: int, until: int
) -> tuple[int, int]:
    """Lets time pass from after `now` up to `until`; returns the new end and the moment reached.

    The moment is before `until` if the pool is too small for the next one.
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
            for c in range(begin, end):  # what comes of one no longer waits for the slot
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
    """The probability of the worlds in which all chosen events have happened and are a match."""
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

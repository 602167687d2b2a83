"""Confidence where the window decides between worlds: the first event's moment is tried one by one.

A match must end at most a width after it began. If even its widest world is short enough, `search` knows its confidence
already; else the worlds are those of each first moment, with nothing later than the width allows. Cost: moments of the
first event x those of all.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from cep_core.matching.imprecise.worlds import NOTHING, SLOTS, Configurations, Times, advance, drop_missed, union
from cep_core.matching.network import Flags, Ints, Network

TOO_CROWDED, TOO_MANY = -1.0, -2.0
"""Instead of a probability: the pool is too small; more events at once than slots."""


@njit(cache=True)
def confidence_within(
    network: Network,
    variable_of: Ints,
    times: Times,
    useful: Flags,
    base: int,
    width: int,
    chosen: Ints,
    variables: Ints,
    pool: Configurations,
    begin: int,
) -> float:
    """The probability that the chosen rows are a match no longer than the width; pool[begin:] is scratch."""
    order = np.argsort(times.low[chosen], kind="mergesort")
    least_low, most_low = times.low[chosen].min(), times.low[chosen].max()
    least_high, most_high = times.high[chosen].min(), times.high[chosen].max()
    total = 0.0
    for first in range(max(least_low, most_low - width), least_high + 1):
        mass = _beginning_at(
            network,
            variable_of,
            times,
            useful,
            base,
            first,
            min(most_high, first + width),
            chosen[order],
            variables[order],
            pool,
            begin,
        )
        if mass < 0:
            return mass
        total += mass
    return total


@njit(cache=True)
def _beginning_at(
    network: Network,
    variable_of: Ints,
    times: Times,
    useful: Flags,
    base: int,
    first: int,
    until: int,
    chosen: Ints,
    variables: Ints,
    pool: Configurations,
    begin: int,
) -> float:
    """The probability of worlds whose first event happens at a moment; chosen rows by their first moment."""
    if begin >= pool.mass.shape[0]:
        return TOO_CROWDED
    slot_row, slot_variable = np.zeros(SLOTS, np.int64), np.zeros(SLOTS, np.int64)
    pool.pending[begin], pool.last[begin], pool.state[begin], pool.mass[begin] = 0, NOTHING, NOTHING, 1.0
    end, now = begin + 1, first - 1
    for k in range(chosen.shape[0] + 1):
        target = until if k == chosen.shape[0] else times.low[chosen[k]] - 1
        if now < first <= target:  # all that may come first is to come
            end, now = advance(
                network, variable_of, times, useful, base, pool, begin, end, now, first, slot_row, slot_variable
            )
            if now < first:
                return TOO_CROWDED
            kept = begin
            for c in range(begin, end):
                if pool.last[c] != NOTHING:
                    pool.pending[kept], pool.last[kept] = pool.pending[c], pool.last[c]
                    pool.state[kept], pool.mass[kept] = pool.state[c], pool.mass[c]
                    kept += 1
            end = kept
        if now < target:
            end, now = advance(
                network, variable_of, times, useful, base, pool, begin, end, now, target, slot_row, slot_variable
            )
            if now < target:
                return TOO_CROWDED
        if k < chosen.shape[0]:
            waiting = union(pool, begin, end)
            slot = 0
            while slot < SLOTS and waiting >> slot & 1:
                slot += 1
            if slot == SLOTS:
                return TOO_MANY
            slot_row[slot], slot_variable[slot] = chosen[k], variables[k]
            for c in range(begin, end):
                pool.pending[c] |= 1 << slot
    end = drop_missed(pool, begin, end, -1)
    total = 0.0
    for c in range(begin, end):
        if network.accepts[pool.last[c], pool.state[c]]:
            total += pool.mass[c]
    return total

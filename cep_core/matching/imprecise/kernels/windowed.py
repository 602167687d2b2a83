"""Confidence where the window decides between worlds: the first event's moment is tried one by one.

A match must end at most a width after it began. If even its widest world is short enough, `search` knows its confidence
already; else the worlds are those of each first moment, with nothing later than the width allows. Cost: moments of the
first event x those of all.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from cep_core.matching.imprecise.kernels.borrowing import borrowing
from cep_core.matching.imprecise.kernels.configurations import (
    NOTHING,
    SLOTS,
    Configurations,
    begin_at,
    copy,
    free_slot,
    union,
)
from cep_core.matching.imprecise.kernels.passing import advance, completed
from cep_core.matching.imprecise.kernels.worlds import Asked, Chosen

TOO_CROWDED, TOO_MANY = -1.0, -2.0
"""Instead of a probability: the pool is too small; more events at once than slots."""


@njit(cache=True)
def confidence_within(asked: Asked, width: int, chosen: Chosen, pool: Configurations, begin: int) -> float:
    """The probability that the chosen rows are a match no longer than the width; pool[begin:] is scratch."""
    low, high = asked.low[chosen.row], asked.high[chosen.row]
    order = np.argsort(low, kind="mergesort")
    coming = Chosen(chosen.row[order], chosen.variable[order])
    total = 0.0
    for first in range(max(low.min(), low.max() - width), high.min() + 1):
        mass = _beginning_at(asked, first, min(high.max(), first + width), coming, pool, begin)
        if mass < 0:
            return mass
        total += mass
    return total


@njit(cache=True)
def _beginning_at(asked: Asked, first: int, until: int, coming: Chosen, pool: Configurations, begin: int) -> float:
    """The probability of worlds whose first event happens at a moment; chosen rows by their first moment."""
    if begin >= pool.mass.shape[0]:
        return TOO_CROWDED
    chosen = Chosen(np.zeros(SLOTS, np.int64), np.zeros(SLOTS, np.int64))
    begin_at(pool, begin)
    end, now = begin + 1, first - 1
    for k in range(coming.row.shape[0] + 1):
        target = until if k == coming.row.shape[0] else asked.low[coming.row[k]] - 1
        if now < first <= target:  # all that may come first is to come
            end, now = advance(asked, chosen, pool, begin, end, now, first)
            if now < first:
                return TOO_CROWDED
            end = _drop_unbegun(pool, begin, end)
        if now < target:
            end, now = advance(asked, chosen, pool, begin, end, now, target)
            if now < target:
                return TOO_CROWDED
        if k < coming.row.shape[0]:
            slot = free_slot(union(pool, begin, end))
            if slot == SLOTS:
                return TOO_MANY
            chosen.row[slot], chosen.variable[slot] = coming.row[k], coming.variable[k]
            for c in range(begin, end):
                pool.pending[c] |= 1 << slot
    return completed(asked, pool, begin, end)


@borrowing
def _drop_unbegun(pool: Configurations, begin: int, end: int) -> int:
    """Drops the worlds in which nothing has happened; returns the new end."""
    kept = begin
    for c in range(begin, end):
        if pool.last[c] != NOTHING:
            copy(pool, c, kept)
            kept += 1
    return kept

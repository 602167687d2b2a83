"""Confidence of matches that fit the window only in some worlds; each moment of the first event is tried.

A match must end at most `width` after its begin. If its longest world fits, `search` has its confidence already.
Otherwise the confidence is summed over the moments of the first event, with no event later than `width` after it.
Cost: moments of the first event x moments of all events.
"""

from __future__ import annotations

import numpy as np

from cep_core.inner_kernels import borrowing, inner
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
"""Returned instead of a probability: the pool is too small; more events are pending at once than there are slots."""


@inner
def confidence_within(asked: Asked, width: int, chosen: Chosen, pool: Configurations, begin: int) -> float:
    """The probability that the chosen rows are a match no longer than the width; pool[begin:] is scratch space."""
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


@inner
def _beginning_at(asked: Asked, first: int, until: int, coming: Chosen, pool: Configurations, begin: int) -> float:
    """The probability of worlds whose first event is at moment `first`; `coming`: the rows by their first moment."""
    if begin >= pool.mass.shape[0]:
        return TOO_CROWDED
    chosen = Chosen(np.zeros(SLOTS, np.int64), np.zeros(SLOTS, np.int64))
    begin_at(pool, begin)
    end, now = begin + 1, first - 1
    for k in range(coming.row.shape[0] + 1):
        target = until if k == coming.row.shape[0] else asked.low[coming.row[k]] - 1
        if now < first <= target:  # every event that may be the first is pending
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
    """Drops the worlds in which no event has happened yet. Returns the new end."""
    kept = begin
    for c in range(begin, end):
        if pool.last[c] != NOTHING:
            copy(pool, c, kept)
            kept += 1
    return kept

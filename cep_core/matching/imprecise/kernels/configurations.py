"""Configurations: all worlds in which the chosen events that happened so far form the same partial match (`passing`).

They stand in a pool, those of one set of chosen events together in pool[begin:end]. Cost: adding mass looks through
them all; there are one or two unless intervals overlap. Kernels take the arrays out of a tuple once: each time costs.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cep_core.arrays import Floats, Ints
from cep_core.matching.imprecise.kernels.borrowing import borrowing

SLOTS = 62
"""Chosen events that may be to come at once: bits of a configuration."""

NOTHING = -1
"""No event has happened yet."""


class Configurations(NamedTuple):
    """A pool of configurations; those of one set of chosen events stand together."""

    pending: Ints
    """The slots of chosen events to come, as bits."""
    last: Ints
    """The row of the last event, or NOTHING."""
    state: Ints
    mass: Floats


def pool_of(size: int) -> Configurations:
    return Configurations(np.empty(size, np.int64), np.empty(size, np.int64), np.empty(size, np.int64), np.empty(size))


@borrowing
def begin_at(pool: Configurations, place: int) -> None:
    """The configuration of all worlds: nothing is chosen, nothing has happened."""
    pool.pending[place], pool.last[place], pool.state[place], pool.mass[place] = 0, NOTHING, NOTHING, 1.0


@borrowing
def copy(pool: Configurations, place: int, to: int) -> None:
    pool.pending[to] = pool.pending[place]
    pool.last[to] = pool.last[place]
    pool.state[to] = pool.state[place]
    pool.mass[to] = pool.mass[place]


@borrowing
def add(pool: Configurations, begin: int, end: int, pending: int, last: int, state: int, mass: float) -> int:
    """Adds mass to a configuration of pool[begin:end], or the configuration; returns the new end."""
    pendings, lasts, states, masses = pool.pending, pool.last, pool.state, pool.mass
    for c in range(begin, end):
        if pendings[c] == pending and lasts[c] == last and states[c] == state:
            masses[c] += mass
            return end
    pendings[end], lasts[end], states[end], masses[end] = pending, last, state, mass
    return end + 1


@borrowing
def bits(pending: int) -> int:
    count = 0
    while pending:
        pending &= pending - 1
        count += 1
    return count


@borrowing
def union(pool: Configurations, begin: int, end: int) -> int:
    """The slots that some configuration has still to come."""
    found, pendings = 0, pool.pending
    for c in range(begin, end):
        found |= pendings[c]
    return found


@borrowing
def free_slot(waiting: int) -> int:
    """The first slot that is not in a set of bits; SLOTS if all are."""
    slot = 0
    while slot < SLOTS and waiting >> slot & 1:
        slot += 1
    return slot


@borrowing
def drop_missed(pool: Configurations, begin: int, end: int, missed: int) -> int:
    """Drops the configurations that still wait for an event whose last moment has passed; returns the new end."""
    kept, pendings = begin, pool.pending
    for c in range(begin, end):
        if not pendings[c] & missed:
            copy(pool, c, kept)
            kept += 1
    return kept

"""Configurations: all worlds in which the past chosen events form the same partial match (`passing`).

They are stored in a pool. The configurations of one set of chosen events are together in pool[begin:end]. Cost: adding
mass scans all of them; there are one or two unless intervals overlap. Kernels take each array out of its tuple only
once, because each access costs.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cep_core.arrays import Floats, Ints
from cep_core.inner_kernels import borrowing

SLOTS = 62
"""The largest number of chosen events pending at once: the bits of a configuration."""

NOTHING = -1
"""No event has happened yet."""


class Configurations(NamedTuple):
    """A pool of configurations; those of one set of chosen events are neighbours."""

    pending: Ints
    """The slots of the pending chosen events, as bits."""
    last: Ints
    """The row of the last event, or NOTHING."""
    state: Ints
    mass: Floats


def pool_of(size: int) -> Configurations:
    return Configurations(np.empty(size, np.int64), np.empty(size, np.int64), np.empty(size, np.int64), np.empty(size))


@borrowing
def begin_at(pool: Configurations, place: int) -> None:
    """Writes the configuration of all worlds: no event is chosen, none has happened."""
    pool.pending[place], pool.last[place], pool.state[place], pool.mass[place] = 0, NOTHING, NOTHING, 1.0


@borrowing
def copy(pool: Configurations, place: int, to: int) -> None:
    pool.pending[to] = pool.pending[place]
    pool.last[to] = pool.last[place]
    pool.state[to] = pool.state[place]
    pool.mass[to] = pool.mass[place]


@borrowing
def add(pool: Configurations, begin: int, end: int, pending: int, last: int, state: int, mass: float) -> int:
    """Adds mass to a configuration of pool[begin:end], or appends the configuration. Returns the new end."""
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
    """The slots that are pending in at least one configuration."""
    waiting, pendings = 0, pool.pending
    for c in range(begin, end):
        waiting |= pendings[c]
    return waiting


@borrowing
def free_slot(waiting: int) -> int:
    """The first slot whose bit is not set; SLOTS if all are set."""
    slot = 0
    while slot < SLOTS and waiting >> slot & 1:
        slot += 1
    return slot


@borrowing
def drop_missed(pool: Configurations, begin: int, end: int, missed: int) -> int:
    """Drops the configurations that still wait for an event whose last moment has passed. Returns the new end."""
    kept, pendings = begin, pool.pending
    for c in range(begin, end):
        if not pendings[c] & missed:
            copy(pool, c, kept)
            kept += 1
    return kept

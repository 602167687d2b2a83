"""Numbers of lists of diagrams, the states of the automaton that is made while the monitor runs (`known_steps`).

A list holds all that later steps within a stamp depend on: the diagrams of the active classes, what PREV and SINCE
keep, and unless the program is flat the stamp, in local mode also which of the classes are of one stamp. Equal lists
have one number, found by hashing. The tables of lists and those of known steps are made, and forgotten, together: all
at once if one of them is nearly full. Cost: O(length of the list), at most `LONGEST`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from cep_core.arrays import Ints
from cep_core.inner_kernels import borrowing
from cep_core.monitoring.propositional.stream.kernels.state import (
    ACTIVE,
    CLASSES,
    DIAGRAM,
    ENTERED,
    EPOCH,
    FLAT,
    FORGOTTEN_AT,
    KIND,
    LOCAL,
    MODE,
    NOW,
    POOLED,
    PREV,
    SCRIPTED,
    SINCE,
    STATES,
    TS,
    USED_BUCKETS,
    WAITS,
    Known,
    Open,
)

LONGEST = 64
"""Longer lists of diagrams get no number."""
_LEAST, _MOST = 1 << 9, 1 << 13
"""How many buckets of states are used: at first, and at most. There are twice as many entries."""


def shapes_of_known_steps() -> list[tuple[int, ...]]:
    """The shapes of the tables."""
    return [(8 * _MOST,), (_MOST // 2, 3), (_MOST, 2), (2 * _MOST, 5), (32 * _MOST,)]


def no_known_steps(arrays: Sequence[Ints]) -> Known:
    """Tables without entries, in arrays of zeros."""
    pool, states, buckets, entries, scripts = arrays
    return Known(pool, states, buckets, entries, scripts, np.array([0, 0, 0, 1, 0, _LEAST, 0], np.int64))


@borrowing
def forget(known: Known) -> None:
    """Begins a new epoch."""
    counts = known.counts
    counts[EPOCH] += 1
    counts[STATES] = 0
    counts[POOLED] = 0
    counts[SCRIPTED] = 0
    counts[ENTERED] = 0


@borrowing
def _make_room(known: Known, now: int) -> None:
    """Forgets all if one of the tables is nearly full. If one stamp fills them, four times as much of them is used.

    Lists of diagrams of earlier stamps do not come again, so that tables for those of a stamp are as good as large
    ones, and near to the processor.
    """
    counts = known.counts
    room = counts[USED_BUCKETS]
    if (
        4 * counts[STATES] < room
        and 2 * counts[ENTERED] < 3 * room
        and counts[POOLED] + LONGEST <= 8 * room
        and counts[SCRIPTED] < 31 * room
    ):
        return
    if counts[FORGOTTEN_AT] == now and room < known.buckets.shape[0]:
        counts[USED_BUCKETS] = 4 * room
    counts[FORGOTTEN_AT] = now
    forget(known)


@borrowing
def _listed(program: Ints, kept: Open, at: Ints, into: Ints) -> int:
    """Writes all that later steps depend on; gives its length, -1 if it is too long."""
    length = at[CLASSES] + at[WAITS]
    if length > LONGEST:
        return -1
    for i in range(length):
        into[i] = kept.classes[at[ACTIVE] + i, DIAGRAM]
    for n in range(program.shape[0]):
        if program[n, KIND] == PREV:
            if length + 1 > LONGEST:
                return -1
            into[length] = kept.held[n]
            length += 1
        elif program[n, KIND] == SINCE:
            count = kept.past_count[n]
            if length + 1 + 2 * count > LONGEST:
                return -1
            into[length] = count
            length += 1
            for entry in range(count):
                into[length] = kept.past_ts[n, entry]
                into[length + 1] = kept.past_diagram[n, entry]
                length += 2
    if not at[FLAT]:  # new variables begin at the current stamp
        if length + 2 > LONGEST:
            return -1
        into[length] = at[NOW]
        into[length + 1] = _stamps_end(kept.classes, at) if at[MODE] == LOCAL else 0
        length += 2
    return length


@borrowing
def _stamps_end(classes: Ints, at: Ints) -> np.int64:
    """After which active classes another stamp follows, as bits; the last one is followed by the current stamp.

    Equal classes of one stamp join, and those of two stamps do not.
    """
    ends, last = np.int64(0), at[ACTIVE] + at[CLASSES] + at[WAITS] - 1
    for place in range(at[ACTIVE], last + 1):
        following = at[NOW] if place == last else classes[place + 1, TS]
        ends |= np.int64(classes[place, TS] != following) << np.int64(place - at[ACTIVE])
    return ends


@borrowing
def number_of(program: Ints, kept: Open, at: Ints, known: Known) -> int:
    """The number of the current list of diagrams, a new one if need be; -1 if it is too long."""
    counts, pool, states = known.counts, known.pool, known.states
    _make_room(known, at[NOW])
    begin = counts[POOLED]
    length = _listed(program, kept, at, pool[begin : begin + LONGEST])
    if length < 0:
        return -1
    mixed = at[WAITS]
    for i in range(begin, begin + length):
        mixed = (mixed ^ pool[i]) * 0x9E3779B97F4A7C1
        mixed ^= mixed >> 29
    last_bucket = counts[USED_BUCKETS] - 1
    bucket = mixed & last_bucket
    while known.buckets[bucket, 0] == counts[EPOCH]:
        number = known.buckets[bucket, 1]
        if states[number, 1] == length and states[number, 2] == at[WAITS]:
            place = states[number, 0]
            same = 0
            while same < length and pool[place + same] == pool[begin + same]:
                same += 1
            if same == length:
                return number
        bucket = (bucket + 1) & last_bucket
    number = counts[STATES]
    known.buckets[bucket, 0] = counts[EPOCH]
    known.buckets[bucket, 1] = number
    states[number, 0] = begin
    states[number, 1] = length
    states[number, 2] = at[WAITS]
    counts[STATES] = number + 1
    counts[POOLED] = begin + length
    return number


@borrowing
def restore(program: Ints, kept: Open, at: Ints, known: Known, number: int) -> None:
    """Writes the diagrams of a list to where a step reads them."""
    place = known.states[number, 0]
    for i in range(at[CLASSES] + at[WAITS]):
        kept.classes[at[ACTIVE] + i, DIAGRAM] = known.pool[place]
        place += 1
    for n in range(program.shape[0]):
        if program[n, KIND] == PREV:
            kept.held[n] = known.pool[place]
            place += 1
        elif program[n, KIND] == SINCE:
            kept.past_count[n] = known.pool[place]
            place += 1
            for entry in range(kept.past_count[n]):
                kept.past_ts[n, entry] = known.pool[place]
                kept.past_diagram[n, entry] = known.pool[place + 1]
                place += 2

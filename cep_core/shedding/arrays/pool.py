"""The partial matches of an operator: arrays, one segment for each pattern's partition, so that memory follows the
number alive.

A segment is a stretch of the arrays with room to grow; one that outgrows it moves to the end, and `with_room` copies
the live ones together when the end is reached. A partial match is its state and a row of integers (columns below).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from cep_core.arrays import Flags, Ints
from cep_core.shedding.arrays.stream import Stream

States = npt.NDArray[np.int8]

END, LAST, WINDOW, PATH, CUT, NODE, SINCE, OWN, CHILD, WORTH, MEMBERS = range(11)
"""Columns: the last clock value inside the window, the event bound last, the window, the hash of what is bound, the
tick after which it is dead; then what only look-ahead needs (its number, the meetings of its segment when it entered
its state, its cost so far or still to come, its next child, the matches still to come); then the members of a group."""

NEVER = int(np.iinfo(np.int64).max)

TOP, LIVE, PEAK, NODES, MATCHES, NOW, NEED, MET, HELD, DYING, TICK = range(11)
"""Counters: the end of the used arrays, rows in use and at most in use, nodes, matches, the virtual time, the room that
the next event needs, meetings of events and partial matches, partial matches alive, windows in which some were killed
at the tick that follows.

A row stays until its segment is looked at again; alive are those whose window is open and that no negated event of an
earlier tick has killed."""


class Pool(NamedTuple):
    """Room for `len(state)` partial matches in S segments."""

    state: States
    body: Ints
    begin: Ints
    length: Ints
    room: Ints
    due: Ints
    """[S] no partial match of the segment ends before the clock exceeds this."""
    due_cut: Ints
    """[S] none is dead before the tick exceeds this."""
    by_end: Flags
    """[S] whether the segment is in order of its ends."""
    histogram: Ints
    """[S, states] how many partial matches are in each state."""
    meetings: Ints
    """[S] events that the segment has met."""
    touched: Ints
    """[S] the clock at the last of them."""
    inside: Ints
    """[W] partial matches alive in each window; 0 once it has ended."""
    dying: Ints
    """[W] one more than how many of them were killed at this tick, and live until it is over; 0: none."""
    dying_in: Ints
    """[W] the windows where that happened."""
    closed: Ints
    """[Q] the windows of each pattern before this one have ended; windows end in the order in which they open."""
    counter: Ints


def empty_pool(stream: Stream, capacity: int = 1024) -> Pool:
    """A pool without partial matches."""
    segments = int(stream.segment[-1])
    states = int(np.diff(stream.at).max(initial=1))
    grouped = int((stream.group >= 0).any())
    columns = MEMBERS + (states if grouped else 0)
    zeros = [np.zeros(segments, np.int64) for _ in range(5)]
    return Pool(
        state=np.zeros(capacity, np.int8),
        body=np.zeros((capacity, columns), np.int64),
        begin=zeros[0],
        length=zeros[1],
        room=zeros[2],
        due=np.full(segments, NEVER, np.int64),
        due_cut=np.full(segments, NEVER, np.int64),
        by_end=np.ones(segments, np.bool_),
        histogram=np.zeros((segments, states), np.int64),
        meetings=zeros[3],
        touched=zeros[4],
        inside=np.zeros(len(stream.window_end), np.int64),
        dying=np.zeros(len(stream.window_end), np.int64),
        dying_in=np.zeros(len(stream.window_end), np.int64),
        closed=stream.window_first[:, 0].copy(),
        counter=np.zeros(11, np.int64),
    )


def copied(pool: Pool) -> Pool:
    """Another pool with the same partial matches."""
    return Pool._make(column.copy() for column in pool)


def with_room(pool: Pool, need: int) -> Pool:
    """The same partial matches side by side, with room for twice as many and `need` more."""
    live = int(pool.length.sum())
    capacity = max(1024, 4 * (live + need) + 8 * int((pool.length > 0).sum()))
    state, body = np.zeros(capacity, np.int8), np.zeros((capacity, pool.body.shape[1]), np.int64)
    pool.counter[TOP] = _move(pool.state, pool.body, state, body, pool.begin, pool.length, pool.room)
    return pool._replace(state=state, body=body)


@njit(cache=True)
def _move(old_state: States, old_body: Ints, state: States, body: Ints, begin: Ints, length: Ints, room: Ints) -> int:
    top = 0
    for g in range(begin.shape[0]):
        count = length[g]
        state[top : top + count] = old_state[begin[g] : begin[g] + count]
        body[top : top + count] = old_body[begin[g] : begin[g] + count]
        begin[g] = top
        room[g] = count
        top += count
    return top


@njit(cache=True)
def move_row(state: States, body: Ints, to: int, r: int) -> None:
    """A partial match to another place."""
    state[to] = state[r]
    for column in range(body.shape[1]):
        body[to, column] = body[r, column]


@njit(cache=True)
def reserve(
    state: States, body: Ints, begin: Ints, length: Ints, room: Ints, counter: Ints, g: int, wanted: int
) -> bool:
    """Room for `wanted` partial matches in a segment; False: the arrays have none."""
    if wanted <= room[g]:
        return True
    grown = 2 * wanted
    top = counter[TOP]
    if top + grown > state.shape[0]:
        return False
    for r in range(length[g]):
        state[top + r] = state[begin[g] + r]
        body[top + r] = body[begin[g] + r]
    begin[g] = top
    room[g] = grown
    counter[TOP] = top + grown
    return True

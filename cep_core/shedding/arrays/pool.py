"""The partial matches of an operator, in arrays. Each partition of each pattern has its own segment.

Memory grows with the number of partial matches alive. A segment is a stretch of the arrays with room to grow. If it
outgrows its room, it moves to the end. When the end of the arrays is reached, `with_room` copies the live partial
matches together. A partial match is its state and a row of integers (columns below).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from cep_core.arrays import Flags, Ints
from cep_core.inner_kernels import inner
from cep_core.shedding.arrays.stream import Stream

States = npt.NDArray[np.int8]

END, LAST, WINDOW, PATH, CUT, NODE, SINCE, OWN, CHILD, WORTH, MEMBERS = range(11)
"""Columns: the last clock value inside the window, the event bound last, the window, the hash of the bound events, and
the tick after which it is dead. Only look-ahead needs the next ones: its number, the meetings of its segment when it
entered its state, its cost so far or still to come, its next child, the matches still to come. Last come the members of
a group."""

NEVER = int(np.iinfo(np.int64).max)

TOP, LIVE, PEAK, NODES, MATCHES, NOW, NEED, MET, HELD, DYING, TICK = range(11)
"""Counters: the end of the used arrays, rows in use, the most rows ever in use, nodes, matches, the virtual time, the
room that the next event needs, meetings of events and partial matches, partial matches alive, windows with kills at the
tick in the last counter, and that tick.

A row stays until its segment is looked at again. A partial match is alive if its window is open and no negated event of
an earlier tick has killed it."""


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
    """[S] no partial match of the segment is dead before the tick exceeds this."""
    by_end: Flags
    """[S] whether the rows of the segment are sorted by `END`."""
    histogram: Ints
    """[S, states] how many partial matches are in each state."""
    meetings: Ints
    """[S] events that the segment has met."""
    touched: Ints
    """[S] the clock at the last of these events."""
    inside: Ints
    """[W] partial matches alive in each window; 0 once it has ended."""
    dying: Ints
    """[W] 1 + the partial matches killed at this tick, which live until it is over; 0: none was killed."""
    dying_in: Ints
    """[W] the windows with such kills; the counter `DYING` is their number."""
    closed: Ints
    """[Q] all windows of the pattern before this one have ended. Windows end in the order in which they open."""
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
    """The same partial matches, moved together, with room for twice as many and for `need` more."""
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


@inner
def move_row(state: States, body: Ints, to: int, r: int) -> None:
    """Moves a partial match to another place."""
    state[to] = state[r]
    for column in range(body.shape[1]):
        body[to, column] = body[r, column]


@inner
def reserve(
    state: States, body: Ints, begin: Ints, length: Ints, room: Ints, counter: Ints, g: int, wanted: int
) -> bool:
    """Gives a segment room for `wanted` partial matches; False if the arrays have no room."""
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

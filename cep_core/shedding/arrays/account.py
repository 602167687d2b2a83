"""The record of a run: arrays by event, by match, by pattern and by partial match."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cep_core.arrays import Ints
from cep_core.shedding.arrays.stream import Stream


class Account(NamedTuple):
    """n events, Q patterns, T steps. A node is a numbered partial match. Arrays by match or node have spare room."""

    latency: Ints
    """[n] time from arrival to the end of processing."""
    work: Ints
    """[n] time of processing alone."""
    shed_work: Ints
    """[n] time of choosing and dropping."""
    met: Ints
    """[n] partial matches met before anything was dropped."""
    held: Ints
    """[n] partial matches alive in the whole operator before anything was dropped."""
    candidates: Ints
    """[n] partial matches among which victims were chosen; 0 where none had to be dropped."""
    asked: Ints
    """[n] how many of them had to be dropped."""
    dropped: Ints
    """[n] partial matches dropped, or events left out of windows."""
    gone: Ints
    """[T] the same by state: of the partial match that was dropped, or that did not meet the event."""
    match_pattern: Ints
    match_event: Ints
    """The event that completes it."""
    match_key: Ints
    """A hash of pattern, window and binding; where each start has one match, only the first event of the binding."""
    moves: Ints
    """[T, states] observations: moves from each state to each other on meeting one event."""
    births: Ints
    """[T, states] new partial matches: by the state of the old one and of the new one, on meeting one event."""
    alive: Ints
    """[Q] the sum of the lifetimes of partial matches, in clock units."""
    started: Ints
    """[Q] partial matches that left the initial state."""
    parent: Ints
    """By node: the node that it came from; -1: none."""
    first_child: Ints
    last_child: Ints
    next_sibling: Ints
    worth: Ints
    """By node: the matches that it became or led to directly."""
    spent: Ints
    """By node: the cost of its own meetings."""
    born_at: Ints
    """By node: what the parent's meetings had cost when the node was born."""
    match_node: Ints
    """By match: the node that it came from."""
    match_spent: Ints
    """By match: what the meetings of that node had cost by then."""
    root: Ints
    """[W] the node with which each window opens."""


ROOM = 1024
"""Room for matches and nodes at the start."""


def empty_account(stream: Stream, *, recorded: bool) -> Account:
    """The account before the first event. `recorded`: number partial matches, so that a later run can look ahead."""
    patterns, steps = len(stream.start), int(stream.at[-1])
    states = int(np.diff(stream.at).max(initial=1)) + 1
    by_event = [np.zeros(stream.events, np.int64) for _ in range(8)]
    by_match = [np.zeros(ROOM, np.int64) for _ in range(3)]
    nodes = ROOM if recorded else 0
    links = [np.full(nodes, -1, np.int64) for _ in range(4)]
    columns = [
        *by_event,
        np.zeros(steps, np.int64),
        *by_match,
        np.zeros((steps, states), np.int64),
        np.zeros((steps, states), np.int64),
        np.zeros(patterns, np.int64),
        np.zeros(patterns, np.int64),
        *links,
        *[np.zeros(nodes, np.int64) for _ in range(3)],
        *[np.zeros(ROOM if recorded else 0, np.int64) for _ in range(2)],
        np.full(len(stream.window_end) if recorded else 0, -1, np.int64),
    ]
    return Account._make(columns)


def with_room_for(account: Account, matches: int, nodes: int) -> Account:
    """The same account, with room for twice that many matches and nodes."""
    if matches > len(account.match_key):
        account = account._replace(
            match_pattern=_longer(account.match_pattern, 2 * matches),
            match_event=_longer(account.match_event, 2 * matches),
            match_key=_longer(account.match_key, 2 * matches),
        )
        if len(account.match_node):
            account = account._replace(
                match_node=_longer(account.match_node, 2 * matches),
                match_spent=_longer(account.match_spent, 2 * matches),
            )
    if len(account.root) and nodes > len(account.parent):
        account = account._replace(
            parent=_longer(account.parent, 2 * nodes, -1),
            first_child=_longer(account.first_child, 2 * nodes, -1),
            last_child=_longer(account.last_child, 2 * nodes, -1),
            next_sibling=_longer(account.next_sibling, 2 * nodes, -1),
            worth=_longer(account.worth, 2 * nodes),
            spent=_longer(account.spent, 2 * nodes),
            born_at=_longer(account.born_at, 2 * nodes),
        )
    return account


def _longer(column: Ints, length: int, fill: int = 0) -> Ints:
    return np.concatenate([column, np.full(length - len(column), fill, np.int64)])

"""What a run leaves behind, by event, by match and by pattern."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cep_core.arrays import Ints
from cep_core.shedding.arrays.stream import Stream


class Account(NamedTuple):
    """n events, Q patterns, T steps; the matches and nodes so far, with room for more."""

    latency: Ints
    """[n] from arrival to the end of processing."""
    work: Ints
    """[n] processing alone."""
    shed_work: Ints
    """[n] choosing and dropping."""
    met: Ints
    """[n] partial matches met before anything was dropped."""
    held: Ints
    """[n] partial matches alive in the whole operator before anything was dropped."""
    candidates: Ints
    """[n] partial matches among which victims were chosen; 0 where none had to go."""
    asked: Ints
    """[n] how many of them had to go."""
    dropped: Ints
    """[n] partial matches dropped, or events left out of windows."""
    gone: Ints
    """[T] the same, by the state of the partial match that was dropped or did not meet the event."""
    match_pattern: Ints
    match_event: Ints
    """The event that completes it."""
    match_key: Ints
    """A hash of pattern, window and binding; of the binding only the first event where a start has one match."""
    moves: Ints
    """[T, states] observations: from each state to each other by meeting one event."""
    births: Ints
    """[T, states] partial matches of a state that sprang from one of another by meeting one event."""
    alive: Ints
    """[Q] clock units that partial matches lived, summed."""
    started: Ints
    """[Q] partial matches that left the initial state."""
    parent: Ints
    """By node, that is by numbered partial match: the one that it sprang from; -1: none."""
    first_child: Ints
    last_child: Ints
    next_sibling: Ints
    worth: Ints
    """By node: matches that it became or that sprang from it directly."""
    spent: Ints
    """By node: what its own meetings cost."""
    born_at: Ints
    """By node: what the meetings of the one that it sprang from had cost by then."""
    match_node: Ints
    """By match: the node that it came of."""
    match_spent: Ints
    """By match: what the meetings of that node had cost by then."""
    root: Ints
    """[W] the node with which each window opens."""


ROOM = 1024
"""Matches and nodes at first."""


def empty_account(stream: Stream, *, recorded: bool) -> Account:
    """Nothing processed yet; `recorded`: partial matches are numbered, so that a later run can look ahead."""
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
    """The same with room for so many matches and nodes, and as many again."""
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

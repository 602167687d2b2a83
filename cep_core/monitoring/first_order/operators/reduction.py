"""Semi-joins before anything is made of events: rows of atoms that no row of the other atoms can meet are left out.

An atom, alone or below ONCE and EVENTUALLY, gives events in the order of points, and each event holds for a run whose
ends are monotone in its point. So the events that may hold in a block of points are a range of rows. Block by block,
each atom is tested against a filter of the keys of an earlier atom, and then backwards (Yannakakis 1981, Bernstein and
Chiu 1981, here with filters instead of sets, so that a few rows too many stay). Blocks are as long as the runs, and
filters as large as what a block holds, so that they stay in the core's cache. O(rows) steps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from cep_core.arrays import Flags, Ints, read_only
from cep_core.language.temporal.interval import Interval
from cep_core.monitoring.first_order.arrays.relation import Relation, rows_of
from cep_core.monitoring.first_order.kernels.filters import (
    enter_range,
    enter_rows,
    entered_in_range,
    entered_of_rows,
    filter_for,
    flag,
    keys_of,
)
from cep_core.monitoring.first_order.operators.conjunction import shared_by
from cep_core.monitoring.first_order.operators.timeline import Timeline

FEWEST = 1 << 17
"""The rows of a block, all atoms together, if runs are short."""
FEWER = 4
"""How many times fewer the rows of a relation must be to make a filter of them."""


@dataclass(frozen=True)
class PlacedEvents:
    """The rows of an atom, and for how long each holds once the operators above it are applied.

    `earliest[points + 1]`, `latest[points + 1]`: an event at point p holds within [earliest[p], latest[p + 1]).
    """

    rows: Relation
    earliest: Ints
    latest: Ints

    def within(self, begin: int, end: int) -> tuple[int, int]:
        """The range of rows that may hold at some point of [begin, end)."""
        first = np.searchsorted(self.latest[1:], begin, "right")
        last = np.searchsorted(self.earliest[:-1], end, "left")
        low, high = np.searchsorted(self.rows.begin, [first, last], "left")
        return int(low), max(int(low), int(high))

    def later(self, interval: Interval, timeline: Timeline) -> PlacedEvents:
        """The events below a ONCE."""
        window = timeline.window(interval)
        return PlacedEvents(self.rows, window.earliest[self.earliest], window.latest[self.latest])

    def sooner(self, interval: Interval, timeline: Timeline) -> PlacedEvents:
        """The events below an EVENTUALLY."""
        window, points = timeline.reversed_time.window(interval), timeline.points
        begin, end = points - window.latest[::-1], points - window.earliest[::-1]
        return PlacedEvents(self.rows, begin[self.earliest], end[self.latest])


def events_of(rows: Relation, points: int) -> PlacedEvents:
    """The rows of an atom, each at its point."""
    return PlacedEvents(rows, np.arange(points + 1), np.arange(points + 1))


@dataclass(frozen=True)
class _Edge:
    """An atom and an earlier one that share variables, with the keys of their rows."""

    parent: int
    child: int
    parent_keys: Ints
    child_keys: Ints


def reduced(atoms: Sequence[PlacedEvents], points: int) -> list[Relation]:
    """The rows of each atom without those that cannot meet rows of all others that it is connected with."""
    trees = _trees(atoms)
    kept = [np.zeros(atom.rows.rows, np.bool_) for atom in atoms]
    connected = {number for edges in trees for edge in edges for number in (edge.parent, edge.child)}
    for number in range(len(atoms)):
        if number not in connected:
            kept[number][:] = True
    begin = 0
    while begin < points and trees:
        end, ranges = _block(atoms, begin, points)
        for edges in trees:
            _reduce_block(edges, ranges, kept)
        begin = end
    return [atom.rows.of_rows(np.flatnonzero(flags)) for atom, flags in zip(atoms, kept, strict=True)]


def meeting(rows: Relation, few: Relation) -> Relation:
    """The rows that may meet rows of a relation that is far smaller; all rows, if it is not.

    >>> p = Relation(("x",), (np.arange(99),), np.arange(99), np.arange(1, 100))
    >>> met = meeting(p, p.of_rows(slice(7, 8)))
    >>> 7 in met.columns[0], met.rows < 9, meeting(p, p).rows
    (True, True, 99)
    """
    key = shared_by(rows, few)
    if not key or FEWER * few.rows > rows.rows:
        return rows
    bits = filter_for(few.rows)
    size = (len(bits) << 6).bit_length() - 1
    enter_range(bits, size, _keys(few, key), 0, few.rows)
    return rows.of_rows(entered_in_range(bits, size, _keys(rows, key), 0, rows.rows))


def _trees(atoms: Sequence[PlacedEvents]) -> list[list[_Edge]]:
    """Spanning trees of the atoms that share variables: from few rows to many. Parents come before children.

    The parent of an atom is the latest that shares variables with it, since the fewest of its rows are left.
    """
    waiting = sorted(range(len(atoms)), key=lambda number: atoms[number].rows.rows)
    reached: list[int] = []
    trees: list[list[_Edge]] = []
    while waiting:
        pairs = [(parent, child) for child in waiting for parent in reversed(reached) if _key(atoms, parent, child)]
        if pairs:
            parent, child = pairs[0]
            key = _key(atoms, parent, child)
            trees[-1].append(_Edge(parent, child, _keys(atoms[parent].rows, key), _keys(atoms[child].rows, key)))
        else:
            child = waiting[0]
            trees.append([])
        waiting.remove(child)
        reached.append(child)
    return [edges for edges in trees if edges]


def _key(atoms: Sequence[PlacedEvents], first: int, second: int) -> tuple[str, ...]:
    return shared_by(atoms[first].rows, atoms[second].rows)


def _keys(rows: Relation, key: Sequence[str]) -> Ints:
    bits = rows_of(rows, key)
    return read_only(bits[:, 0] if len(key) == 1 else keys_of(bits))


def _block(atoms: Sequence[PlacedEvents], begin: int, points: int) -> tuple[int, list[tuple[int, int]]]:
    """The end of a block of points, and the range of rows of each atom that may hold there.

    Blocks grow until no more than half of their rows hold in a neighbouring block, too.
    """
    wanted = FEWEST
    starts = [int(np.searchsorted(atom.rows.begin, begin)) for atom in atoms]
    while True:
        end = points
        for atom, start in zip(atoms, starts, strict=True):
            if start + wanted < atom.rows.rows:
                end = min(end, max(int(atom.rows.begin[start + wanted]), begin + 1))
        ranges = [atom.within(begin, end) for atom in atoms]
        own = sum(int(np.searchsorted(a.rows.begin, end)) - s for a, s in zip(atoms, starts, strict=True))
        if end == points or sum(last - first for first, last in ranges) <= 2 * own:
            return end, ranges
        wanted *= 2


def _reduce_block(edges: Sequence[_Edge], ranges: Sequence[tuple[int, int]], kept: Sequence[Flags]) -> None:
    left: dict[int, Ints] = {}
    for edge in edges:
        first, last = ranges[edge.parent]
        parent = left.get(edge.parent)
        bits = filter_for(last - first if parent is None else len(parent))
        size = (len(bits) << 6).bit_length() - 1
        if parent is None:
            enter_range(bits, size, edge.parent_keys, first, last)
        else:
            enter_rows(bits, size, edge.parent_keys, parent)
        left[edge.child] = entered_in_range(bits, size, edge.child_keys, *ranges[edge.child])
        if not len(left[edge.child]):
            return
    for edge in reversed(edges):
        child = left[edge.child]
        bits = filter_for(len(child))
        size = (len(bits) << 6).bit_length() - 1
        enter_rows(bits, size, edge.child_keys, child)
        if edge.parent in left:
            left[edge.parent] = entered_of_rows(bits, size, edge.parent_keys, left[edge.parent])
        else:
            left[edge.parent] = entered_in_range(bits, size, edge.parent_keys, *ranges[edge.parent])
    for number, rows in left.items():
        flag(kept[number], rows)

"""Counts of whole numbers that lie close to each other: a table of counters, with a column for each number.

A number is counted in a place, e.g. an event type in an hour, which is of a kind, e.g. an event type. The table tells
how often each number occurs in each kind, and how many different ones occur in each place. Numbers that lie far apart
would need a large table for few numbers; such a table refuses them, and whoever counts must count them otherwise.

A place's counter is a byte, so that a processor's cache holds the counters of an hour. A byte that is full goes on from
1, and what it held is added to a counter of its kind: the byte of a number that occurs stays above 0.

Cost: a few nanoseconds a number; a copy of the table whenever it has grown by half. Memory: a byte for each place and 8
for each kind, times the range of the numbers; at most FOR_EACH bytes for each number that was counted, and not more
than the room that tables share.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from numba import njit

from cep_core.arrays import Ints

Bytes = npt.NDArray[np.uint8]

FOR_EACH = 64
"""The most bytes of a table for each number that was counted: beyond, the numbers count as far apart."""

MEMORY = 1 << 28
"""Bytes of all tables that are filled side by side."""

FULL = 255
"""The most that a byte counts."""

LEAST = int(np.iinfo(np.int64).min)


@dataclass
class Room:
    """Bytes that several tables may take together."""

    left: int = MEMORY


class CloseNumbers:
    """How often each number occurs in each kind, and in which places. Kinds and places are numbered from 0."""

    def __init__(self, room: Room) -> None:
        self._room = room
        self.clear()

    def add(self, numbers: Ints, places: Ints, kind_of: Ints) -> bool:
        """Count numbers; False: they lie too far apart, and none was counted.

        `places`: of each number; `kind_of`: by place, its kind (-1: its numbers do not count), for all places so far.

        >>> table, kinds = CloseNumbers(Room()), np.array([0, 0, -1])
        >>> table.add(np.array([7, 9, 7, 9]), np.array([0, 1, 1, 2]), kinds)
        True
        >>> [(kind, own.tolist(), counts.tolist()) for kind, own, counts in table.of_kinds(kinds)]
        [(0, [7, 9], [2, 1])]
        >>> table.different().tolist()
        [1, 2, 0]
        """
        if not len(numbers):
            return True
        kinds = int(kind_of.max(initial=-1)) + 1
        if not self._has_room(int(numbers.min()), int(numbers.max()), kinds, len(kind_of), len(numbers)):
            return False
        self._counted += len(numbers)
        _count(numbers, places, kind_of, self._low, self._few, self._many)
        return True

    def of_kinds(self, kind_of: Ints) -> Iterator[tuple[int, Ints, Ints]]:
        """(kind, the numbers that occur in it, ascending, how often each does)."""
        counts = self._many.copy()
        for place, kind in enumerate(kind_of[: len(self._few)].tolist()):
            # of a later kind nothing was counted, though there may be a spare row for a place
            if 0 <= kind < len(counts):
                counts[kind] += self._few[place]
        for kind, own in enumerate(counts):
            columns = np.flatnonzero(own)
            if len(columns):
                yield kind, columns + self._low, own[columns]

    def different(self) -> Ints:
        """[places] how many different numbers occur in each place; of later places, none were counted."""
        return np.count_nonzero(self._few, axis=1).astype(np.int64)

    def moved(self, kind_of: Ints) -> Iterator[tuple[int, Ints, Ints]]:
        """(place, the numbers that occur in it, counts); then the table is empty and its room is given back.

        The counts of all places together are those of the kinds. A place's own may be too small or too large.
        """
        for place, kind in enumerate(kind_of[: len(self._few)].tolist()):
            columns = np.flatnonzero(self._few[place])
            if len(columns):
                counts = self._many[kind, columns] + self._few[place, columns]
                self._many[kind, columns] = 0
                yield place, columns + self._low, counts
        self._room.left += self._bytes
        self.clear()

    def clear(self) -> None:
        """Begin with an empty table, which takes no room."""
        self._low = self._counted = 0
        self._few: Bytes = np.zeros((0, 0), np.uint8)
        self._many: Ints = np.zeros((0, 0), np.int64)

    @property
    def _bytes(self) -> int:
        return self._few.nbytes + self._many.nbytes

    def _has_room(self, low: int, high: int, kinds: int, places: int, more: int) -> bool:
        """Whether the table has a column for each number of a range and so many rows; it grows where it may."""
        known, width = self._few.shape
        first, end = (min(low, self._low), max(high + 1, self._low + width)) if width else (low, high + 1)
        kinds, places = max(kinds, len(self._many)), max(places, known)
        if (8 * kinds + places) * (end - first) > min(self._room.left + self._bytes, FOR_EACH * (self._counted + more)):
            return False
        if (end - first, kinds, places) != (width, len(self._many), known):
            self._grow(first, end, kinds, places)
        return True

    def _grow(self, first: int, end: int, kinds: int, places: int) -> None:
        """Copy the table to one with these columns and rows. Where it has grown before, it gets half as much again, if
        there is room: so columns and places that come one by one do not cost a copy each."""
        known, width = self._few.shape
        if width:
            spare = (end - first) // 2
            roomy = max(LEAST, first - spare * (first < self._low)), end + spare * (end > self._low + width)
            more = places + places // 2 * (places > known)
            if (8 * kinds + more) * (roomy[1] - roomy[0]) <= self._room.left + self._bytes:
                (first, end), places = roomy, more
        few, many = np.zeros((places, end - first), np.uint8), np.zeros((kinds, end - first), np.int64)
        shift = self._low - first
        if width:
            few[:known, shift : shift + width] = self._few
            many[: len(self._many), shift : shift + width] = self._many
        self._room.left -= few.nbytes + many.nbytes - self._bytes
        self._low, self._few, self._many = first, few, many


@njit(cache=True)
def _count(numbers: Ints, places: Ints, kind_of: Ints, low: int, few: Bytes, many: Ints) -> None:
    """Numbers without sign as indices: Numba need not ask whether they count from the end."""
    for row in range(numbers.shape[0]):
        place = np.uint64(places[row])
        kind = kind_of[place]
        if kind >= 0:
            column = np.uint64(numbers[row] - low)
            count = few[place, column]
            if count == FULL:
                many[np.uint64(kind), column] += FULL - 1
                few[place, column] = 2
            else:
                few[place, column] = count + 1

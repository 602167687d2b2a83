"""Bit columns over the points of all sub-logs, laid side by side: the layout that the whole-log kernels share.

A place is a point, or the empty point that closes a sub-log: sub-log s has the places [starts[s], starts[s + 1]), the
last of which is this empty point. Bit i of word w belongs to place 64 w + i. What a column says beyond the last place
means nothing.

`times` ascend over all places, so that a kernel may compare any two of them and be wrong in one direction only; within
a sub-log they are the stamps, from 0 on. The empty point comes later than every finite interval of the formula reaches.
If that does not fit into 64 bits, gaps that are longer than every interval are shortened. Memory: 8 bytes a place, and
a bit for each column. Cost: a few passes.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from cep_core.arrays import Bits, Flags, Ints
from cep_core.language.temporal.interval import Interval

WORD = 64
_LATEST = 2**63 - 1


@dataclass(frozen=True)
class PointColumns:
    """The layout of a trace; n places in w words."""

    starts: Ints
    """[sub-logs + 1] The first place of each sub-log, and n."""
    times: Ints
    """[64 w] The times of places; of those beyond n, that of the last place."""
    first: Bits
    """[w] The first place of each sub-log, and every place from n on."""
    last: Bits
    """[w] The last place of each sub-log: its empty point."""
    reach: int
    """No two points of a sub-log whose times differ by more than this are told apart by an interval."""
    points: Flags | None
    """[n] Which places are points; None: all but the last."""

    @cached_property
    def times_of_words(self) -> tuple[Ints, Ints, Ints]:
        """The times of all places, of the first place of each word, and of the last."""
        return self.times, self.times[::WORD].copy(), self.times[WORD - 1 :: WORD].copy()

    @property
    def places(self) -> int:
        return int(self.starts[-1])

    @property
    def words(self) -> int:
        return len(self.first)

    def packed(self, holds: Flags) -> Bits:
        """The column of [points] truth values; false at empty points."""
        flags = np.zeros(self.words * WORD, np.bool_)
        if self.points is None:
            flags[: len(holds)] = holds
        else:
            flags[: self.places][self.points] = holds
        return packed(flags)

    def flags(self, column: Bits) -> Flags:
        """The truth values at the points."""
        at_places = self.at_places(column)
        return at_places[:-1] if self.points is None else at_places[self.points]

    def at_places(self, column: Bits) -> Flags:
        """[places] The truth values of a column."""
        return unpacked(column)[: self.places]

    def column(self, at_places: Flags) -> Bits:
        """The column of [places] truth values."""
        flags = np.zeros(self.words * WORD, np.bool_)
        flags[: self.places] = at_places
        return packed(flags)

    def bounds(self, interval: Interval) -> tuple[int, int]:
        """The least and the greatest difference of times in an interval; the empty point is beyond finite intervals."""
        high = _LATEST if interval.high is None else min(interval.high, self.reach)
        return min(interval.low, self.reach + 1), high


def packed(flags: Flags) -> Bits:
    """A word for 64 flags, the first in the lowest bit.

    >>> flags = np.arange(64) % 32 == 1
    >>> hex(packed(flags)[0])
    '0x200000002'
    """
    return np.packbits(flags, bitorder="little").view("<u8")


def unpacked(column: Bits) -> Flags:
    """The flags of a column: 64 for each word."""
    return np.unpackbits(column.view(np.uint8), bitorder="little").view(np.bool_)

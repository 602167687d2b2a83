"""Bit columns over the points of all sub-logs, laid side by side: the layout that the whole-log kernels share.

A place is a point, or the empty point that closes a sub-log: sub-log s has the places [starts[s], starts[s + 1]), the
last of which is this empty point. Only intervals without end reach it: without one in a formula, each place is a point.
Bit i of word w belongs to place 64 w + i. What a column says beyond the last place
means nothing.

Times ascend over all places, so that a kernel may compare any two of them and be wrong in one direction only; within a
sub-log they are the stamps, from 0 on. The empty point comes later than every finite interval of the formula reaches,
and gaps that are longer than every interval are shortened. Memory: 4 bytes a place, and a bit for each column; 12 bytes
more where the times themselves are asked for. Cost: one pass.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from cep_core.arrays import Bits, Flags, Ints
from cep_core.language.temporal.interval import Interval

WORD = 64
WIDEST = 2**31 - 1
"""The largest offset in a word."""
_LATEST = 2**63 - 1


class WordTimes(NamedTuple):
    """The times of places, word by word."""

    begins: Ints
    """[w] The time of the first place of each word."""
    ends: Ints
    """[w] And of the last."""
    offsets: npt.NDArray[np.uint32]
    """[64 w] The time of each place since the first of its word, at most `WIDEST`; beyond n, that of place n - 1."""
    exact: Ints
    """[64 w] The times themselves if a word is longer than `WIDEST`, else [0]."""


@dataclass(frozen=True)
class PointColumns:
    """The layout of a trace; n places in w words."""

    starts: Ints
    """[sub-logs + 1] The first place of each sub-log, and n."""
    of_words: WordTimes
    first: Bits
    """[w] The first place of each sub-log, and every place from n on."""
    last: Bits
    """[w] The last place of each sub-log."""
    reach: int
    """No two points of a sub-log whose times differ by more than this are told apart by an interval."""
    points: Flags | None
    """[n] Which places are points; None: the first ones."""
    count: int
    """How many places are points."""

    @cached_property
    def times(self) -> Ints:
        """[64 w] The times of places; of those beyond n, that of the last place."""
        begins, _, offsets, exact = self.of_words
        return exact if len(exact) else (offsets.reshape(-1, WORD) + begins[:, np.newaxis]).ravel()

    @property
    def places(self) -> int:
        return int(self.starts[-1])

    @property
    def words(self) -> int:
        return len(self.first)

    def packed(self, holds: Flags) -> Bits:
        """The column of [points] truth values; false at empty points."""
        if self.points is None:
            return self.column(holds)
        flags = np.zeros(self.places, np.bool_)
        flags[self.points] = holds
        return self.column(flags)

    def flags(self, column: Bits) -> Flags:
        """The truth values at the points."""
        at_places = self.at_places(column)
        return at_places[: self.count] if self.points is None else at_places[self.points]

    def at_places(self, column: Bits) -> Flags:
        """[places] The truth values of a column."""
        return unpacked(column)[: self.places]

    def column(self, at_places: Flags) -> Bits:
        """The column of [at most 64 w] truth values of the first places; the rest is false."""
        column = np.zeros(self.words, np.uint64)
        octets = np.packbits(at_places, bitorder="little")
        column.view(np.uint8)[: len(octets)] = octets
        return column

    def bounds(self, interval: Interval) -> tuple[int, int]:
        """The least and the greatest difference of times in an interval; the empty point is beyond finite intervals."""
        high = _LATEST if interval.high is None else min(interval.high, self.reach)
        return min(interval.low, self.reach + 1), high


def unpacked(column: Bits) -> Flags:
    """The flags of a column: 64 for each word."""
    return np.unpackbits(column.view(np.uint8), bitorder="little").view(np.bool_)

"""Which variables each event may be bound to, as bits: variables with equal conditions share a bit, a byte has eight.

A mask of one byte an event takes the place of one for each variable: it is taken, tested and moved once. Where a
variable's own mask is asked for, it is made of its bit, once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, reduce

import numpy as np
from numba import njit

from cep_core.arrays import Bits, Flags, Ints, read_only
from cep_core.candidates.marked_rows import Bytes, marked, marked_rows


class Roles(Mapping[str, Flags]):
    """[n] for each variable, whether the event may be bound to it.

    >>> roles = Roles([np.array([3, 2], np.uint8)], {"a": 0, "b": 1, "c": 0})
    >>> roles["c"].tolist(), roles.at(np.array([1]))["b"].tolist()
    ([True, False], [True])
    """

    def __init__(self, columns: Sequence[Bytes], bits: Mapping[str, int]) -> None:
        self.bytes = columns
        """For each eight bits, [n] the byte."""
        self.bits = bits
        """The number of each variable's bit."""
        self._masks: dict[int, Flags] = {}

    def __getitem__(self, variable: str) -> Flags:
        bit = self.bits[variable]
        if bit not in self._masks:
            self._masks[bit] = (self.bytes[bit >> 3] & np.uint8(1 << (bit & 7))) != 0
        return self._masks[bit]

    def into(self, variable: str, flags: Flags) -> None:
        """Writes the mask of a variable, which is not kept here."""
        bit = self.bits[variable]
        np.not_equal(self.bytes[bit >> 3] & np.uint8(1 << (bit & 7)), 0, out=flags)

    def __iter__(self) -> Iterator[str]:
        return iter(self.bits)

    def __len__(self) -> int:
        return len(self.bits)

    def marked(self) -> tuple[Ints | None, Roles]:
        """The rows of the events that may be bound to some variable, ascending, and their roles. None: all rows."""
        if len(self.bytes) == 1:
            rows, own = marked(self.bytes[0])
            return rows, Roles([own], self.bits)
        rows = marked_rows(reduce(np.logical_or, [column != 0 for column in self.bytes]))
        return (None, self) if len(rows) == len(self.bytes[0]) else (rows, self.at(rows))

    def at(self, rows: Ints) -> Roles:
        """The roles of the events at these rows."""
        return Roles([column[rows] for column in self.bytes], self.bits)

    def among(self, chosen: Flags) -> Roles:
        """The roles of the chosen events, each of which has a role, if only one of no variable; others have none."""
        columns = [column * chosen.view(np.uint8) for column in self.bytes]
        bit = max(self.bits.values()) + 1
        mark = chosen.view(np.uint8) << np.uint8(bit & 7)
        return Roles([*columns[:-1], columns[-1] | mark] if bit & 7 else [*columns, mark], self.bits)

    def states(self, variables: Iterable[str]) -> Bits:
        """[n] the states that an event may bind, as bits: state s binds the s-th of the variables.

        >>> Roles([np.array([3, 2], np.uint8)], {"a": 0, "b": 1}).states(["b", "a"])
        array([3, 1], dtype=uint64)
        """
        wanted = [self.bits[name] for name in variables]
        if len(self.bytes) == 1:
            return _looked_up(_words(tuple(wanted)), read_only(self.bytes[0]))
        words: Bits | None = None
        for first in range(0, len(wanted), 8):
            byte = np.zeros(len(self.bytes[0]), dtype=np.uint8)
            for state, bit in enumerate(wanted[first : first + 8]):
                byte |= (self.bytes[bit >> 3] >> np.uint8(bit & 7) & np.uint8(1)) << np.uint8(state)
            wide = byte.astype(np.uint64)
            words = wide if words is None else words | wide << np.uint64(first)
        return np.zeros(len(self.bytes[0]), np.uint64) if words is None else words


def clear_outside(column: Bytes, bit: int, numbers: Ints, least: int, most: int) -> None:
    """Clears a bit of the events whose number is not between these two. `numbers` is read-only.

    >>> column = np.array([3, 3, 1], np.uint8)
    >>> clear_outside(column, 1, read_only(np.array([4, 9, 4])), 5, 10)
    >>> column.tolist()
    [1, 3, 1]
    """
    _clear_outside(column, np.uint8(1 << bit), numbers, np.int64(least), np.int64(most))


@njit(cache=True)
def _clear_outside(column: Bytes, mark: np.uint8, numbers: Ints, least: int, most: int) -> None:
    others = np.uint8(~mark)
    for row in range(column.shape[0]):
        passes = (numbers[row] >= least) & (numbers[row] <= most)
        column[row] &= others | (np.uint8(0) - np.uint8(passes))


@lru_cache(maxsize=256)
def _words(wanted: tuple[int, ...]) -> Bits:
    """[256] for each byte of roles, the states: state s is bound if the byte has the bit wanted[s]."""
    every = np.arange(256, dtype=np.uint64)
    words = np.zeros(256, np.uint64)
    for state, bit in enumerate(wanted):
        words |= (every >> np.uint64(bit) & np.uint64(1)) << np.uint64(state)
    return words


@njit(cache=True)
def _looked_up(words: Bits, bytes: Bytes) -> Bits:
    """[n] the word of each byte. NumPy makes places of the bytes first. `bytes` is read-only."""
    found = np.empty(bytes.shape[0], np.uint64)
    for row in range(bytes.shape[0]):
        found[row] = words[bytes[row]]
    return found

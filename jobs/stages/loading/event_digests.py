"""What a day's events are, in a text that no order of rows and no order of columns changes.

An event's number mixes 64 bits of each value that it has with its column's name; a column without values adds nothing.
A day's digest tells the count, the exclusive or and the sum of its events' numbers. `run_id` is not part of it. Parts
of a day are counted apart and added up. Cost: linear; texts are hashed once for each text of a column.
"""

from __future__ import annotations

import hashlib
from datetime import date
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cep_core.arrays import Bits

LEFT_OUT = ("day", "run_id")
"""Columns that are no part of an event's number."""

AT_ONCE = 1 << 14
"""Numbers that are stirred together: they stay near the processor."""


class DigestPart(NamedTuple):
    """A part of a day's events: their number, the exclusive or and the sum (modulo 2^64) of their numbers."""

    events: int
    parity: int
    sum: int

    def __add__(self, other: object) -> DigestPart:
        assert isinstance(other, DigestPart)
        total = (self.sum + other.sum) % (1 << 64)
        return DigestPart(self.events + other.events, self.parity ^ other.parity, total)

    def __str__(self) -> str:
        return f"{self.events}-{self.parity:016x}-{self.sum:016x}"


NO_EVENTS = DigestPart(0, 0, 0)


def digest_parts(events: pa.Table) -> dict[date, DigestPart]:
    """The digest of the events of each day.

    >>> first, second = ({"day": [date(2024, 1, 1)], "ts": [ts], "kwh": [None]} for ts in (1, 2))
    >>> parts = [digest_parts(pa.table(of_rows))[date(2024, 1, 1)] for of_rows in (first, second)]
    >>> both = pa.table({"ts": [2, 1], "day": [date(2024, 1, 1)] * 2})
    >>> str(parts[0] + parts[1]) == str(digest_parts(both)[date(2024, 1, 1)])
    True
    """
    numbers = _numbers_of(events)
    coded = events["day"].combine_chunks().dictionary_encode()
    places = coded.indices.to_numpy()
    parts = {}
    for place, day in enumerate(coded.dictionary.to_pylist()):
        parts[day] = _part_of(numbers[places == place])
    return parts


def digest_of(events: pa.Table) -> DigestPart:
    """The digest of some events of one day."""
    return _part_of(_numbers_of(events))


def _part_of(numbers: Bits) -> DigestPart:
    parity, total = np.bitwise_xor.reduce(numbers), np.add.reduce(numbers)
    return DigestPart(len(numbers), int(parity), int(total))


def _numbers_of(events: pa.Table) -> Bits:
    return event_numbers(events.drop_columns([name for name in LEFT_OUT if name in events.column_names]))


def event_numbers(events: pa.Table) -> Bits:
    """[events] 64 bits that depend on each event's values and on the names of their columns."""
    numbers = np.zeros(events.num_rows, np.uint64)
    for name in events.column_names:
        column = events[name].combine_chunks()
        if column.null_count < len(column):
            own = _numbers_in(column, _number_of(name.encode()))
            if column.null_count:
                own[column.is_null().to_numpy(zero_copy_only=False)] = 0
            numbers += own
    return _stirred(numbers)


def _numbers_in(column: pa.Array, name: np.uint64) -> Bits:
    """A number of each value of a column; of a null, any."""
    if not pa.types.is_string(column.type):
        return _stirred(_bits_of(column) ^ name)
    coded = column.dictionary_encode()
    words = np.array([*map(_number_of, map(str.encode, coded.dictionary.to_pylist())), 0], np.uint64)
    return _stirred(words ^ name)[coded.indices.fill_null(len(words) - 1).to_numpy()]


def _bits_of(column: pa.Array) -> Bits:
    """64 bits of each number or truth; of a null, any."""
    if pa.types.is_floating(column.type):
        return column.cast(pa.float64()).fill_null(0.0).to_numpy().view(np.uint64)
    if pa.types.is_boolean(column.type):
        column = column.cast(pa.int8())
    return pc.fill_null(column.cast(pa.int64()), 0).to_numpy().view(np.uint64)


def _number_of(text: bytes) -> np.uint64:
    return np.uint64(int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "little"))


def _stirred(bits: Bits) -> Bits:
    """Each bit of the result depends on all bits (the finalizer of SplitMix64, Steele et al. 2014)."""
    stirred = bits.copy()
    for begin in range(0, len(bits), AT_ONCE):
        part = stirred[begin : begin + AT_ONCE]
        part ^= part >> np.uint64(30)
        part *= np.uint64(0xBF58476D1CE4E5B9)
        part ^= part >> np.uint64(27)
        part *= np.uint64(0x94D049BB133111EB)
        part ^= part >> np.uint64(31)
    return stirred

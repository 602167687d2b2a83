"""Truths in the order of the points, while a log is read: each as soon as it and all before it are known.

What is told of a point that waits is kept, and so are the points that it waits for: memory grows with the points from
the first one that is open to the last one that was read. Cost: O(1) a point, amortised, and a search a verdict.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from cep_core.arrays import Ints
from cep_core.monitoring.propositional.stream.kernels.resolving import FREE, first_open, resolve
from cep_core.monitoring.propositional.stream.kernels.state import EQUAL, TRUE, Told
from cep_core.monitoring.propositional.stream.verdicts import RESOLVED

_FEWEST = 4096
"""Points that are kept before any are dropped."""


class TruthsInOrder:
    """Takes points and what is told at them; gives the decided ones.

    >>> row, none = np.array([1]), np.zeros(0, np.int64)
    >>> equal = Told(5 * row, row, np.array([EQUAL], np.int8), 5 * row, 0 * row, none)
    >>> in_order = TruthsInOrder()
    >>> in_order.take(np.array([5, 5]), equal).num_rows
    0
    >>> in_order.take(7 * row, Told(5 * row, 0 * row, np.array([TRUE], np.int8), row, row, none)).to_pylist()[1]
    {'tp': 1, 'ts': 5, 'offset': 1, 'verdict': True}
    """

    def __init__(self) -> None:
        self._begin = self._end = 0  # the points that wait
        self._dropped = 0
        self._stamps, self._offsets, self._equal = (np.zeros(0, np.int64) for _ in range(3))
        self._truths = np.zeros(0, np.int8)

    def take(self, stamps: Ints, verdicts: Told) -> pa.RecordBatch:
        """The next points, and what they bring: the truths that no open point stands before."""
        self._drop()
        if len(stamps):
            self._append(stamps)
        self._note(verdicts)
        end = first_open(self._truths, self._equal, self._begin, self._end)
        places = np.arange(self._begin, end)
        self._begin = end
        return self._batch(places)

    def rest(self) -> pa.RecordBatch:
        """The truths behind points that stay open."""
        resolve(self._truths[: self._end], self._equal[: self._end])
        return self._batch(self._begin + np.flatnonzero(self._truths[self._begin : self._end] != FREE))

    def _append(self, stamps: Ints) -> None:
        begin, end = self._end, self._end + len(stamps)
        if end > len(self._stamps):
            room = max(2 * len(self._stamps), end)
            self._stamps, self._offsets, self._equal = (
                np.append(column[:begin], np.zeros(room - begin, np.int64))
                for column in (self._stamps, self._offsets, self._equal)
            )
            self._truths = np.append(self._truths[:begin], np.zeros(room - begin, np.int8))
        goes_on = begin > 0 and self._stamps[begin - 1] == stamps[0]
        here = np.arange(len(stamps))
        first = np.where(
            np.diff(stamps, prepend=stamps[:1]) != 0, here, -1 - self._offsets[begin - 1] if goes_on else 0
        )
        self._stamps[begin:end] = stamps
        self._offsets[begin:end] = here - np.maximum.accumulate(first)
        self._equal[begin:end] = np.arange(begin, end)
        self._truths[begin:end] = FREE
        self._end = end

    def _note(self, verdicts: Told) -> None:
        is_equal = verdicts.code == EQUAL
        here = self._places(verdicts.ts, verdicts.offset)
        self._truths[here[~is_equal]] = verdicts.code[~is_equal]
        self._equal[here[is_equal]] = self._places(verdicts.equal_ts[is_equal], verdicts.equal_offset[is_equal])

    def _places(self, ts: Ints, offset: Ints) -> Ints:
        first = np.searchsorted(self._stamps[: self._end], ts)
        return first + offset - self._offsets[first]

    def _batch(self, places: Ints) -> pa.RecordBatch:
        columns = (self._dropped + places, self._stamps[places], self._offsets[places], self._truths[places] == TRUE)
        return pa.RecordBatch.from_arrays([pa.array(column) for column in columns], schema=RESOLVED)

    def _drop(self) -> None:
        """Drops points that were given, if they are most of all; but for the last one, whose stamp may go on."""
        gone = self._begin - 1
        if gone < _FEWEST or 2 * gone < self._end:
            return
        waiting = slice(self._begin, self._end)
        equal = self._equal[waiting]
        known = equal < self._begin
        self._truths[waiting][known] = self._truths[equal[known]]
        own = np.arange(self._begin, self._end)
        self._equal[waiting] = np.where(known, own, equal)
        kept = slice(gone, self._end)
        count = self._end - gone
        for column in (self._stamps, self._offsets, self._truths):
            column[:count] = column[kept].copy()
        self._equal[:count] = self._equal[kept] - gone
        self._equal[0] = 0
        self._begin, self._end, self._dropped = 1, count, self._dropped + gone

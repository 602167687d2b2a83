"""Stores matches as flat buffers, and sorts their events into one column for each variable.

A kernel writes matches as paths: the (row, state) pairs of all matches one after another. A result has one column for
each variable. Sorting takes two passes, linear in the events of the matches. Each buffer is allocated once, because the
first pass counts its exact size.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from numba import njit

from cep_core.arrays import Flags, Ints


class BatchSize(NamedTuple):
    """How much is listed at a time: at most so many rows, with so many events; of compact rows, so many nodes."""

    rows: int
    events: int
    nodes: int

    @staticmethod
    def beside(candidates: int) -> BatchSize:
        """Less where there are few candidates, so that a batch takes little memory beside their arrays.

        A row takes some 250 bytes until it is written, a node 130.

        >>> BatchSize.beside(1_000), BatchSize.beside(50_000)
        (BatchSize(rows=2048, events=65536, nodes=4096), BatchSize(rows=6250, events=200000, nodes=12500))
        >>> BatchSize.beside(1_000_000) == LARGEST
        True
        """
        rows = min(max(candidates // 8, LARGEST.rows // 8), LARGEST.rows)
        nodes = min(max(candidates // 4, LARGEST.nodes // 12), LARGEST.nodes)
        return BatchSize(rows, LARGEST.events // LARGEST.rows * rows, nodes)


LARGEST = BatchSize(rows=1 << 14, events=1 << 19, nodes=3 << 14)
"""Some megabytes, which stay near the processor."""


@dataclass(frozen=True)
class Paths:
    """n matches. Match k has `rows` and `states` at offsets[k]:offsets[k+1]; `jobs[k]` is its question's number."""

    rows: Ints
    states: Ints
    offsets: Ints
    jobs: Ints

    def __len__(self) -> int:
        return len(self.jobs)

    def take(self, wanted: Ints) -> Paths:
        """The matches with these numbers, in the order of the numbers."""
        lengths = np.diff(self.offsets)[wanted]
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        places = np.repeat(self.offsets[wanted] - offsets[:-1], lengths) + np.arange(offsets[-1])
        return Paths(self.rows[places], self.states[places], offsets, self.jobs[wanted])

    @staticmethod
    def join(pieces: Sequence[Paths]) -> Paths:
        """The matches of all pieces, one after another."""
        empty = np.empty(0, np.int64)
        lengths = [np.diff(piece.offsets) for piece in pieces]
        return Paths(
            np.concatenate([empty, *(piece.rows for piece in pieces)]),
            np.concatenate([empty, *(piece.states for piece in pieces)]),
            np.concatenate([[0], np.cumsum(np.concatenate([empty, *lengths]))]),
            np.concatenate([empty, *(piece.jobs for piece in pieces)]),
        )

    @property
    def first_rows(self) -> Ints:
        return self.rows[self.offsets[:-1]]

    @property
    def last_rows(self) -> Ints:
        return self.rows[self.offsets[1:] - 1]


def same_bindings(paths: Paths, variable_of: Ints) -> Ints:
    """Equal numbers for matches that bind the same events to the same variables: 0.. in order of first occurrence.

    >>> some = Paths(np.array([0, 1, 0, 1]), np.array([0, 1, 2, 3]), np.array([0, 2, 4]), np.array([0, 1]))
    >>> same_bindings(some, np.array([0, 1, 0, 1])).tolist()
    [0, 0]
    """
    pairs = np.stack([paths.rows, variable_of[paths.states]], axis=1)
    offsets = pa.py_buffer(pairs.itemsize * 2 * paths.offsets)
    keys = pa.LargeBinaryArray.from_buffers(pa.large_binary(), len(paths), [None, offsets, pa.py_buffer(pairs)])
    numbers: Ints = keys.dictionary_encode().indices.to_numpy().astype(np.int64)
    return numbers


def batches(lengths: npt.NDArray[np.signedinteger[Any]], size: BatchSize = LARGEST) -> Iterator[tuple[int, int]]:
    """Ranges of matches that keep each batch within a size, where possible."""
    ends = np.cumsum(lengths)
    begin = 0
    while begin < len(lengths):
        before = ends[begin - 1] if begin else 0
        end = int(np.searchsorted(ends, before + size.events, side="right"))
        end = min(max(end, begin + 1), begin + size.rows, len(lengths))
        yield begin, end
        begin = end


@dataclass(frozen=True)
class Bound:
    """The events of one variable in n matches: match k has rows[offsets[k]:offsets[k+1]]."""

    offsets: Ints
    rows: Ints
    one_each: bool = False
    """Whether every match is known to have one event."""

    @property
    def lengths(self) -> Ints:
        return np.diff(self.offsets)

    @property
    def present(self) -> Flags:
        return self.lengths > 0


@njit(cache=True)
def _lengths(states: Ints, offsets: Ints, variable_of: Ints, lengths: Ints) -> None:
    for k in range(offsets.shape[0] - 1):
        for p in range(offsets[k], offsets[k + 1]):
            lengths[variable_of[states[p]], k + 1] += 1


@njit(cache=True)
def _fill(rows: Ints, states: Ints, offsets: Ints, variable_of: Ints, begin: Ints, sorted_rows: Ints) -> None:
    for k in range(offsets.shape[0] - 1):
        for p in range(offsets[k], offsets[k + 1]):
            variable = variable_of[states[p]]
            sorted_rows[begin[variable, k]] = rows[p]
            begin[variable, k] += 1


def events_by_variable(paths: Paths, variable_of: Ints, variables: int) -> list[Bound]:
    """The events of each of V variables in every match; `variable_of` maps states to 0..V-1."""
    lengths = np.zeros((variables, len(paths) + 1), np.int64)
    _lengths(paths.states, paths.offsets, variable_of, lengths)
    offsets = np.cumsum(lengths, axis=1)
    base = np.concatenate([[0], np.cumsum(offsets[:, -1])])
    begin = offsets[:, :-1] + base[:-1, None]
    sorted_rows = np.empty(base[-1], np.int64)
    _fill(paths.rows, paths.states, paths.offsets, variable_of, begin, sorted_rows)
    return [Bound(offsets[v], sorted_rows[base[v] : base[v + 1]]) for v in range(variables)]


def one_event_each(paths: Paths, variables: int) -> list[Bound] | None:
    """As `events_by_variable` for matches with one event of each variable, which is its state, in the states' order.

    None if some are not so: runs still grow, and among imprecise events a later state may have an earlier row.

    >>> some = Paths(np.array([3, 5, 3, 6]), np.array([0, 1, 0, 1]), np.array([0, 2, 4]), np.array([0, 1]))
    >>> [bound.rows.tolist() for bound in one_event_each(some, 2)]
    [[3, 3], [5, 6]]
    >>> one_event_each(Paths(np.array([3, 5]), np.array([1, 0]), np.array([0, 2]), np.array([0])), 2) is None
    True
    """
    if len(paths.rows) != variables * len(paths):
        return None
    if not (paths.states.reshape(-1, variables) == np.arange(variables)).all():
        return None
    offsets = np.arange(len(paths) + 1)
    columns = np.ascontiguousarray(paths.rows.reshape(-1, variables).T)
    return [Bound(offsets, rows, one_each=True) for rows in columns]

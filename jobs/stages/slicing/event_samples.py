"""Samples of a log: every n-th event of some days, in the log's order. The same log gives the same sample.

A sample is read once, whoever asks for it: the comparison of strategies, and the plans for other numbers of workers.
Cost: a read of the columns by which atoms slice, for each set of days. Memory: the events of all samples, and a piece
of the log.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date
from pathlib import Path

import numpy as np
import pyarrow as pa

from cep_core.language.evaluator import Atom
from jobs.lake.dataset import FEW_TEXTS, read_pieces
from jobs.stages.slicing.event_pieces import event_pieces

Days = tuple[date, ...]


class EventSamples:
    """Samples with the columns by which any of the atoms slices. `events`: the folder of the table of events."""

    def __init__(self, events: Path, atoms: Iterable[Atom]) -> None:
        self._events = events
        self._columns = slicing_columns(atoms)
        self._samples: dict[tuple[Days, int], pa.Table] = {}
        self._totals: dict[Days, int] = {}

    def of(self, days: Days, every: int) -> pa.Table:
        """One of every few events of these days."""
        if (days, every) not in self._samples:
            self._read(days, every)
        return self._samples[days, every]

    def total(self, days: Days, every: int) -> int:
        """How many events these days have. They are counted while the sample is read."""
        if days not in self._totals:
            self._read(days, every)
        return self._totals[days]

    def _read(self, days: Days, every: int) -> None:
        sampled: list[pa.Table] = []
        before = 0
        for piece in event_pieces(self._events, self._columns, days):
            sampled.append(piece.take(pa.array(np.arange(-before % every, piece.num_rows, every))))
            before += piece.num_rows
        if not sampled:
            sampled = list(read_pieces(self._events, self._columns, days, FEW_TEXTS))
        self._samples[days, every] = pa.concat_tables(sampled).combine_chunks()
        self._totals[days] = before


def slicing_columns(atoms: Iterable[Atom]) -> Sequence[str]:
    """The columns that slice events by these atoms.

    >>> slicing_columns([Atom("A", (("k", "x"),), (("db", 1),)), Atom("B", (("k", "y"),))])
    ['event_type', 'ts', 'seq', 'db', 'k']
    """
    return ["event_type", "ts", "seq", *sorted({a for atom in atoms for a, _ in (*atom.variables, *atom.constants)})]

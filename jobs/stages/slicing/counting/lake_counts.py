"""Counts for the planner of the events in the lake, made in this process, piece by piece and without Spark.

The same numbers as `event_counts` in the same order, the most frequent value first. Cost: one pass over the attributes
that bind a variable, for each set of days: it counts for all plans that were announced. Of very many events one in a
few may be counted (`event_samples.py`). Memory: tables of counters of at most 256 MB (`relation_values.py`), and
different values up to a number, beyond which they are counted in files (`spilled_sums.py`); the stamps of many events
are mapped from a file.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import reduce
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from cep_core.language.evaluator import Atom
from cep_core.slicing import Frequencies, Statistics
from cep_core.slicing.atom_rows import AtomRows
from cep_core.slicing.statistics import counted_places
from jobs.lake.dataset import FEW_TEXTS, read_pieces, rows_of_days
from jobs.stages.slicing.counting.event_counts import LISTED, Days
from jobs.stages.slicing.counting.relation_values import relation_values
from jobs.stages.slicing.counting.signatures import Signatures
from jobs.stages.slicing.event_samples import EventSamples
from jobs.stages.slicing.stamps import ascending_stamps
from jobs.workload.declaration import Workload

KEPT = 2_000_000
"""The most events of a set of days whose stamps stay in memory."""


class LakeCounts:
    """Counts of the events of sets of days. `every`: of how many events one counts; `samples`: with all columns by
    which the atoms slice, if others ask for them, too."""

    def __init__(
        self,
        workload: Workload,
        lake: Path,
        atoms: Iterable[Atom],
        every: int = 1,
        samples: EventSamples | None = None,
    ) -> None:
        atoms = tuple(atoms)
        self._workload, self._every = workload, every
        self._folder = lake / workload.name / "events"
        self._samples = samples or EventSamples(self._folder, atoms)
        named = {name for atom in atoms for name, _ in (*atom.variables, *atom.constants)}
        self._columns = ["event_type", *sorted(named)]
        self._wanted: dict[Days, dict[Atom, None]] = {}
        self._signatures: dict[Days, Signatures] = {}
        self._frequencies: dict[Days, dict[tuple[Atom, str], Frequencies]] = {}
        self._totals: dict[Days, int] = {}
        self._stamps: dict[Days, npt.NDArray[np.int64]] = {}

    def count(self, spans: Iterable[tuple[Days, Sequence[Atom]]]) -> None:
        """Announce sets of days, each with atoms: what is asked of it first is counted for all of them."""
        for days, atoms in spans:
            self._wanted.setdefault(days, {}).update(dict.fromkeys(atoms))

    def statistics(self, days: Days, atoms: Sequence[Atom]) -> Statistics:
        """The statistics of these days' events that the planner needs for plans over these atoms."""
        if days not in self._signatures or not self._signatures[days].covers(atoms):
            self.count([(days, atoms)])
            self._count(days)
        span = len(days) * self._workload.operating_days.length
        return self._signatures[days].statistics(atoms, self._frequencies[days], span)

    def stamps(self, days: Days) -> npt.NDArray[np.int64]:
        """The ascending time-stamps of all events of these days."""
        if days not in self._stamps:
            self._stamps[days] = ascending_stamps(self._folder, days)
        return self._stamps[days]

    def total(self, days: Days) -> int:
        """How many events these days have."""
        if days not in self._totals:
            self._count(days)
        return self._totals[days]

    def _count(self, days: Days) -> None:
        """Count the events of these days for all atoms that were announced."""
        atoms = tuple(self._wanted.get(days, ()))
        signatures = Signatures.over(atoms)
        values = relation_values(counted_places(atoms))
        for piece in self._pieces(days):
            matches = AtomRows(piece)
            signatures.add(matches)
            for own in values:
                own.add(matches)
        self._signatures[days] = signatures
        self._frequencies[days] = {
            (relation, own.attribute): reduce(_sum, map(_listed, parts))
            for own in values
            for relation, parts in own.frequencies()
        }

    def _pieces(self, days: Days) -> Iterator[pa.Table]:
        """The events of these days that count, at least one piece. The stamps of few are kept, those of many not read:
        most plans need none of them."""
        if self._every > 1:
            self._totals[days] = self._samples.total(days, self._every)
            yield self._samples.of(days, self._every)
            return
        expected = rows_of_days(self._folder, days)
        keeps = expected is None or expected <= KEPT
        columns = [*self._columns, "ts"] if keeps else self._columns
        stamps: list[npt.NDArray[np.int64]] = []
        events = 0
        for piece in read_pieces(self._folder, columns, days, FEW_TEXTS):
            events += piece.num_rows
            keeps = keeps and events <= KEPT
            if keeps:
                stamps.append(piece["ts"].to_numpy())
            yield piece
        self._totals[days] = events
        if keeps:
            self._stamps[days] = np.sort(np.concatenate(stamps))


def _listed(frequencies: Frequencies) -> Frequencies:
    """The most frequent of different values."""
    return most_frequent(frequencies, LISTED)


def _sum(first: Frequencies, second: Frequencies) -> Frequencies:
    """The most frequent values of two sets of values that have none in common."""
    return most_frequent(first + second, LISTED)


def most_frequent(frequencies: Frequencies, listed: int) -> Frequencies:
    """The most frequent values, the others by their number: by frequency, then by their text, as Spark lists them.

    So plans depend neither on the order of events nor on who counts.

    >>> counted = Frequencies(pa.array(["c", "b", "a"]), np.array([1, 2, 1]))
    >>> listed = most_frequent(counted, 2)
    >>> listed.values.to_pylist(), listed.others
    (['b', 'a'], 1)
    """
    rows = np.arange(len(frequencies.counts))
    if len(rows) > listed:
        least = np.partition(frequencies.counts, -listed)[-listed]
        rows = np.flatnonzero(frequencies.counts >= least)
    texts = frequencies.values.take(pa.array(rows)).cast(pa.string())
    ranked = pa.table({"count": frequencies.counts[rows], "text": texts})
    order = rows[pc.sort_indices(ranked, [("count", "descending"), ("text", "ascending")])[:listed].to_numpy()]
    counts = frequencies.counts[order]
    others = frequencies.others + int(frequencies.counts.sum() - counts.sum())
    return replace(frequencies, values=frequencies.values.take(pa.array(order)), counts=counts, others=others)

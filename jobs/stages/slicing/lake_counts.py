"""Counts for the planner of the events in the lake, made in this process, piece by piece and without Spark.

The same numbers as `event_counts` in the same order, the most frequent value first. Of a log that is only looked at,
one of every few events may be counted: then statistics are a sample's, in which shares are as in the log. Cost: reads
the attributes that bind a variable, of all days asked for, once; if more than KEPT events count, once for each
different question. Memory: different values up to a number, beyond which they are counted in files
(`spilled_sums.py`); stamps are mapped from a file.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import reduce
from operator import add
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from cep_core.language.evaluator import Atom
from cep_core.slicing import Frequencies, Statistics, statistics_of
from cep_core.slicing.statistics import counted_places
from jobs.lake.dataset import read_pieces
from jobs.stages.slicing.event_counts import LISTED, Days
from jobs.stages.slicing.spilled_sums import side_by_side
from jobs.stages.slicing.stamps import ascending_stamps
from jobs.workload.declaration import Workload

KEPT = 2_000_000
"""The most events of a set of days that stay in memory between questions."""


class LakeCounts:
    """Counts of the events of sets of days. `every`: of how many events one counts."""

    def __init__(self, workload: Workload, lake: Path, atoms: Iterable[Atom], every: int = 1) -> None:
        self._workload, self._every = workload, every
        self._folder = lake / workload.name / "events"
        named = {name for atom in atoms for name, _ in (*atom.variables, *atom.constants)}
        self._columns = ["event_type", "ts", *sorted(named)]
        self._held: dict[Days, list[pa.Table]] = {}
        self._totals: dict[Days, int] = {}
        self._stamps: dict[Days, npt.NDArray[np.int64]] = {}
        self._statistics: dict[tuple[Days, tuple[Atom, ...]], Statistics] = {}

    def count(self, spans: Iterable[Days]) -> None:
        """Nothing to do: days are counted when they are asked for."""

    def statistics(self, days: Days, atoms: Sequence[Atom]) -> Statistics:
        """The statistics of these days' events that the planner needs for plans over these atoms."""
        asked = days, tuple(dict.fromkeys(atoms))
        if asked not in self._statistics:
            self._statistics[asked] = self._counted(*asked)
        return self._statistics[asked]

    def _counted(self, days: Days, atoms: Sequence[Atom]) -> Statistics:
        sums = side_by_side(dict.fromkeys(counted_places(atoms), ("value",)))
        parts = []
        for piece in self._pieces(days):
            part = statistics_of(piece, atoms, 0)
            for place, each in part.frequencies.items():
                sums[place].add_counts(pa.table({"value": each.values, "events": each.counts}))
            parts.append(replace(part, frequencies={}))
        frequencies = {place: reduce(_both, map(_listed, own.tables())) for place, own in sums.items()}
        span = len(days) * self._workload.operating_days.length
        return replace(reduce(add, parts), frequencies=frequencies, span=span)

    def stamps(self, days: Days) -> npt.NDArray[np.int64]:
        """The ascending time-stamps of all events of these days."""
        if days in self._held and self._every == 1:
            return np.sort(np.concatenate([piece["ts"].to_numpy() for piece in self._held[days]]))
        if days not in self._stamps:
            self._stamps[days] = ascending_stamps(self._folder, days)
        return self._stamps[days]

    def total(self, days: Days) -> int:
        """How many events these days have."""
        if days not in self._totals:
            for _ in self._read(days):
                pass
        return self._totals[days]

    def _pieces(self, days: Days) -> Iterable[pa.Table]:
        """The events of these days, at least one piece; they are kept if they are few."""
        if days in self._held:
            return self._held[days]
        return self._read(days)

    def _read(self, days: Days) -> Iterator[pa.Table]:
        kept: list[pa.Table] = []
        events = counted = 0
        for piece in read_pieces(self._folder, self._columns, days):
            part = piece
            if self._every > 1:
                part = piece.take(pa.array(np.arange(-events % self._every, piece.num_rows, self._every)))
            events += piece.num_rows
            counted += part.num_rows
            kept = [*kept, part] if counted <= KEPT else []
            yield part
        self._totals[days] = events
        if counted <= KEPT:
            self._held[days] = kept


def _listed(counts: pa.Table) -> Frequencies:
    """The most frequent of different values."""
    values, events = counts["value"].combine_chunks(), counts["events"].to_numpy().astype(np.int64)
    return most_frequent(Frequencies(values, events), LISTED)


def _both(first: Frequencies, second: Frequencies) -> Frequencies:
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
    ranked = pa.table({"count": frequencies.counts, "text": frequencies.values.cast(pa.string())})
    order = pc.sort_indices(ranked, [("count", "descending"), ("text", "ascending")])[:listed]
    counts = frequencies.counts[order.to_numpy()]
    others = frequencies.others + int(frequencies.counts.sum() - counts.sum())
    return replace(frequencies, values=frequencies.values.take(order), counts=counts, others=others)

"""Counts for the planner of the events in the lake, made in this process, without Spark, where it can hold them.

The same numbers as `event_counts` in the same order, the most frequent value first. Cost: reads the attributes that
bind a variable, of all days asked for, into memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from cep_core.language.evaluator import Atom
from cep_core.slicing import Frequencies, Statistics, statistics_of
from jobs.lake.dataset import read_table
from jobs.stages.slicing.event_counts import LISTED, Days
from jobs.workload.declaration import Workload


class LakeCounts:
    """Counts of the events of sets of days."""

    def __init__(self, workload: Workload, lake: Path, atoms: Iterable[Atom]) -> None:
        self._workload = workload
        self._folder = lake / workload.name / "events"
        named = {name for atom in atoms for name, _ in (*atom.variables, *atom.constants)}
        self._columns = ["event_type", "ts", *sorted(named)]
        self._events = cache(self._read)

    def count(self, spans: Iterable[Days]) -> None:
        """Nothing to do: days are counted when they are asked for."""

    def statistics(self, days: Days, atoms: Sequence[Atom]) -> Statistics:
        """The statistics of these days' events that the planner needs for plans over these atoms."""
        counted = statistics_of(self._events(days), atoms, len(days) * self._workload.operating_days.length)
        frequencies = {place: most_frequent(each, LISTED) for place, each in counted.frequencies.items()}
        return replace(counted, frequencies=frequencies)

    def stamps(self, days: Days) -> npt.NDArray[np.int64]:
        """The ascending time-stamps of all events of these days."""
        return np.sort(self._events(days)["ts"].to_numpy())

    def total(self, days: Days) -> int:
        """How many events these days have."""
        return self._events(days).num_rows

    def _read(self, days: Days) -> pa.Table:
        read = read_table(self._folder, self._columns, days)
        assert read is not None, "a day that the lake holds has a table of events"
        return read


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

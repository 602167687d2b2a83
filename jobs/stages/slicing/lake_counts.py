"""Counts for the planner of the events in the lake, made in this process, without Spark: to explain a plan.

The same numbers as `event_counts`, but every value is listed. Cost: reads the attributes that bind a variable, of all
days asked for, into memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from cep_core.language.evaluator import Atom
from cep_core.slicing import Statistics, statistics_of
from jobs.lake.dataset import read_table
from jobs.stages.slicing.event_counts import Days
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
        return statistics_of(self._events(days), atoms, len(days) * self._workload.operating_days.length)

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

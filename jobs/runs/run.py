"""The input and output of a stage: its run, and its outcome on each day.

A stage is a function `stage(run: Run) -> StageOutcome`, in a file of its own in jobs/stages. It reads and writes only
tables of the lake, so any later process can continue where it stopped.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from itertools import groupby
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol

from jobs.lake.definition import identifier

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from jobs.lake.session import LateSession
    from jobs.quality.judges import Judges
    from jobs.runs.scope import Scope
    from jobs.workload.compiled import WorkloadQuery
    from jobs.workload.declaration import Workload

DONE = "done"
REFUSED = "refused"
"""Statuses of a stage on a day: `refused` by the quality gate."""


@dataclass(frozen=True)
class DayOutcome:
    """The outcome of a stage on one operating day."""

    rows_in: int = 0
    rows_out: int = 0
    status: str = DONE
    message: str = ""
    details: Mapping[str, Any] = field(default_factory=dict)
    """Further counts, written to `runs` as JSON; e.g. the equation of rows of each source."""


@dataclass(frozen=True)
class StageOutcome:
    """The outcome of a stage, in total and day by day. `message` is the one line for a person."""

    rows_in: int = 0
    rows_out: int = 0
    message: str = ""
    details: Mapping[str, Any] = field(default_factory=dict)
    days: Mapping[date, DayOutcome] = field(default_factory=dict)
    """Each day's share, if the stage works day by day. Empty: the outcome is that of all days together."""

    @property
    def refused(self) -> dict[date, str]:
        """The days that failed the quality gate, with the reason."""
        return {day: outcome.message for day, outcome in self.days.items() if outcome.status == REFUSED}


class Progress(Protocol):
    """Shows the progress of a run. Stages call only `advance` and `note`."""

    def start(self, stage: str) -> None:
        """A stage begins."""

    def advance(self, done: int, total: int, note: str = "") -> None:
        """Shows how much of the running stage is done, e.g. files read or slices evaluated."""

    def note(self, text: str) -> None:
        """A line that a person should see, e.g. a warning of the quality gate."""

    def finish(self, stage: str, outcome: StageOutcome, seconds: float) -> None:
        """The running stage is done."""


class Silent:
    """A progress that shows nothing."""

    def start(self, stage: str) -> None: ...

    def advance(self, done: int, total: int, note: str = "") -> None: ...

    def note(self, text: str) -> None: ...

    def finish(self, stage: str, outcome: StageOutcome, seconds: float) -> None: ...


@dataclass(frozen=True)
class Run:
    """One run of a workload for the operating days `first`..`last`, both inclusive.

    `lake`: the folder that holds the lakes of all workloads. `scope` says which days are read and evaluated; a task
    computes it from the lake's own tables (jobs/runs/scope.py), so it is None before the days are loaded.
    """

    workload: Workload
    compiled: Mapping[str, WorkloadQuery]
    first: date
    last: date
    run_id: str
    session: LateSession
    lake: Path
    progress: Progress = field(default_factory=Silent)
    scope: Scope | None = None
    loads: tuple[date, ...] = ()
    """The days that `ingest` and `validate` load, ascending: the run's own days, or other days for warm-up."""
    selected: frozenset[str] | None = None
    """The queries that are evaluated, where a person chose; the others keep their results. None: all."""
    judges: Judges | None = None
    """The processes that judge the days for the gate; None: this process does."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "compiled", MappingProxyType(dict(self.compiled)))
        object.__setattr__(self, "loads", tuple(sorted(self.loads or self.days)))

    @property
    def asked(self) -> Mapping[str, WorkloadQuery]:
        """The queries that the run evaluates, by name."""
        if self.selected is None:
            return self.compiled
        return {name: query for name, query in self.compiled.items() if name in self.selected}

    @property
    def spark(self) -> SparkSession:
        """The run's session of Spark, which starts when it is first asked for."""
        return self.session.spark

    @property
    def days(self) -> tuple[date, ...]:
        """The run's own operating days, ascending."""
        return days_between(self.first, self.last)

    def table(self, name: str) -> str:
        """A table's identifier in Spark SQL; working tables are named `work_...`."""
        return identifier(self.workload.name, name)


def days_between(first: date, last: date) -> tuple[date, ...]:
    """The days from `first` to `last`, both inclusive.

    >>> [str(day) for day in days_between(date(2013, 2, 28), date(2013, 3, 1))]
    ['2013-02-28', '2013-03-01']
    """
    return tuple(first + timedelta(days=n) for n in range((last - first).days + 1))


def shown_days(days: Collection[date]) -> str:
    """Days as ranges.

    >>> shown_days([date(2013, 3, 8), date(2013, 3, 5), date(2013, 3, 6)])
    '2013-03-05..2013-03-06, 2013-03-08'
    """
    parts = []
    for _, group in groupby(enumerate(sorted(days)), lambda pair: pair[1].toordinal() - pair[0]):
        first, *rest = (day for _, day in group)
        parts.append(f"{first}..{rest[-1]}" if rest else str(first))
    return ", ".join(parts)

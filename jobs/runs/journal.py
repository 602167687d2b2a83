"""The journal of runs: one row of `runs` for each stage of a run and operating day, appended when a task ends.

A stage that fails is written too, with its message, before its error goes on: `runs` says what was tried, not only what
went well.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, date, datetime

from jobs.exits import message as message_of
from jobs.lake.write import append
from jobs.runs.run import DayOutcome, Run, StageOutcome
from jobs.runs.watching import watched
from jobs.workload.content import content_hash

FAILED = "failed"
LONGEST_MESSAGE = 2_000

Stage = Callable[[Run], StageOutcome]


@dataclass(frozen=True)
class Entry:
    """One stage as it ended on one day."""

    stage: str
    day: date
    outcome: DayOutcome
    versions: str
    seconds: float
    started_at: datetime


@dataclass
class Journal:
    """What the stages of one task did so far."""

    entries: list[Entry] = field(default_factory=list)

    def perform(self, name: str, stage: Stage, run: Run, days: tuple[date, ...] | None = None) -> StageOutcome:
        """Run a stage, tell its progress and note its outcome for each of `days` (the run's own if not given)."""
        run.progress.start(name)
        started_at, begin = datetime.now(UTC), time.perf_counter()
        try:
            with watched(run.spark.sparkContext, run.progress):
                outcome = stage(run)
        except Exception as error:
            seconds = time.perf_counter() - begin
            failed = DayOutcome(status=FAILED, message=message_of(error)[:LONGEST_MESSAGE])
            self._note(name, StageOutcome(days=dict.fromkeys(days or run.days, failed)), seconds, started_at, ())
            raise
        seconds = time.perf_counter() - begin
        self._note(name, outcome, seconds, started_at, days or run.days)
        run.progress.finish(name, outcome, seconds)
        return outcome

    def _note(
        self, name: str, outcome: StageOutcome, seconds: float, started_at: datetime, days: tuple[date, ...]
    ) -> None:
        whole = DayOutcome(outcome.rows_in, outcome.rows_out, message=outcome.message, details=outcome.details)
        versions = json.dumps(dict(outcome.versions), sort_keys=True)
        for day, of_day in sorted((outcome.days or dict.fromkeys(days, whole)).items()):
            self.entries.append(Entry(name, day, of_day, versions, seconds, started_at))


@contextmanager
def journal(run: Run) -> Iterator[Journal]:
    """A journal that is appended to `runs` when the task ends, well or not."""
    kept = Journal()
    try:
        yield kept
    finally:
        if kept.entries:
            append(run.spark.createDataFrame(_rows(run, kept.entries), _schema(run)), run.table("runs"))


def _schema(run: Run) -> object:
    return run.spark.table(run.table("runs")).schema


def _rows(run: Run, entries: list[Entry]) -> list[tuple[object, ...]]:
    workload_hash = content_hash(run.workload.folder)
    rows = [
        {
            "day": entry.day,
            "run_id": run.run_id,
            "stage": entry.stage,
            "status": entry.outcome.status,
            "message": entry.outcome.message,
            "workload_hash": workload_hash,
            "versions": entry.versions,
            "rows_in": entry.outcome.rows_in,
            "rows_out": entry.outcome.rows_out,
            "seconds": entry.seconds,
            "started_at": entry.started_at,
            "details": json.dumps(dict(entry.outcome.details), sort_keys=True),
        }
        for entry in entries
    ]
    return [tuple(row[field.name] for field in _schema(run).fields) for row in rows]  # type: ignore[attr-defined]

"""The journal of runs: one row of `runs` for each stage of a run and operating day, appended when a task ends.

A stage that fails is also written, with its message, before its error is raised again. So `runs` shows all attempts,
not only the successful ones. Each row has Spark's settings, the versions of the software, and those of each table that
the stage wrote. A run has the lake for itself, so these are the tables whose version changed meanwhile.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, date, datetime

import pyarrow as pa

from jobs.exits import message as message_of
from jobs.lake.arrow_write import schema_of
from jobs.lake.versions import versions_of
from jobs.lake.write import append
from jobs.runs.run import DayOutcome, Run, StageOutcome
from jobs.runs.software import software
from jobs.runs.watching import watched
from jobs.workload.content import content_hash

FAILED = "failed"
LONGEST_MESSAGE = 2_000

Stage = Callable[[Run], StageOutcome]


@dataclass(frozen=True)
class JournalEntry:
    """The outcome of one stage on one day."""

    stage: str
    day: date
    outcome: DayOutcome
    versions: Mapping[str, int]
    """Delta version of each table that the stage wrote."""
    seconds: float
    started_at: datetime


@dataclass
class Journal:
    """The entries of one task's stages so far."""

    entries: list[JournalEntry] = field(default_factory=list)

    def perform(self, name: str, stage: Stage, run: Run, days: tuple[date, ...] | None = None) -> StageOutcome:
        """Run a stage, show its progress and note its outcome for each of `days` (default: the run's own).

        What the stage freed is given back to the machine: workers need the memory that this process does not.
        """
        run.progress.start(name)
        before = versions_of(run.workload.name, run.lake)
        started_at, begin = datetime.now(UTC), time.perf_counter()
        try:
            with watched(run.session, run.progress):
                outcome = stage(run)
        except Exception as error:
            failed = DayOutcome(status=FAILED, message=message_of(error)[:LONGEST_MESSAGE])
            self._note(name, run, dict.fromkeys(days or run.days, failed), before, begin, started_at)
            raise
        whole = DayOutcome(outcome.rows_in, outcome.rows_out, message=outcome.message, details=outcome.details)
        by_day = outcome.days or dict.fromkeys(days or run.days, whole)
        seconds = self._note(name, run, by_day, before, begin, started_at)
        pa.default_memory_pool().release_unused()
        run.progress.finish(name, outcome, seconds)
        return outcome

    def _note(
        self,
        name: str,
        run: Run,
        outcomes: Mapping[date, DayOutcome],
        before: Mapping[str, int],
        begin: float,
        started_at: datetime,
    ) -> float:
        """Note a stage that has ended. Returns its seconds. `before`: the tables' versions when it began."""
        seconds = time.perf_counter() - begin
        now = versions_of(run.workload.name, run.lake)
        written = {table: version for table, version in now.items() if version != before.get(table)}
        for day, outcome in sorted(outcomes.items()):
            self.entries.append(JournalEntry(name, day, outcome, written, seconds, started_at))
        return seconds


@contextmanager
def journal(run: Run) -> Iterator[Journal]:
    """A journal that is appended to `runs` when the task ends, even with an error."""
    kept = Journal()
    try:
        yield kept
    finally:
        if kept.entries:
            schema = schema_of(run.lake / run.workload.name / "runs")
            append(pa.Table.from_pylist(_rows(run, kept.entries), schema), run.table("runs"))


def _rows(run: Run, entries: list[JournalEntry]) -> list[dict[str, object]]:
    workload_hash, computed_with = content_hash(run.workload.folder), software()
    settings = run.session.words
    return [
        {
            "day": entry.day,
            "run_id": run.run_id,
            "stage": entry.stage,
            "status": entry.outcome.status,
            "message": entry.outcome.message,
            "workload_hash": workload_hash,
            "versions": json.dumps(
                {"software": computed_with, "settings": settings, "tables": dict(entry.versions)}, sort_keys=True
            ),
            "rows_in": entry.outcome.rows_in,
            "rows_out": entry.outcome.rows_out,
            "seconds": entry.seconds,
            "started_at": entry.started_at,
            "details": json.dumps(dict(entry.outcome.details), sort_keys=True),
        }
        for entry in entries
    ]

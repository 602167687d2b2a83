"""The staged rows of a run's days: events that passed the row rules, and raw rows that were refused.

This process holds those of a small run, and Spark has nothing to compute. Of a large run, events are files that tell
their facts themselves, and refused rows a view of Spark's.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import pyarrow as pa
import pyarrow.compute as pc
from deltalake import DeltaTable

from jobs.lake.arrow_write import schema_of
from jobs.lake.conditions import equal, one_of
from jobs.lake.dataset import read_table
from jobs.lake.statements import statement
from jobs.lake.table_files import TableFile, TableFiles, linked
from jobs.quality.judged_rows import HeldRows, JudgedRows, RowsInFiles
from jobs.runs.run import Run
from jobs.stages.held_rows import LOG_ORDER, frame_of, holds_load, of_spark
from jobs.stages.loading.event_digests import NO_EVENTS, DigestPart, digest_parts
from jobs.stages.loading.event_files import OF_EVENTS, facts_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

STAGED = "work_staged_events"

QUARANTINED = {
    "day": "day",
    "run_id": "run_id",
    "_source": "source",
    "_file": "file",
    "_raw": "raw",
    "_rule": "rule",
    "_reason": "reason",
    "_undated": "undated",
}
"""Columns of a refused row, and what `quarantine` calls them."""

OF_GATE = ("_source", "_file", "_raw", "_rule", "_reason", "_undated")
"""Columns that events do not keep."""

Facts = dict[str, int | str]
"""`events`, `points` and `digest` of a day."""

Refused = dict[tuple[date, str, str], int]
"""Day, source and rule -> rows refused."""


class StagedRows(Protocol):
    """The staged rows of a run."""

    def columns(self) -> list[str]:
        """The columns of events."""

    def judged(self, columns: Sequence[str]) -> JudgedRows:
        """These columns of the events of the run's days."""

    def frame(self) -> DataFrame:
        """The events of the run's days, for the gate's queries."""

    def facts(self, point: str) -> dict[date, Facts]:
        """What results of each day with events depend on. `point`: the column that tells events of equal `ts` apart if
        their time-points differ: `ts` itself where a stamp is one point, `seq` where each event is one."""

    def events(self, days: Collection[date], without: Collection[date]) -> pa.Table | TableFiles:
        """The events to write in place of those of `days`, but of some days none; files are in the log's order."""

    def quarantine(self) -> pa.Table | DataFrame:
        """The rows of `quarantine`."""

    def refused(self) -> Refused:
        """How many rows each rule refused."""


def loaded(run: Run, undated: str) -> str:
    """The rows that a load of the run's days replaces: their own, and undated rows on the log's first day.

    `undated`: the column that says which rows are undated.
    """
    return f"{one_of('day', run.loads)} OR ({equal('day', run.workload.start)} AND `{undated}`)"


def staged_rows(run: Run) -> StagedRows:
    """The staged rows of the run's days, and of undated ones."""
    return StagedHere(run) if holds_load(run) else StagedInFiles(run)


class StagedHere:
    """Staged rows that this process holds."""

    def __init__(self, run: Run) -> None:
        folder = run.lake / run.workload.name / "_work" / STAGED.removeprefix("work_")
        stored = read_table(folder, schema_of(folder).names, {*run.loads, run.workload.start})
        assert stored is not None, "ingest has written the table"
        in_run = pc.is_in(stored["day"], pa.array(run.loads, pa.date32()))
        undated = pc.and_(pc.equal(stored["day"], run.workload.start), stored["_undated"])
        self._refused = stored.filter(pc.and_(pc.or_(in_run, undated), stored["_rule"].is_valid()))
        self._passing = stored.filter(pc.and_(in_run, stored["_rule"].is_null())).drop_columns(list(OF_GATE))
        self._run = run

    def columns(self) -> list[str]:
        return list(self._passing.column_names)

    def judged(self, columns: Sequence[str]) -> HeldRows:
        return HeldRows(self._passing.select(["day", *columns]))

    def frame(self) -> DataFrame:
        return of_spark(self._run.spark, self._passing)

    def facts(self, point: str) -> dict[date, Facts]:
        points = self._passing.select(["day", *dict.fromkeys(("ts", point))])
        counted = points.group_by(points.column_names, use_threads=False).aggregate([]).group_by("day")
        of_days = counted.aggregate([([], "count_all")]).to_pylist()
        return _facts(digest_parts(self._passing), {row["day"]: row["count_all"] for row in of_days})

    def events(self, days: Collection[date], without: Collection[date]) -> pa.Table:
        wanted = pc.invert(pc.is_in(self._passing["day"], pa.array(list(without), pa.date32())))
        return self._passing.filter(wanted).sort_by([(name, "ascending") for name in LOG_ORDER])

    def quarantine(self) -> pa.Table:
        return self._refused.select(list(QUARANTINED)).rename_columns(list(QUARANTINED.values()))

    def refused(self) -> Refused:
        counted = self._refused.group_by(["day", "_source", "_rule"], use_threads=False).aggregate([([], "count_all")])
        return {(row["day"], row["_source"], row["_rule"]): row["count_all"] for row in counted.to_pylist()}


class StagedInFiles:
    """Staged rows of a large load: files of events in the log's order, and refused rows that Spark reads."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._folder = run.lake / run.workload.name / "_work" / STAGED.removeprefix("work_")
        files = list(_files_of(self._folder, {*run.loads, run.workload.start}))
        self._files = [(day, file) for day, file in files if _holds_events(file) and day in run.loads]
        self._has_refused = not all(_holds_events(file) for _, file in files)

    def columns(self) -> list[str]:
        return [name for name in schema_of(self._folder).names if name not in OF_GATE]

    def judged(self, columns: Sequence[str]) -> RowsInFiles:
        stored = schema_of(self._folder)
        files: dict[date, list[Path]] = {}
        for day, file in self._files:
            files.setdefault(day, []).append(self._folder / file.path)
        return RowsInFiles(files, pa.schema([stored.field(name) for name in columns]))

    def frame(self) -> DataFrame:
        self._staged()
        return self._run.spark.sql(statement("load", "events")).where(one_of("day", self._run.loads))

    def facts(self, point: str) -> dict[date, Facts]:
        parts: dict[date, DigestPart] = {}
        points: dict[date, int] = {}
        for day, file in self._files:
            part, points_of_file = facts_of(self._folder / file.path)
            parts[day] = parts.get(day, NO_EVENTS) + part
            points[day] = points.get(day, 0) + points_of_file
        return _facts(parts, points)

    def events(self, days: Collection[date], without: Collection[date]) -> TableFiles:
        target = self._run.lake / self._run.workload.name / "events"
        columns = schema_of(target).names
        files = [file for day, file in self._files if day not in without]
        return TableFiles([linked(file, self._folder, target, columns) for file in files], days)

    def quarantine(self) -> pa.Table | DataFrame:
        if not self._has_refused:
            return schema_of(self._run.lake / self._run.workload.name / "quarantine").empty_table()
        self._staged()
        return self._run.spark.sql(statement("load", "quarantine"))

    def refused(self) -> Refused:
        if not self._has_refused:
            return {}
        refused = self._staged().where("_rule IS NOT NULL")
        counted = refused.groupBy("day", "_source", "_rule").count().toArrow().to_pylist()
        return {(row["day"], row["_source"], row["_rule"]): row["count"] for row in counted}

    def _staged(self) -> DataFrame:
        """The staged rows, also as the view `staged`."""
        days = {*self._run.loads, self._run.workload.start}
        staged = frame_of(self._run, STAGED, days).where(loaded(self._run, "_undated"))
        staged.createOrReplaceTempView("staged")
        return staged


def _files_of(folder: Path, days: Collection[date]) -> Iterator[tuple[date, TableFile]]:
    """The files of some days that the staged table holds."""
    actions = pa.table(DeltaTable(folder).get_add_actions(flatten=False))
    for row in actions.select(["path", "size_bytes", "partition"]).to_pylist():
        day = row["partition"]["day"]
        if day in days:
            yield day, TableFile({"day": str(day)}, row["path"], row["size_bytes"], "{}")


def _holds_events(file: TableFile) -> bool:
    return Path(file.path).name.startswith(OF_EVENTS)


def _facts(parts: Mapping[date, DigestPart], points: Mapping[date, int]) -> dict[date, Facts]:
    return {day: {"events": part.events, "points": points[day], "digest": str(part)} for day, part in parts.items()}

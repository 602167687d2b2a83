"""Stage `ingest`: raw files and events.sql become `_work/staged_events`; counts of rows go to `_work/source_rows`,
the ledgers of files to `_work/source_files`.

An operating day gets exactly the events whose `ts` lies in it, whatever file they came from. Rows are parsed once.
Nothing is written before every source has been found and its header checked. Days that were loaded before are marked as
not loaded to the end until `validate` publishes their events. Cost: linear in the rows read, and a sort
of each day's events.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from jobs import places
from jobs.erasure.rules import Suppression, suppression_of
from jobs.exits import UnreadableSource
from jobs.lake.conditions import one_of
from jobs.lake.write import Replacement, join, replace_all
from jobs.raw.damage import refuse_damaged, refuse_mixed, unreadable_in
from jobs.raw.source_files import SourceFiles, find
from jobs.runs.day_marks import mark_days
from jobs.runs.recorded_days import UNFINISHED
from jobs.runs.run import DayOutcome, Run, StageOutcome
from jobs.stages.held_rows import holds_load
from jobs.stages.loading.empty_days import empty_days
from jobs.stages.loading.file_ledgers import TERMS, ledger_rows, source_rows
from jobs.stages.loading.held_load import HeldLoad
from jobs.stages.loading.missed_rows import missed_rows
from jobs.stages.loading.spark_load import SparkLoad, clear
from jobs.stages.loading.staged_rows import STAGED, loaded

ROWS, FILES = "work_source_rows", "work_source_files"
EQUATION = ("files", *TERMS)
"""read = gave_event + refused + other_days + without_event + suppressed, for each source and day."""

_SHOWN = 5
"""Files that are told by their paths."""


def ingest(run: Run) -> StageOutcome:
    """Stage the events of the run's days.

    Raises SourceMissing, WrongHeader, UnreadableSource; WrongWorkload when events.sql does not give the declared
    events, or erasures cannot be heeded.
    """
    sources = run.workload.sources.values()
    source_files = {source.name: find(run.spark, source, run.loads, run.workload) for source in sources}
    folder = places.scratch(run.lake / run.workload.name / "_work" / "loading")
    clear(folder)
    try:
        load = _read(run, source_files, folder, suppression_of(run.lake, run.workload.name, run.workload.schema))
        by_file = load.equation()
        equation = source_rows(run, by_file, source_files)
        in_run = one_of("day", run.loads)
        table = run.lake / run.workload.name / "_work" / "staged_events"
        files = load.event_files(table)
        mark_days(run.lake / run.workload.name, run.loads, "definition", UNFINISHED)
        replace_all(
            [
                Replacement(load.staged(table), run.table(STAGED), loaded(run, "_undated")),
                Replacement(equation, run.table(ROWS), in_run),
                Replacement(ledger_rows(run, by_file, load.rows, source_files), run.table(FILES), in_run),
            ]
        )
        if files:
            join(files, run.table(STAGED))
    finally:
        clear(folder)
    return _outcome(run, equation, _misses(run, by_file), _passed(source_files.values()))


def _read(
    run: Run, source_files: dict[str, SourceFiles], folder: Path, suppression: Suppression | None
) -> HeldLoad | SparkLoad:
    """The rows and events of the run's days. Raises UnreadableSource, also for what a worker met."""
    try:
        if holds_load(run):
            return HeldLoad(run, source_files, suppression)
        return SparkLoad(run, source_files, folder, suppression)
    except UnreadableSource:
        raise
    except Exception as error:
        if unreadable := unreadable_in(error):
            raise unreadable from error
        refuse_damaged(path for files in source_files.values() for path in files.paths)
        for files in source_files.values():
            refuse_mixed(files.paths)
        raise


def _outcome(run: Run, equation: pa.Table, misses: list[str], passed: list[str]) -> StageOutcome:
    """`misses`: why most rows of a source are of no day of the log, which explains why days are empty."""
    days, empty = {}, []
    for day in run.loads:
        rows = [row for row in equation.to_pylist() if row["day"] == day]
        sources = {row["source"]: {key: row[key] for key in EQUATION} for row in rows}
        gave = sum(row["gave_event"] for row in rows)
        empty += [] if gave else [day]
        remarks = [*(misses or _empty([] if gave else [day])), *passed]
        days[day] = DayOutcome(
            rows_in=sum(row["read"] for row in rows),
            rows_out=gave,
            message="; ".join([_refused(row["refused"] for row in rows), *remarks]),
            details={"sources": sources},
        )
    return StageOutcome(
        rows_in=max((day.rows_in for day in days.values()), default=0),
        rows_out=sum(day.rows_out for day in days.values()),
        message="; ".join([_refused(equation["refused"].to_pylist()), *(misses or _empty(empty)), *passed]),
        days=days,
    )


def _empty(days: list[date]) -> list[str]:
    sentence = empty_days(days)
    return [sentence] if sentence else []


def _refused(counts: Iterable[int]) -> str:
    rows = sum(counts)
    return f"{rows} row{'s' * (rows != 1)} refused"


def _passed(of_sources: Iterable[SourceFiles]) -> list[str]:
    """What to say of files that were not read because of their names."""
    paths = sorted({path for files in of_sources for path in files.passed})
    more = f" and {len(paths) - _SHOWN} more" if len(paths) > _SHOWN else ""
    return [f"not read, by their names: {', '.join(paths[:_SHOWN])}{more}"] if paths else []


def _misses(run: Run, by_file: pa.Table) -> list[str]:
    """What to say of sources most of whose rows miss the log."""
    of_a_day = by_file.filter(pc.equal(by_file["day"], run.loads[0]))
    terms = [("read", "sum"), ("missed", "sum"), ("missed_ts", "max")]
    summed = of_a_day.group_by("source").aggregate(terms).rename_columns(["source", *(term for term, _ in terms)])
    days, start = run.workload.operating_days, run.workload.start
    sentences = (missed_rows(row, days, start) for row in summed.sort_by("source").to_pylist())
    return [sentence for sentence in sentences if sentence]

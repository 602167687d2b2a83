"""Stage `evaluate`: every (query, day) of the run's scope, a Python worker for each slice, then the merge.

If the slices are files on this machine or on a shared mount, a worker opens its slice's file by path with pyarrow,
without the JVM; else Spark scans the table. Both give the same tables. Partial results travel as Arrow IPC bytes and
are merged here, on the driver.

Days whose listing is cut at `max_matches` are evaluated once more for their compact results: one row for each last
event, whatever the number of matches. If matches can only be counted by listing them, such a row holds what some match
might bind, and its count is null. The compact rows of an AND are made from its listing.

A query that can only be counted by listing is evaluated day by day, so that a day that exhausts its budget of work does
not affect others: it has no rows, and `result_days` says why.

Reads `slicing_plans` and `_work/slices`; writes a table for each query, `<query>_compact` where a listing was cut,
`slice_runs` and, last, `result_days`. A run that died before that evaluates the same again.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from dataclasses import replace as with_changes
from datetime import date
from typing import TYPE_CHECKING, Literal
from urllib.parse import unquote, urlsplit

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from cep_core.language.budget import Budget, WorkExhausted
from cep_core.language.evaluator import CERTAIN, TOTALS, Evaluator
from cep_core.language.settings import Settings
from jobs.lake.register import table_folders
from jobs.lake.tables.creating import create
from jobs.lake.tables.result_tables import compact_table
from jobs.lake.write import replace_all
from jobs.runs.run import Run, StageOutcome
from jobs.runs.scope import Evaluation
from jobs.stages.evaluating.results import Result, day_outcomes, events_read, result_days, rows_of, slice_runs_of
from jobs.stages.evaluating.slice_worker import (
    Assignment,
    Moments,
    Partial,
    QueryText,
    evaluate_slice,
    from_bytes,
    schema_to_values,
)
from jobs.stages.slicing.planned import planned

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from jobs.workload.compiled import CompiledQuestion

PARTIAL = (
    "query STRING, plan_id STRING, slice INT, block INT, batches ARRAY<BINARY>, events ARRAY<BIGINT>, rows BIGINT, "
    "seconds DOUBLE, peak_memory BIGINT"
)


def evaluate(run: Run, way: Literal["paths", "scan"] | None = None) -> StageOutcome:
    """Evaluate the run's scope. `way`: how workers get their events; None: by path if possible."""
    assert run.scope is not None
    if not run.scope.evaluations:
        return StageOutcome(message="nothing to evaluate: every result is up to date")
    assignment = assignment_of(run)
    partials = _partials(run, assignment, way)
    results = [
        _merged(run, name, run.compiled[name].evaluator, partials, assignment.blocks[name])
        for name in assignment.blocks
    ]
    compact = _compact(run, assignment, results, way)
    replace_all([*(rows_of(run, result) for result in [*results, *compact]), slice_runs_of(run, partials)])
    # Last: if a day is found here, its results are there too.
    replace_all([result_days(run, results)])
    rows = sum(result.table.num_rows for result in results)
    message = ", ".join(f"{result.query} {result.table.num_rows:,}" for result in results)
    for result in results:
        for day, exhausted in result.exhausted.items():
            run.progress.note(f"no result of {result.query} for {day}: {exhausted}")
    read = events_read(run, assignment.blocks, partials)
    return StageOutcome(sum(read.values()), rows, message, days=day_outcomes(results, read))


def assignment_of(run: Run) -> Assignment:
    """What the workers are told."""
    assert run.scope is not None
    names = sorted({evaluation.query for evaluation in run.scope.evaluations})
    blocks = {
        name: tuple(_moments(run, days) for days in _together(run.compiled[name].evaluator, run.scope.blocks(name)))
        for name in names
    }
    return Assignment(
        tuple(plan.to_dict() for plan in planned(run)),
        tuple(_text(run.compiled[name]) for name in names),
        blocks,
        schema_to_values(run.workload.schema),
        run.workload.limits.slice_rows,
    )


def _text(query: CompiledQuestion, settings: Settings | None = None) -> QueryText:
    return QueryText(query.name, query.bound.path, query.bound.text, settings or query.settings)


def _together(evaluator: Evaluator, blocks: Iterable[Sequence[Evaluation]]) -> Iterator[list[date]]:
    """The days that are evaluated together: blocks of days, or single days if each has a budget of work."""
    for block in blocks:
        days = [evaluation.day for evaluation in block]
        yield from ([day] for day in days) if evaluator.postpones else [days]


def _partials(run: Run, assignment: Assignment, way: Literal["paths", "scan"] | None) -> list[Partial]:
    from pyspark.sql import functions as f

    plan_ids = [str(plan["plan_id"]) for plan in assignment.plans]
    slices = run.spark.table(run.table("work_slices")).where(f.col("plan_id").isin(plan_ids))
    files = sorted(slices.inputFiles())
    local = all(urlsplit(file).scheme in ("", "file") for file in files)
    evaluated = (
        _by_path(run, files, assignment) if way == "paths" or (way is None and local) else _by_scan(slices, assignment)
    )
    return [
        Partial(**{**row, "batches": tuple(row["batches"]), "events": tuple(row["events"])})
        for row in evaluated.toArrow().to_pylist()
    ]


def _by_path(run: Run, files: Sequence[str], assignment: Assignment) -> DataFrame:
    """One Spark task for each slice, largest first. Each opens its file itself."""
    jobs = sorted((slice_file(file) for file in files), key=lambda job: -job.size)
    columns = ["event_type", "ts", "seq", "pos", *run.workload.attributes]

    def work(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for index in batch.column(0).to_pylist():
                job = jobs[index]
                events = pq.ParquetFile(job.path).read(columns=columns, use_threads=False)
                yield from _encoded(evaluate_slice(assignment, job.plan_id, job.slice, events))

    tasks = run.spark.range(0, len(jobs), 1, max(1, len(jobs)))
    return tasks.mapInArrow(work, PARTIAL)


def _by_scan(slices: DataFrame, assignment: Assignment) -> DataFrame:
    """Spark reads the table and brings each slice to one worker, which restores its order."""

    def work(key: tuple[pa.Scalar, ...], events: pa.Table) -> pa.Table:
        ordered = events.drop_columns(["day", "run_id", "plan_id", "slice"]).sort_by(
            [("ts", "ascending"), ("seq", "ascending")]
        )
        partial_results = evaluate_slice(assignment, key[0].as_py(), key[1].as_py(), ordered.combine_chunks())
        return pa.Table.from_batches(_encoded(partial_results), ARROW_PARTIAL)

    return slices.groupBy("plan_id", "slice").applyInArrow(work, PARTIAL)


@dataclass(frozen=True)
class SliceFile:
    """A slice's file. Partition columns are in its path, not in the file."""

    path: str
    plan_id: str
    slice: int
    size: int


def slice_file(uri: str) -> SliceFile:
    """The slice that a file of `_work/slices` holds, from its URI, which is percent-encoded."""
    import os

    path = unquote(urlsplit(uri).path)
    values = dict(part.split("=", 1) for part in path.split("/") if "=" in part)
    return SliceFile(path, values["plan_id"], int(values["slice"]), os.path.getsize(path))


ARROW_PARTIAL = pa.schema(
    [
        ("query", pa.string()),
        ("plan_id", pa.string()),
        ("slice", pa.int32()),
        ("block", pa.int32()),
        ("batches", pa.list_(pa.binary())),
        ("events", pa.list_(pa.int64())),
        ("rows", pa.int64()),
        ("seconds", pa.float64()),
        ("peak_memory", pa.int64()),
    ]
)


def _encoded(partials: Iterable[Partial]) -> Iterator[pa.RecordBatch]:
    for partial in partials:
        row = {**vars(partial), "batches": list(partial.batches), "events": list(partial.events)}
        yield pa.RecordBatch.from_pylist([row], ARROW_PARTIAL)


def _moments(run: Run, days: Sequence[date]) -> Moments:
    """The boundaries of consecutive operating days."""
    calendar = run.workload.operating_days
    return (*(calendar.interval(day)[0] for day in days), calendar.interval(days[-1])[1])


def _compact(
    run: Run, assignment: Assignment, results: Sequence[Result], way: Literal["paths", "scan"] | None
) -> list[Result]:
    """The compact results of days whose listing was cut, for tables that have some or exist."""
    cut = {result.query: _cut_days(run.compiled[result.query], result) for result in results}
    present = table_folders(run.workload.name, run.lake)
    wanted = [name for name, days in cut.items() if days or f"{name}_compact" in present]
    compact = Settings(collapsed=True, supersets=True, budget=Budget(run.workload.limits.work))
    evaluators = {name: run.compiled[name].bound.evaluator(compact) for name in wanted}
    tables = [compact_table(name, evaluators[name].schema, run.compiled[name].variables) for name in wanted]
    create(run.spark, run.workload.name, tables, run.lake)
    blocks = {name: tuple(_moments(run, [day]) for day in cut[name]) for name in wanted}
    texts = [_text(run.compiled[name], compact) for name in wanted if cut[name]]
    again = with_changes(assignment, queries=tuple(texts), blocks=blocks)
    partials = _partials(run, again, way) if texts else []
    return [
        with_changes(_merged(run, name, evaluator, partials, blocks[name]), into=f"{name}_compact")
        for name, evaluator in evaluators.items()
    ]


def _cut_days(query: CompiledQuestion, result: Result) -> list[date]:
    """The evaluated days that need a compact result."""
    if not query.variables or not query.evaluator.compacts:
        return []
    return [evaluation.day for evaluation in result.evaluations if result.truncated(evaluation.day)]


def _merged(
    run: Run, name: str, evaluator: Evaluator, partials: Sequence[Partial], blocks: Sequence[Moments]
) -> Result:
    """A query's result of all its blocks of days."""
    assert run.scope is not None
    calendar = run.workload.operating_days
    tables, totals, exhausted = [], {}, {}
    for number, days in enumerate(blocks):
        own = (
            from_bytes(content)
            for partial in partials
            if partial.query == name and partial.block == number
            for content in partial.batches
        )
        try:
            merged = evaluator.merge(own, days)
        except WorkExhausted as refusal:
            exhausted.update({calendar.day_of(moment): refusal for moment in days[:-1]})
            continue
        tables.append(_with_day(merged, days, [calendar.day_of(moment) for moment in days[:-1]]))
        stored = json.loads((merged.schema.metadata or {}).get(TOTALS, b"{}"))
        totals.update({calendar.day_of(int(moment)): counts for moment, counts in stored.items()})
    empty = evaluator.schema.append(pa.field("day", pa.date32())).empty_table()
    return Result(name, name, run.scope.of(name), pa.concat_tables(tables or [empty]), totals, exhausted)


def _with_day(merged: pa.Table, days: Moments, names: Sequence[date]) -> pa.Table:
    """The merged rows with the operating day in which each became certain, without the exact time."""
    index = np.searchsorted(days, merged[CERTAIN].to_numpy(), side="right") - 1
    day = pa.array(names, pa.date32()).take(pa.array(index))
    return merged.drop_columns([CERTAIN]).replace_schema_metadata().append_column("day", day)

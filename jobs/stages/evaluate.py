"""Stage `evaluate`: every (query, day) of the run's scope, a Python worker for each slice, then the merge.

If the slices are files on this machine or on a shared mount, a worker opens its slice's file by path with pyarrow,
without the JVM; else Spark scans the table. Both give the same tables. Partial results travel as Arrow IPC bytes and
are merged here, on the driver.

Each query's evaluator says which tables it fills (`ResultTable`), and which days of each table are evaluated together.
Some further tables come with the result. Others wait until the result is known, and are evaluated on the days for which
they are needed: `<query>_compact` on days whose listing was cut. A block of days that exhausts its budget of work has
no rows, and `result_days` says why.

Reads `slicing_plans` and `_work/slices`; writes a table for each query, the further tables that are needed,
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

from cep_core.language.budget import WorkExhausted
from cep_core.language.evaluator import CERTAIN, RESULT, TOTALS, DayResult, ResultTable, of_table
from jobs.lake.register import table_folders
from jobs.lake.tables.creating import create
from jobs.lake.tables.result_tables import table_beside
from jobs.lake.write import replace_all
from jobs.runs.run import Run, StageOutcome
from jobs.stages.evaluating.results import Result, day_outcomes, events_read, result_days, rows_of, slice_runs_of
from jobs.stages.evaluating.slice_worker import (
    Assignment,
    Moments,
    QueryText,
    SlicePartial,
    evaluate_slice,
    from_bytes,
    schema_to_values,
)
from jobs.stages.slicing.planned import planned

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from jobs.workload.compiled import WorkloadQuery

PARTIAL = (
    "query STRING, into STRING, plan_id STRING, slice INT, block INT, batches ARRAY<BINARY>, events ARRAY<BIGINT>, "
    "rows BIGINT, seconds DOUBLE, peak_memory BIGINT"
)


def evaluate(run: Run, way: Literal["paths", "scan"] | None = None) -> StageOutcome:
    """Evaluate the run's scope. `way`: how workers get their events; None: by path if possible."""
    assert run.scope is not None
    if not run.scope.evaluations:
        return StageOutcome(message="nothing to evaluate: every result is up to date")
    assignment = assignment_of(run)
    partials = _partials(run, assignment, way)
    queries = [run.compiled[name] for name in assignment.blocks]
    results = [_merged(run, query, query.tables[0], partials, assignment.blocks[query.name]) for query in queries]
    beside = [
        _merged(run, query, table, partials, assignment.blocks[query.name])
        for query in queries
        for table in query.tables[1:]
        if table.evaluate is None
    ]
    beside += _evaluated_after(run, assignment, results, way)
    replace_all([*(rows_of(run, result) for result in [*results, *beside]), slice_runs_of(run, partials)])
    # Written last, so that a day in this table has its results in the others.
    replace_all([result_days(run, results)])
    rows = sum(result.table.num_rows for result in results)
    message = ", ".join(f"{result.query} {result.table.num_rows:,}" for result in results)
    for result in results:
        for day, exhausted in result.exhausted.items():
            run.progress.note(f"no result of {result.query} for {day}: {exhausted}")
    read = events_read(run, assignment.blocks, partials)
    return StageOutcome(sum(read.values()), rows, message, days=day_outcomes(results, read))


def assignment_of(run: Run) -> Assignment:
    """The values that the workers need."""
    assert run.scope is not None
    names = sorted({evaluation.query for evaluation in run.scope.evaluations})
    blocks = {name: tuple(_blocks(run, name, run.compiled[name].tables[0])) for name in names}
    return Assignment(
        tuple(plan.to_dict() for plan in planned(run)),
        tuple(_text(run.compiled[name]) for name in names),
        blocks,
        schema_to_values(run.workload.schema),
        run.workload.limits.slice_rows,
    )


def _text(query: WorkloadQuery, table: str = RESULT) -> QueryText:
    return QueryText(query.name, query.bound.path, query.bound.text, query.settings, table)


def _blocks(run: Run, query: str, table: ResultTable, result: Result | None = None) -> Iterator[Moments]:
    """The boundaries of the days that are evaluated together for a table; `result`: the query's, once it is known."""
    assert run.scope is not None
    for block in run.scope.blocks(query):
        intervals = [(evaluation.day, *run.workload.operating_days.interval(evaluation.day)) for evaluation in block]
        results = [
            DayResult(begin, end) if result is None else result.of(day, begin, end) for day, begin, end in intervals
        ]
        for days in table.days(results):
            yield (*(day.begin for day in days), days[-1].end)


def _partials(run: Run, assignment: Assignment, way: Literal["paths", "scan"] | None) -> list[SlicePartial]:
    from pyspark.sql import functions as f

    plan_ids = [str(plan["plan_id"]) for plan in assignment.plans]
    slices = run.spark.table(run.table("work_slices")).where(f.col("plan_id").isin(plan_ids))
    files = sorted(slices.inputFiles())
    local = all(urlsplit(file).scheme in ("", "file") for file in files)
    evaluated = (
        _by_path(run, files, assignment) if way == "paths" or (way is None and local) else _by_scan(slices, assignment)
    )
    return [
        SlicePartial(**{**row, "batches": tuple(row["batches"]), "events": tuple(row["events"])})
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
        ("into", pa.string()),
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


def _encoded(partials: Iterable[SlicePartial]) -> Iterator[pa.RecordBatch]:
    for partial in partials:
        row = {**vars(partial), "batches": list(partial.batches), "events": list(partial.events)}
        yield pa.RecordBatch.from_pylist([row], ARROW_PARTIAL)


def _evaluated_after(
    run: Run, assignment: Assignment, results: Sequence[Result], way: Literal["paths", "scan"] | None
) -> list[Result]:
    """The further tables that wait for a result: those needed on some day, and existing ones that may lose rows."""
    present = table_folders(run.workload.name, run.lake)
    waiting: list[tuple[WorkloadQuery, ResultTable]] = []
    blocks: dict[str, tuple[Moments, ...]] = {}
    for result in results:
        query = run.compiled[result.query]
        for table in query.tables[1:]:
            if table.evaluate is None:
                continue
            into = query.name + table.suffix
            blocks[into] = tuple(_blocks(run, query.name, table, result))
            if blocks[into] or into in present:
                waiting.append((query, table))
    create(run.spark, run.workload.name, [table_beside(query.name, table) for query, table in waiting], run.lake)
    texts = [_text(query, table.suffix) for query, table in waiting if blocks[query.name + table.suffix]]
    again = with_changes(assignment, queries=tuple(texts), blocks=blocks)
    partials = _partials(run, again, way) if texts else []
    return [_merged(run, query, table, partials, blocks[query.name + table.suffix]) for query, table in waiting]


def _merged(
    run: Run, query: WorkloadQuery, table: ResultTable, partials: Sequence[SlicePartial], blocks: Sequence[Moments]
) -> Result:
    """A query's table, merged from all its blocks of days."""
    assert run.scope is not None
    calendar = run.workload.operating_days
    into = query.name + table.suffix
    source = query.name if table.evaluate is None else into
    tables, totals, exhausted = [], {}, {}
    for number, days in enumerate(blocks):
        batches = (
            from_bytes(content)
            for partial in partials
            if partial.into == source and partial.block == number
            for content in partial.batches
        )
        try:
            merged = table.merge(of_table(batches, table.suffix), days)
        except WorkExhausted as refusal:
            exhausted.update({calendar.day_of(moment): refusal for moment in days[:-1]})
            continue
        tables.append(_with_day(merged, days, [calendar.day_of(moment) for moment in days[:-1]]))
        stored = json.loads((merged.schema.metadata or {}).get(TOTALS, b"{}"))
        totals.update({calendar.day_of(int(moment)): counts for moment, counts in stored.items()})
    empty = table.schema.append(pa.field("day", pa.date32())).empty_table()
    rows = pa.concat_tables(tables or [empty])
    return Result(query.name, into, run.scope.of(query.name), rows, totals, exhausted)


def _with_day(merged: pa.Table, days: Moments, names: Sequence[date]) -> pa.Table:
    """The merged rows with the operating day in which each became certain, without the exact time."""
    index = np.searchsorted(days, merged[CERTAIN].to_numpy(), side="right") - 1
    day = pa.array(names, pa.date32()).take(pa.array(index))
    return merged.drop_columns([CERTAIN]).replace_schema_metadata().append_column("day", day)

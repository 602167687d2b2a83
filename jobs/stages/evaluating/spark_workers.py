"""Python workers below Spark: each evaluates a slice (`slice_worker.py`) and returns what it found as rows of bytes.

If the slices are files on this machine or on a shared mount, a worker opens its slice's file by path with pyarrow,
without the JVM; else Spark scans the table. Both give the same tables. Workers of slices without events
(`slice_files.py`) start without a file on either way. Time-points are sent to every worker once. A query's own error,
e.g. a term without a value, returns as a row, too, and is raised here as the worker raised it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

import pyarrow as pa

from cep_core.language.errors import Position, QueryError
from cep_core.language.evaluator import opened_by
from cep_core.slicing import Plan
from jobs.stages.evaluating.slice_files import SliceFile, Slices, columns_of, events_of
from jobs.stages.evaluating.slice_worker import Assignment, SlicePartial, evaluate_slice, gather
from jobs.stages.held_rows import table_frame

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from jobs.runs.run import Run

PARTIAL = (
    "query STRING, into STRING, plan_id STRING, slice INT, block INT, batches ARRAY<BINARY>, events ARRAY<BIGINT>, "
    "rows BIGINT, seconds DOUBLE, peak_memory BIGINT, bucket INT, error STRING"
)
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
        ("bucket", pa.int32()),
        ("error", pa.string()),
    ]
)
"""A partial result, or the error of a query and nothing else."""

Points = Callable[[], pa.Table | None]
"""Gives a worker the time-points of the run; None: no query reads them."""


def in_workers(
    run: Run, slices: Slices, assignment: Assignment, points: pa.Table | None, *, by_path: bool
) -> list[SlicePartial]:
    """The partial results of slices. `by_path`: workers open files themselves."""
    from pyspark.sql import functions as f

    sent = _sent(run, points)
    if by_path:
        evaluated = _by_path(run, slices.largest_first(), assignment, sent)
    else:
        plan_ids = [str(plan["plan_id"]) for plan in assignment.plans]
        stored = table_frame(run, "work_slices").where(f.col("plan_id").isin(plan_ids))
        evaluated = _by_scan(stored, assignment, sent)
        if slices.absent:
            evaluated = evaluated.unionByName(_by_path(run, list(slices.absent), assignment, sent))
    if has_pieces(run, assignment):
        evaluated = _gathered(run, evaluated, assignment, sent)
    return list(_decoded(evaluated.toArrow()))


def has_pieces(run: Run, assignment: Assignment) -> bool:
    """Whether a query of the assignment is sliced by variables that its results do not have."""
    plans = [Plan.from_dict(plan) for plan in assignment.plans]
    return any(
        opened_by(run.compiled[query.name].evaluator, plan.names_of(query.name))
        for plan in plans
        for query in assignment.queries
        if query.name in plan.queries
    )


def _gathered(run: Run, evaluated: DataFrame, assignment: Assignment, points: Points) -> DataFrame:
    """Pieces of equal values brought together in a shuffle, and made ready for the merge."""

    def work(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        partials = (partial for batch in batches for partial in _decoded(pa.Table.from_batches([batch])))
        yield from _encoded(gather(assignment, partials, points()))

    parts = max(2, run.spark.sparkContext.defaultParallelism)
    return evaluated.repartition(parts, "into", "block", "bucket").mapInArrow(work, PARTIAL)


def _sent(run: Run, points: pa.Table | None) -> Points:
    """The time-points as every worker reads them: once a process, however many slices it evaluates."""
    if points is None:
        return lambda: None
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, points.schema) as stream:
        stream.write_table(points)
    content = run.spark.sparkContext.broadcast(sink.getvalue().to_pybytes())
    return lambda: pa.ipc.open_stream(content.value).read_all()


def _by_path(run: Run, jobs: list[SliceFile], assignment: Assignment, points: Points) -> DataFrame:
    """One Spark task for each slice. Each opens its file itself."""
    columns = columns_of(run)

    def work(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for index in batch.column(0).to_pylist():
                job = jobs[index]
                events = events_of(job, columns, assignment.row_limit)
                yield from _encoded(evaluate_slice(assignment, job.plan_id, job.slice, events, points()))

    tasks = run.spark.range(0, len(jobs), 1, max(1, len(jobs)))
    return tasks.mapInArrow(work, PARTIAL)


def _by_scan(slices: DataFrame, assignment: Assignment, points: Points) -> DataFrame:
    """Spark reads the table and brings each slice to one worker, which restores its order."""

    def work(key: tuple[pa.Scalar, ...], events: pa.Table) -> pa.Table:
        ordered = events.drop_columns(["day", "run_id", "plan_id", "slice"]).sort_by(
            [("ts", "ascending"), ("seq", "ascending")]
        )
        partial_results = evaluate_slice(assignment, key[0].as_py(), key[1].as_py(), ordered.combine_chunks(), points())
        return pa.Table.from_batches(_encoded(partial_results), ARROW_PARTIAL)

    return slices.groupBy("plan_id", "slice").applyInArrow(work, PARTIAL)


def _decoded(rows: pa.Table) -> Iterator[SlicePartial]:
    """The partial results. Raises the first error among them."""
    for row in rows.to_pylist():
        error = row.pop("error")
        if error is not None:
            raise _error_of(error)
        yield SlicePartial(**{**row, "batches": tuple(row["batches"]), "events": tuple(row["events"])})


def _encoded(partials: Iterable[SlicePartial]) -> Iterator[pa.RecordBatch]:
    try:
        for partial in partials:
            row = {**vars(partial), "batches": list(partial.batches), "events": list(partial.events)}
            yield pa.RecordBatch.from_pylist([row], ARROW_PARTIAL)
    except QueryError as error:
        yield pa.RecordBatch.from_pylist([{"error": _text_of(error)}], ARROW_PARTIAL)


def _text_of(error: QueryError) -> str:
    """An error as it travels from a worker."""
    told = {name: getattr(error, name) for name in ("message", "text", "path", "hint")}
    return json.dumps({**told, "at": vars(error.at)})


def _error_of(text: str) -> QueryError:
    """The error that `_text_of` wrote; it reads the same.

    >>> told = QueryError("7 / 0 is a division by zero", Position(1, 3, 5), text="  7 / 0", path="a.mfotl")
    >>> str(_error_of(_text_of(told))) == str(told)
    True
    """
    values = json.loads(text)
    return QueryError(
        values["message"], Position(**values["at"]), text=values["text"], path=values["path"], hint=values["hint"]
    )

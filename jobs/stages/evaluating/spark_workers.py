"""Python workers below Spark: each evaluates a slice (`slice_worker.py`) and returns what it found as rows of bytes.

If the slices are files on this machine or on a shared mount, a worker opens its slice's file by path with pyarrow,
without the JVM; else Spark scans the table. Both give the same tables. Workers of slices without events
(`slice_files.py`) start without a file on either way. Time-points are sent to every worker once. A query's own error,
e.g. a term without a value, returns as a row, too, and is raised here as the worker raised it.

Workers that open files by path also leave their batches in files, which the driver maps: what passes the JVM is copied
there some twenty times.
"""

from __future__ import annotations

import json
import shutil
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from cep_core.language.errors import Position, QueryError
from cep_core.language.evaluator import opened_by
from cep_core.slicing import Plan
from jobs import places
from jobs.stages.evaluating.slice_files import SliceFile, Slices, columns_of, events_of
from jobs.stages.evaluating.slice_worker import Assignment, Batch, SlicePartial, evaluate_slice, gather
from jobs.stages.held_rows import table_frame

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from jobs.runs.run import Run

PARTIAL = (
    "query STRING, into STRING, plan_id STRING, slice INT, block INT, batches ARRAY<BINARY>, events ARRAY<BIGINT>, "
    "rows BIGINT, seconds DOUBLE, peak_memory BIGINT, bucket INT, file STRING, sizes ARRAY<BIGINT>, error STRING"
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
        ("file", pa.string()),
        ("sizes", pa.list_(pa.int64())),
        ("error", pa.string()),
    ]
)
"""A partial result, or the error of a query and nothing else. `file`, `sizes`: where the batches are, if not here."""

Points = Callable[[], pa.Table | None]
"""Gives a worker the time-points of the run; None: no query reads them."""


def in_workers(
    run: Run, slices: Slices, assignment: Assignment, points: pa.Table | None, *, by_path: bool
) -> list[SlicePartial]:
    """The partial results of slices. `by_path`: workers open files themselves."""
    from pyspark.sql import functions as f

    sent = _sent(run, points)
    gathers = has_pieces(run, assignment)
    folder = places.scratch(run.lake / run.workload.name / "_work" / "partials")
    shutil.rmtree(folder, ignore_errors=True)  # of a run that died
    if by_path:
        folder.mkdir(parents=True)
        evaluated = _by_path(run, slices.largest_first(), assignment, sent, None if gathers else folder)
    else:
        plan_ids = [str(plan["plan_id"]) for plan in assignment.plans]
        stored = table_frame(run, "work_slices").where(f.col("plan_id").isin(plan_ids))
        evaluated = _by_scan(stored, assignment, sent)
        if slices.absent:
            evaluated = evaluated.unionByName(_by_path(run, list(slices.absent), assignment, sent, None))
    if gathers:
        evaluated = _gathered(run, evaluated, assignment, sent)
    try:
        return list(_decoded(evaluated.toArrow()))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


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
        yield from _encoded(gather(assignment, partials, points()), None)

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


def _by_path(run: Run, jobs: list[SliceFile], assignment: Assignment, points: Points, folder: Path | None) -> DataFrame:
    """One Spark task for each slice. Each opens its file itself. `folder`: where it leaves its batches."""
    columns = columns_of(run)

    def work(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for index in batch.column(0).to_pylist():
                job = jobs[index]
                events = events_of(job, columns, assignment.row_limit)
                yield from _encoded(evaluate_slice(assignment, job.plan_id, job.slice, events, points()), folder)

    tasks = run.spark.range(0, len(jobs), 1, max(1, len(jobs)))
    return tasks.mapInArrow(work, PARTIAL)


def _by_scan(slices: DataFrame, assignment: Assignment, points: Points) -> DataFrame:
    """Spark reads the table and brings each slice to one worker, which restores its order."""

    def work(key: tuple[pa.Scalar, ...], events: pa.Table) -> pa.Table:
        ordered = events.drop_columns(["day", "run_id", "plan_id", "slice"]).sort_by(
            [("ts", "ascending"), ("seq", "ascending")]
        )
        partial_results = evaluate_slice(assignment, key[0].as_py(), key[1].as_py(), ordered.combine_chunks(), points())
        return pa.Table.from_batches(_encoded(partial_results, None), ARROW_PARTIAL)

    return slices.groupBy("plan_id", "slice").applyInArrow(work, PARTIAL)


def _decoded(rows: pa.Table) -> Iterator[SlicePartial]:
    """The partial results. Raises the first error among them."""
    for row in rows.to_pylist():
        error, file, sizes = row.pop("error"), row.pop("file"), row.pop("sizes")
        if error is not None:
            raise _error_of(error)
        batches = tuple(row["batches"]) if file is None else _mapped(file, sizes)
        yield SlicePartial(**{**row, "batches": batches, "events": tuple(row["events"])})


def _encoded(partials: Iterable[SlicePartial], folder: Path | None) -> Iterator[pa.RecordBatch]:
    """Partial results as rows. `folder`: batches go into files there."""
    try:
        for partial in partials:
            row: dict[str, Any] = {**vars(partial), "events": list(partial.events)}
            if folder is None:
                row["batches"] = list(partial.batches)
            else:
                row |= {"batches": [], "file": _left(partial.batches, folder), "sizes": list(map(len, partial.batches))}
            yield pa.RecordBatch.from_pylist([row], ARROW_PARTIAL)
    except QueryError as error:
        yield pa.RecordBatch.from_pylist([{"error": _text_of(error)}], ARROW_PARTIAL)


def _left(batches: Iterable[Batch], folder: Path) -> str:
    """Batches written one after the other into a new file; its path."""
    path = folder / uuid.uuid4().hex
    with path.open("wb") as file:
        for batch in batches:
            file.write(batch)
    return str(path)


def _mapped(file: str, sizes: Sequence[int]) -> tuple[pa.Buffer, ...]:
    """The batches of a file. It may be removed while they are in use."""
    if not sum(sizes):
        return ()
    whole = pa.memory_map(file).read_buffer()
    return tuple(whole.slice(end - size, size) for size, end in zip(sizes, accumulate(sizes), strict=True))


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

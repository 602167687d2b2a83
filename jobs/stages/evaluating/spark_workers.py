"""Python workers below Spark: each evaluates a slice (`slice_worker.py`) and returns what it found as rows of bytes.

If the slices are files on this machine or on a shared mount, a worker opens its slice's file by path with pyarrow,
without the JVM; else Spark scans the table. Both give the same tables. Workers of slices without events
(`slice_files.py`) start without a file on either way. A query's own error, e.g. a term without a value, returns as a
row, too, and is raised here as the worker raised it.

Workers that open files by path also map the files of time-points, and leave their batches in files, which the driver
reads range by range (`merging.py`). Else time-points are sent to every worker once, and batches come through the JVM.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from cep_core.language.errors import Position, QueryError
from cep_core.language.open_form import opened_by
from cep_core.slicing import Plan
from jobs.stages.evaluating.assignment import Assignment
from jobs.stages.evaluating.gathering import gather
from jobs.stages.evaluating.left_batches import Leaving, LeftBatch, to_bytes
from jobs.stages.evaluating.slice_worker import evaluate_group, evaluate_slice
from jobs.stages.evaluating.slices.slice_files import SliceFile, Slices, columns_of, group_of, grouped
from jobs.stages.evaluating.slices.slice_partial import SlicePartial
from jobs.stages.held_rows import table_frame
from jobs.stages.slicing.mapped_points import open_points

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from jobs.runs.run import Run

PARTIAL = (
    "query STRING, into STRING, plan_id STRING, slice INT, block INT, batches ARRAY<BINARY>, events ARRAY<BIGINT>, "
    "rows BIGINT, seconds DOUBLE, peak_memory BIGINT, together INT, copies DOUBLE, bucket INT, "
    "files ARRAY<STRUCT<path: STRING, begin: BIGINT, size: BIGINT>>, error STRING"
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
        ("together", pa.int32()),
        ("copies", pa.float64()),
        ("bucket", pa.int32()),
        ("files", pa.list_(pa.struct({"path": pa.string(), "begin": pa.int64(), "size": pa.int64()}))),
        ("error", pa.string()),
    ]
)
"""A partial result, or the error of a query and nothing else. `files`: where the batches are, if not here."""

TASKS = 2
"""Small slices are evaluated together as far as each worker still has so many tasks."""

Points = Callable[[], pa.Table | None]
"""Gives a worker the time-points of the run; None: no query reads them."""


def in_workers(
    run: Run, slices: Slices, assignment: Assignment, points: Path | None, folder: Path, *, by_path: bool
) -> list[SlicePartial]:
    """The partial results of slices. `by_path`: workers open files themselves, and leave batches in `folder`.

    `points`: the folder of the time-points, if a query reads them.
    """
    from pyspark.sql import functions as f

    gathers = has_pieces(run, assignment)
    if by_path:
        sent: Points = (lambda: None) if points is None else (lambda: open_points(points))
        evaluated = _by_path(run, slices.largest_first(), assignment, sent, None if gathers else folder)
    else:
        sent = _sent(run, points)
        names = sorted(f"{job.plan_id} {job.slice}" for job in slices.present)
        stored = table_frame(run, "work_slices").where(f.concat_ws(" ", "plan_id", "slice").isin(names))
        evaluated = _by_scan(stored, assignment, sent)
        if slices.absent:
            evaluated = evaluated.unionByName(_by_path(run, list(slices.absent), assignment, sent, None))
    if gathers:
        evaluated = _gathered(run, evaluated, assignment, sent)
    return list(_decoded(evaluated.toArrow()))


def has_pieces(run: Run, assignment: Assignment) -> bool:
    """Whether a query is evaluated that is sliced by variables that its results do not have."""
    plans = [Plan.from_dict(plan) for plan in assignment.plans]
    return any(
        opened_by(run.compiled[query.name].evaluator, plan.names_of(query.name))
        for plan in plans
        for query in assignment.queries
        if query.name in plan.queries and query.into not in assignment.asked
    )


def _gathered(run: Run, evaluated: DataFrame, assignment: Assignment, points: Points) -> DataFrame:
    """Pieces of equal values brought together in a shuffle, and made ready for the merge."""

    def work(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        partials = (partial for batch in batches for partial in _decoded(pa.Table.from_batches([batch])))
        yield from _encoded(gather(assignment, partials, points()))

    parts = max(2, run.spark.sparkContext.defaultParallelism)
    return evaluated.repartition(parts, "into", "block", "bucket").mapInArrow(work, PARTIAL)


def _sent(run: Run, points: Path | None) -> Points:
    """The time-points as workers on other machines read them: once a process, however many slices it evaluates."""
    if points is None:
        return lambda: None
    rows = open_points(points)
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, rows.schema) as stream:
        stream.write_table(rows)
    content = run.spark.sparkContext.broadcast(sink.getvalue().to_pybytes())
    return lambda: pa.ipc.open_stream(content.value).read_all()


def _by_path(run: Run, jobs: list[SliceFile], assignment: Assignment, points: Points, folder: Path | None) -> DataFrame:
    """One Spark task for each slice, or for small ones that are evaluated together, if there are more slices than tasks
    at a time. Each opens its files itself. `folder`: where it leaves its batches."""
    columns = columns_of(run)
    most = _in_a_task(jobs, run.spark.sparkContext.defaultParallelism, assignment.together)
    tasks = sorted(grouped(assignment, jobs, most), key=lambda task: -sum(job.size for job in task[1]))

    def work(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for index in batch.column(0).to_pylist():
                owned, own = tasks[index]
                keep = to_bytes if folder is None else Leaving(folder)
                group = group_of(owned, own, columns, assignment.row_limit)
                yield from _encoded(evaluate_group(assignment, group, points(), keep))

    numbers = run.spark.range(0, len(tasks), 1, max(1, len(tasks)))
    return numbers.mapInArrow(work, PARTIAL)


def _in_a_task(jobs: Sequence[SliceFile], at_once: int, most: int) -> int:
    """The most events of slices that one task evaluates together: each worker is to have several tasks.

    >>> jobs = [SliceFile("f", "p", number, rows=1_000) for number in range(64)]
    >>> _in_a_task(jobs, 2, 32_768), _in_a_task(jobs, 8, 32_768), _in_a_task(jobs, 64, 32_768)
    (16000, 4000, 0)
    """
    if len(jobs) <= at_once:
        return 0
    return min(most, sum(job.rows or 0 for job in jobs) // (TASKS * at_once))


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
        error, files = row.pop("error"), row.pop("files")
        if error is not None:
            raise _error_of(error)
        batches = row["batches"] or [LeftBatch(**place) for place in files]
        yield SlicePartial(**{**row, "batches": tuple(batches), "events": tuple(row["events"])})


def _encoded(partials: Iterable[SlicePartial]) -> Iterator[pa.RecordBatch]:
    """Partial results as rows."""
    try:
        for partial in partials:
            here = [batch for batch in partial.batches if isinstance(batch, bytes)]
            files = [vars(batch) for batch in partial.batches if isinstance(batch, LeftBatch)]
            row = {**vars(partial), "events": list(partial.events), "batches": here, "files": files}
            yield pa.RecordBatch.from_pylist([row], ARROW_PARTIAL)
    except QueryError as error:
        yield pa.RecordBatch.from_pylist([{"error": _text_of(error)}], ARROW_PARTIAL)


def _text_of(error: QueryError) -> str:
    """An error as it travels from a worker."""
    parts = {name: getattr(error, name) for name in ("message", "text", "path", "hint")}
    return json.dumps({**parts, "at": vars(error.at)})


def _error_of(text: str) -> QueryError:
    """The error that `_text_of` wrote; it reads the same.

    >>> error = QueryError("7 / 0 is a division by zero", Position(1, 3, 5), text="  7 / 0", path="a.mfotl")
    >>> str(_error_of(_text_of(error))) == str(error)
    True
    """
    values = json.loads(text)
    return QueryError(
        values["message"], Position(**values["at"]), text=values["text"], path=values["path"], hint=values["hint"]
    )

"""Python workers below Spark: each evaluates a slice (`slice_worker.py`) and returns what it found as rows of bytes.

If the slices are files on this machine or on a shared mount, a worker opens its slice's file by path with pyarrow,
without the JVM; else Spark scans the table. Both give the same tables. Slices that own results of a query that speaks
of silence, but hold no event, have no file: their workers start without events on either way. Time-points are sent to
every worker once.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal
from urllib.parse import unquote, urlsplit

import pyarrow as pa
import pyarrow.parquet as pq
from deltalake import DeltaTable

from cep_core.events.arrow_types import ARROW_TYPES
from cep_core.language.evaluator import opened_by
from cep_core.slicing import Plan, owning_slices
from jobs.stages.evaluating.slice_worker import Assignment, SlicePartial, evaluate_slice, gather

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from jobs.runs.run import Run

Way = Literal["paths", "scan"]
"""How workers get their events."""

PARTIAL = (
    "query STRING, into STRING, plan_id STRING, slice INT, block INT, batches ARRAY<BINARY>, events ARRAY<BIGINT>, "
    "rows BIGINT, seconds DOUBLE, peak_memory BIGINT, bucket INT"
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
    ]
)

Points = Callable[[], pa.Table | None]
"""Gives a worker the time-points of the run; None: no query reads them."""


@dataclass(frozen=True)
class SliceFile:
    """A slice and its file. Partition columns are in the path, not in the file. No path: the slice has no event."""

    path: str
    plan_id: str
    slice: int
    size: int = 0


def partials_of(
    run: Run, assignment: Assignment, silent: Collection[str], points: pa.Table | None, way: Way | None
) -> list[SlicePartial]:
    """The partial results of every slice of the assignment's plans. `silent`: the queries that speak of silence."""
    from pyspark.sql import functions as f

    plan_ids = [str(plan["plan_id"]) for plan in assignment.plans]
    files = sorted(DeltaTable(run.lake / run.workload.name / "_work" / "slices").file_uris())
    local = all(urlsplit(file).scheme in ("", "file") for file in files)
    present = [job for job in map(slice_of, files) if job.plan_id in plan_ids]
    absent = [SliceFile("", plan_id, number) for plan_id, number in slices_of_silence(assignment, silent, present)]
    sent = _sent(run, points)
    if way == "paths" or (way is None and local):
        evaluated = _by_path(run, [with_size(job) for job in present] + absent, assignment, sent)
    else:
        slices = run.spark.table(run.table("work_slices")).where(f.col("plan_id").isin(plan_ids))
        evaluated = _by_scan(slices, assignment, sent)
        if absent:
            evaluated = evaluated.unionByName(_by_path(run, absent, assignment, sent))
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


def slices_of_silence(
    assignment: Assignment, silent: Collection[str], present: Iterable[SliceFile]
) -> list[tuple[str, int]]:
    """(plan, slice) pairs without events that own results of a query that speaks of silence."""
    seen = {(job.plan_id, job.slice) for job in present}
    owning: set[tuple[str, int]] = set()
    for plan in map(Plan.from_dict, assignment.plans):
        for query in assignment.queries:
            if query.name in silent and query.name in plan.queries:
                for days in assignment.blocks[query.into]:
                    owning.update((plan.plan_id, number) for number in owning_slices(plan, days))
    return sorted(owning - seen)


def slice_of(uri: str) -> SliceFile:
    """The slice that a file of `_work/slices` holds, from its URI, which is percent-encoded.

    >>> slice_of("file:///lake/a%20b/_work/slices/plan_id=0f/slice=3/part-0.parquet")
    SliceFile(path='/lake/a b/_work/slices/plan_id=0f/slice=3/part-0.parquet', plan_id='0f', slice=3, size=0)
    """
    path = unquote(urlsplit(uri).path)
    values = dict(part.split("=", 1) for part in path.split("/") if "=" in part)
    return SliceFile(path, values["plan_id"], int(values["slice"]))


def with_size(job: SliceFile) -> SliceFile:
    """The slice with the size of its file, in bytes."""
    import os

    return SliceFile(job.path, job.plan_id, job.slice, os.path.getsize(job.path))


def _sent(run: Run, points: pa.Table | None) -> Points:
    """The time-points as every worker reads them: once a process, however many slices it evaluates."""
    if points is None:
        return lambda: None
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, points.schema) as stream:
        stream.write_table(points)
    content = run.spark.sparkContext.broadcast(sink.getvalue().to_pybytes())
    return lambda: pa.ipc.open_stream(content.value).read_all()


def _by_path(run: Run, slices: Sequence[SliceFile], assignment: Assignment, points: Points) -> DataFrame:
    """One Spark task for each slice, largest first. Each opens its file itself."""
    jobs = sorted(slices, key=lambda job: -job.size)
    attributes = {name: ARROW_TYPES[kind] for name, kind in run.workload.attributes.items()}
    types = {"event_type": pa.string(), **dict.fromkeys(("ts", "seq", "pos", "offset"), pa.int64()), **attributes}

    def work(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for index in batch.column(0).to_pylist():
                job = jobs[index]
                events = _events_of(job, types)
                yield from _encoded(evaluate_slice(assignment, job.plan_id, job.slice, events, points()))

    tasks = run.spark.range(0, len(jobs), 1, max(1, len(jobs)))
    return tasks.mapInArrow(work, PARTIAL)


def _events_of(job: SliceFile, types: Mapping[str, pa.DataType]) -> pa.Table:
    if not job.path:
        return pa.schema(types.items()).empty_table()
    return pq.ParquetFile(job.path).read(columns=list(types), use_threads=False)


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
    for row in rows.to_pylist():
        yield SlicePartial(**{**row, "batches": tuple(row["batches"]), "events": tuple(row["events"])})


def _encoded(partials: Iterable[SlicePartial]) -> Iterator[pa.RecordBatch]:
    for partial in partials:
        row = {**vars(partial), "batches": list(partial.batches), "events": list(partial.events)}
        yield pa.RecordBatch.from_pylist([row], ARROW_PARTIAL)

"""Stage `evaluate`: every (query, day) of the run's scope, a Python worker for each slice, then the merge.

Where the slices lie in files of this machine or of a shared mount, a worker opens its slice's file by path with
pyarrow, without a way through the JVM; elsewhere Spark scans the table. Both give the same tables. Partial results
travel as Arrow IPC bytes and are merged here, on the driver.

Reads `slicing_plans` and `_work/slices`; writes a table for each query, `slice_runs` and, last, `result_days`: a run
that died before evaluates the same again.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import unquote, urlsplit

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from cep_core.language.evaluator import CERTAIN, TOTALS
from jobs.lake.write import Replacement, replace_all
from jobs.runs.run import DayOutcome, Run, StageOutcome
from jobs.runs.scope import Evaluation
from jobs.stages.own_rows import own_rows
from jobs.stages.planned import planned
from jobs.stages.slice_worker import (
    Assignment,
    Moments,
    Partial,
    QueryText,
    evaluate_slice,
    from_bytes,
    schema_to_values,
)

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

PARTIAL = (
    "query STRING, plan_id STRING, slice INT, block INT, batches ARRAY<BINARY>, events BIGINT, rows BIGINT, "
    "seconds DOUBLE, peak_memory BIGINT"
)


@dataclass(frozen=True)
class Result:
    """A query's result of the evaluated days: rows with `day`, and what each day's totals say."""

    query: str
    evaluations: tuple[Evaluation, ...]
    table: pa.Table
    totals: dict[date, dict[str, Any]]


def evaluate(run: Run, way: Literal["paths", "scan"] | None = None) -> StageOutcome:
    """Evaluate the run's scope. `way`: how workers get their events; None: by path wherever that is possible."""
    assert run.scope is not None
    if not run.scope.evaluations:
        return StageOutcome(message="nothing to evaluate: every result is what lake and workload say")
    assignment = assignment_of(run)
    partials = _partials(run, assignment, way)
    results = [_merged(run, name, partials, assignment) for name in assignment.blocks]
    replace_all([*(_result(run, result) for result in results), _slice_runs(run, partials)])
    # Last: whoever finds a day here finds its results, too.
    replace_all([_result_days(run, results)])
    rows = sum(result.table.num_rows for result in results)
    message = ", ".join(f"{result.query} {result.table.num_rows:,}" for result in results)
    return StageOutcome(sum(p.events for p in partials), rows, message, days=_day_outcomes(results))


def assignment_of(run: Run) -> Assignment:
    """What the workers are told."""
    assert run.scope is not None
    calendar = run.workload.operating_days
    names = sorted({evaluation.query for evaluation in run.scope.evaluations})
    blocks = {
        name: tuple(
            (*(calendar.interval(e.day)[0] for e in block), calendar.interval(block[-1].day)[1])
            for block in run.scope.blocks(name)
        )
        for name in names
    }
    texts = []
    for name in names:
        settings = run.workload.settings(name)
        texts.append(QueryText(name, run.compiled[name].text, settings.max_matches, settings.exact_counts))
    return Assignment(
        tuple(plan.to_dict() for plan in planned(run)),
        tuple(texts),
        blocks,
        schema_to_values(run.workload.schema),
        run.workload.limits.slice_rows,
    )


def _partials(run: Run, assignment: Assignment, way: Literal["paths", "scan"] | None) -> list[Partial]:
    from pyspark.sql import functions as f

    plan_ids = [str(plan["plan_id"]) for plan in assignment.plans]
    slices = run.spark.table(run.table("work_slices")).where(f.col("plan_id").isin(plan_ids))
    files = sorted(slices.inputFiles())
    local = all(urlsplit(file).scheme in ("", "file") for file in files)
    evaluated = (
        _by_path(run, files, assignment) if way == "paths" or (way is None and local) else _by_scan(slices, assignment)
    )
    return [Partial(**{**row, "batches": tuple(row["batches"])}) for row in evaluated.toArrow().to_pylist()]


def _by_path(run: Run, files: Sequence[str], assignment: Assignment) -> DataFrame:
    """One Spark task for each slice, largest first; each opens its file itself."""
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
        found = evaluate_slice(assignment, key[0].as_py(), key[1].as_py(), ordered.combine_chunks())
        return pa.Table.from_batches(_encoded(found), ARROW_PARTIAL)

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
        ("events", pa.int64()),
        ("rows", pa.int64()),
        ("seconds", pa.float64()),
        ("peak_memory", pa.int64()),
    ]
)


def _encoded(partials: Iterable[Partial]) -> Iterator[pa.RecordBatch]:
    for partial in partials:
        row = {**vars(partial), "batches": list(partial.batches)}
        yield pa.RecordBatch.from_pylist([row], ARROW_PARTIAL)


def _merged(run: Run, name: str, partials: Sequence[Partial], assignment: Assignment) -> Result:
    """A query's result of all its blocks of days."""
    assert run.scope is not None
    evaluator, calendar = run.compiled[name].evaluator, run.workload.operating_days
    tables, totals = [], {}
    for number, days in enumerate(assignment.blocks[name]):
        own = (
            from_bytes(content)
            for partial in partials
            if partial.query == name and partial.block == number
            for content in partial.batches
        )
        merged = evaluator.merge(own, days)
        tables.append(_with_day(merged, days, [calendar.day_of(moment) for moment in days[:-1]]))
        stored = json.loads((merged.schema.metadata or {}).get(TOTALS, b"{}"))
        totals.update({calendar.day_of(int(moment)): counts for moment, counts in stored.items()})
    return Result(name, run.scope.of(name), pa.concat_tables(tables), totals)


def _with_day(merged: pa.Table, days: Moments, names: Sequence[date]) -> pa.Table:
    """The merged rows with the operating day in which each became certain, without that moment."""
    index = np.searchsorted(days, merged[CERTAIN].to_numpy(), side="right") - 1
    day = pa.array(names, pa.date32()).take(pa.array(index))
    return merged.drop_columns([CERTAIN]).replace_schema_metadata().append_column("day", day)


def _result(run: Run, result: Result) -> Replacement:
    from pyspark.sql import functions as f

    table, days = run.table(result.query), [evaluation.day for evaluation in result.evaluations]
    rows = result.table.append_column("run_id", pa.array([run.run_id] * result.table.num_rows, pa.string()))
    # Spark makes no frame of a table without chunks, and an empty result must clear its days all the same.
    nothing = run.spark.table(table).where(f.lit(False))
    frame = run.spark.createDataFrame(rows) if rows.num_rows else nothing
    return Replacement(frame, table, f.col("day").isin(days))


def _slice_runs(run: Run, partials: Sequence[Partial]) -> Replacement:

    grouped: dict[tuple[str, str, int], list[Partial]] = {}
    for partial in partials:
        grouped.setdefault((partial.query, partial.plan_id, partial.slice), []).append(partial)
    rows = [
        {
            "day": run.last,
            "run_id": run.run_id,
            "query": query,
            "plan_id": plan_id,
            "slice": number,
            "events": sum(p.events for p in own),
            "rows": sum(p.rows for p in own),
            "seconds": sum(p.seconds for p in own),
            "peak_memory": max(p.peak_memory for p in own),
        }
        for (query, plan_id, number), own in sorted(grouped.items())
    ]
    assert run.scope is not None
    evaluated = {evaluation.query for evaluation in run.scope.evaluations}
    return _of_rows(run, "slice_runs", rows, own_rows(run, "slice_runs", "query", evaluated))


def _result_days(run: Run, results: Sequence[Result]) -> Replacement:
    from pyspark.sql import functions as f

    rows, mine = [], f.lit(False)
    for result in results:
        days = result.table["day"]
        counts = {row["values"]: row["counts"] for row in pa.compute.value_counts(days).to_pylist()}
        mine |= (f.col("query") == result.query) & f.col("day").isin([e.day for e in result.evaluations])
        for evaluation in result.evaluations:
            totals, listed = result.totals.get(evaluation.day, {}), counts.get(evaluation.day, 0)
            known = totals.get("matches_total") or totals.get("matches_at_least")
            rows.append(
                {
                    "day": evaluation.day,
                    "run_id": run.run_id,
                    "query": result.query,
                    "definition": run.compiled[result.query].definition,
                    "inputs": json.dumps({day.isoformat(): v for day, v in sorted(evaluation.inputs.items())}),
                    "rows": listed,
                    "matches_total": totals.get("matches_total"),
                    "matches_at_least": totals.get("matches_at_least"),
                    "truncated": known is not None and int(known) > listed,
                    "complete": evaluation.complete,
                }
            )
    return _of_rows(run, "result_days", rows, mine)


def _of_rows(run: Run, table: str, rows: list[dict[str, Any]], condition: Column) -> Replacement:
    """Rows of plain values, typed as the table is."""
    schema = run.spark.table(run.table(table)).schema
    values = [tuple(row[field.name] for field in schema.fields) for row in rows]
    return Replacement(run.spark.createDataFrame(values, schema), run.table(table), condition)


def _day_outcomes(results: Sequence[Result]) -> dict[date, DayOutcome]:
    """How many rows each evaluated day has, over all queries."""
    found: dict[date, dict[str, int]] = {}
    for result in results:
        counts = {row["values"]: row["counts"] for row in pa.compute.value_counts(result.table["day"]).to_pylist()}
        for evaluation in result.evaluations:
            found.setdefault(evaluation.day, {})[result.query] = counts.get(evaluation.day, 0)
    return {
        day: DayOutcome(
            0, sum(counts.values()), message=", ".join(f"{q} {n:,}" for q, n in sorted(counts.items())), details=counts
        )
        for day, counts in sorted(found.items())
    }

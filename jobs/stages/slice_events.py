"""Stage `slice_events`: writes every event that the plans need, once for each of its slices (paper 01, Algorithm 1).

Reads `events` and `slicing_plans`; replaces `_work/slices`, which holds the slices of one run only, because others can
be made again. Each slice is one file, sorted by (ts, seq), so that a worker can open it by its path. `pos` is an
event's rank among all events of the days read: its rank within its day after the number of events of the days before,
which needs no global sort. If a query reads time-points, each event has its `offset`, and `_work/points` is written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from deltalake import DeltaTable

from cep_core.language.evaluator import opened_by
from cep_core.slicing import Plan, split
from jobs.lake.conditions import EVERY_ROW
from jobs.lake.write import replace
from jobs.runs.ledger import read_ledger
from jobs.runs.run import Run, StageOutcome
from jobs.stages.slicing.event_counts import Days
from jobs.stages.slicing.planned import planned, read_by
from jobs.stages.slicing.time_points import are_read, offset, store_points

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def slice_events(run: Run) -> StageOutcome:
    """Write the slices of the run's plans."""
    from pyspark.sql import functions as f

    assert run.scope is not None
    plans = [(plan, read_by(run, plan)) for plan in planned(run)]
    needed = sorted({name for plan, _ in plans for query in plan.queries for name in attributes_read(run, query, plan)})
    with_points = are_read(run, {query for plan, _ in plans for query in plan.queries})
    ranked = _ranked(run, run.scope.reads)
    if with_points:
        ranked = ranked.withColumn("offset", offset(run.workload.time.points))
    events = ranked.where(
        f.col("event_type").isin(sorted({atom.event_type for plan, _ in plans for atom in plan.atoms}))
    )
    columns = ["day", "event_type", "ts", "seq", "pos", *(["offset"] if with_points else []), *needed]
    absent = {name: f.lit(None) for name in ("offset", *run.workload.attributes) if name not in columns}
    sliced = (
        events.select(*columns)
        .mapInArrow(splitter(plans), _ddl(run, columns))
        .repartition(2 * run.spark.sparkContext.defaultParallelism, "plan_id", "slice")
        .sortWithinPartitions("plan_id", "slice", "ts", "seq")
        .withColumns({**absent, "run_id": f.lit(run.run_id)})
    )
    replace(sliced, run.table("work_slices"), EVERY_ROW)
    if with_points:
        store_points(run, run.scope.reads)
    read = read_ledger(run.lake, run.workload.name)
    rows_in = sum(read.days[day].events for day in run.scope.reads if day in read.days)
    written = DeltaTable(run.lake / run.workload.name / "_work" / "slices").count()
    return StageOutcome(
        rows_in, written, message=f"{sum(plan.slices for plan, _ in plans)} slices of {len(plans)} plan(s)"
    )


def attributes_read(run: Run, query: str, plan: Plan) -> set[str]:
    """The attributes that evaluating a query by a plan looks at, and those of its atoms. It needs no others."""
    evaluator = run.compiled[query].evaluator
    seen = opened_by(evaluator, plan.names_of(query)) or evaluator
    named = {name for atom in seen.atoms for name, _ in (*atom.variables, *atom.constants)}
    return run.workload.attributes.keys() & named.union(*evaluator.reads.values(), *seen.reads.values())


def splitter(plans: Sequence[tuple[Plan, Days]]) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """The function that each worker applies to its events.

    It gives a row for each slice of each plan that an event is in.
    """
    contents = [(plan.to_dict(), list(days)) for plan, days in plans]

    def split_batches(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        restored = [(Plan.from_dict(content), days) for content, days in contents]
        for batch in batches:
            for plan, days in restored:
                yield from split_batch(plan, days, batch)

    return split_batches


def split_batch(plan: Plan, days: list[date], batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    """The rows of one plan for a batch of events, with the columns `plan_id` and `slice` in front."""
    events = pa.Table.from_batches([batch])
    events = events.filter(pc.is_in(events["day"], pa.array(days, pa.date32())))
    rows, slices = split(plan, events)
    copies = events.take(pa.array(rows))
    copies = copies.add_column(0, "slice", pa.array(slices.astype(np.int32)))
    yield from copies.add_column(0, "plan_id", pa.array([plan.plan_id] * len(rows), pa.string())).to_batches()


def _ranked(run: Run, days: Days) -> DataFrame:
    """The events of some days with `pos`, their rank among all events of these days."""
    from pyspark.sql import Window
    from pyspark.sql import functions as f

    spark, ledger = run.spark, read_ledger(run.lake, run.workload.name)
    counts = [ledger.days[day].events if day in ledger.days else 0 for day in days]
    before = np.cumsum([0, *counts])[:-1]
    offsets = spark.createDataFrame(
        pa.table({"day": pa.array(days, pa.date32()), "before": pa.array(before, pa.int64())})
    )
    in_day = f.row_number().over(Window.partitionBy("day").orderBy("ts", "seq"))
    events = spark.table(run.table("events")).where(f.col("day").isin(list(days)))
    return events.join(f.broadcast(offsets), "day").withColumn("pos", in_day + f.col("before") - 1)


def _ddl(run: Run, columns: Iterable[str]) -> str:
    from jobs.lake.definition import SQL_TYPES

    of_log = {"day": "DATE", "event_type": "STRING", **dict.fromkeys(("ts", "seq", "pos", "offset"), "BIGINT")}
    types = of_log | {name: SQL_TYPES[kind] for name, kind in run.workload.attributes.items()}
    return ", ".join(["plan_id STRING", "slice INT", *(f"`{name}` {types[name]}" for name in columns)])

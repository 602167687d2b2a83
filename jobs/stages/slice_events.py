"""Stage `slice_events`: writes every event that the plans need, once for each of its slices (paper 01, Algorithm 1).

Reads `events` and `slicing_plans`; replaces `_work/slices`, which holds the slices of one run only, because others can
be made again. Each slice is one file, sorted by (ts, seq), so that a worker can open it by its path. `pos` is an
event's rank among all events of the days read. If a query reads time-points, each event has its `offset`, and
`_work/points` is written. This process cuts them, piece by piece (`slicing/cutting.py`); on a cluster, Spark's workers
do (`jobs/stages/held_rows.py`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from deltalake import DeltaTable

from cep_core.events.logs.time_points import offsets_of
from cep_core.language.open_form import opened_by
from cep_core.slicing import Plan, split
from jobs.lake.arrow_write import schema_of
from jobs.lake.conditions import EVERY_ROW
from jobs.lake.table_files import TableFile, TableFiles
from jobs.lake.write import replace
from jobs.runs.ledger import read_ledger
from jobs.runs.run import Run, StageOutcome
from jobs.stages.held_rows import passes_events, table_frame
from jobs.stages.loading.log_order import DAY_BITS
from jobs.stages.slicing.counting.event_counts import Days
from jobs.stages.slicing.cutting import cut, parts_of
from jobs.stages.slicing.event_pieces import event_pieces
from jobs.stages.slicing.planned import planned, read_by
from jobs.stages.slicing.time_points import PointsFile, are_read, offset, store_points
from jobs.workload.declaration import Workload

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

Plans = Sequence[tuple[Plan, Days]]
"""Plans, each with the days that its queries read."""

IN_FILES = ("plan_id", "slice", "ts", "seq")
"""The order of rows in the files of `_work/slices`."""


def slice_events(run: Run) -> StageOutcome:
    """Write the slices of the run's plans."""
    assert run.scope is not None
    plans = [(plan, read_by(run, plan)) for plan in planned(run)]
    needed = sorted({name for plan, _ in plans for query in plan.queries for name in attributes_read(run, query, plan)})
    with_points = are_read(run, {query for plan, _ in plans for query in plan.queries})
    columns = ["day", "event_type", "ts", "seq", "pos", *(["offset"] if with_points else []), *needed]
    here = passes_events(run)
    points = PointsFile(run) if with_points and here else None
    rows = cut_here(run, plans, columns, points) if here else cut_in_spark(run, plans, columns)
    replace(rows, run.table("work_slices"), EVERY_ROW)
    if with_points:
        store_points(run, run.scope.reads, points)
    read = read_ledger(run.lake, run.workload.name)
    rows_in = sum(read.days[day].events for day in run.scope.reads if day in read.days)
    written = DeltaTable(run.lake / run.workload.name / "_work" / "slices").count()
    return StageOutcome(
        rows_in, written, message=f"slices: {sum(plan.slices for plan, _ in plans)}, plans: {len(plans)}"
    )


def cut_here(run: Run, plans: Plans, columns: Sequence[str], points: PointsFile | None) -> TableFiles:
    """The files of `_work/slices`. `points`: the file of points that is to be written beside them."""
    assert run.scope is not None
    home = run.lake / run.workload.name
    schema = schema_of(home / "_work" / "slices")
    schema = pa.schema([field for field in schema if field.name not in ("plan_id", "slice")])
    files: list[TableFile] = []
    for number, parts in enumerate(parts_of(plans)):
        pieces = _numbered(event_pieces(home / "events", _stored(columns, run), run.scope.reads), run, columns)
        if points is not None and not number:  # each further pass has the same events
            pieces = points.counted(pieces)
        files += cut(parts, pieces, home / "_work" / "slices", schema, run.run_id)
    return TableFiles(files)


def _stored(columns: Sequence[str], run: Run) -> list[str]:
    """The columns of events from which those of slices are made."""
    own = run.workload.time.point_column if "offset" in columns else "ts"
    return list(dict.fromkeys([*(name for name in columns if name not in ("pos", "offset")), own]))


def _numbered(pieces: Iterable[pa.Table], run: Run, columns: Sequence[str]) -> Iterator[pa.Table]:
    """Pieces of events with `pos` and, where it is read, `offset`."""
    before = 0
    for piece in pieces:
        numbered = piece.append_column("pos", pa.array(np.arange(before, before + piece.num_rows)))
        if "offset" in columns:
            numbered = numbered.append_column("offset", pa.array(offsets_of(piece, run.workload.time.points)))
        before += piece.num_rows
        yield numbered.select(list(columns))


def cut_in_spark(run: Run, plans: Plans, columns: Sequence[str]) -> DataFrame:
    """The same by Spark's workers; an event's rank in its day needs no global sort."""
    from pyspark.sql import functions as f

    assert run.scope is not None
    ranked = _ranked(run, run.scope.reads)
    if "offset" in columns:
        ranked = ranked.withColumn("offset", offset(run.workload.time.points))
    events = ranked.where(
        f.col("event_type").isin(sorted({atom.event_type for plan, _ in plans for atom in plan.atoms}))
    )
    absent = {name: f.lit(None) for name in ("offset", *run.workload.attributes) if name not in columns}
    return (
        events.select(*columns)
        .mapInArrow(splitter(plans), _ddl(run, columns))
        .repartition(2 * run.spark.sparkContext.defaultParallelism, "plan_id", "slice")
        .sortWithinPartitions(*IN_FILES)
        .withColumns({**absent, "run_id": f.lit(run.run_id)})
    )


def attributes_read(run: Run, query: str, plan: Plan) -> set[str]:
    """The attributes that evaluating a query by a plan looks at, and those of its atoms. It needs no others."""
    evaluator = run.compiled[query].evaluator
    seen = opened_by(evaluator, plan.names_of(query)) or evaluator
    named = {name for atom in seen.atoms for name, _ in (*atom.variables, *atom.constants)}
    return run.workload.attributes.keys() & named.union(*evaluator.reads.values(), *seen.reads.values())


def splitter(plans: Plans) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """The function that each worker applies to its events.

    It gives a row for each slice of each plan that an event is in.
    """
    contents = [(plan.to_dict(), list(days)) for plan, days in plans]

    def split_batches(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        restored = [(Plan.from_dict(content), days) for content, days in contents]
        for batch in batches:
            for plan, days in restored:
                yield from split_events(plan, days, pa.Table.from_batches([batch])).to_batches()

    return split_batches


def split_events(plan: Plan, days: Sequence[date], events: pa.Table) -> pa.Table:
    """The rows of one plan for some events, with the columns `plan_id` and `slice` in front."""
    events = events.filter(pc.is_in(events["day"], pa.array(days, pa.date32())))
    rows, slices = split(plan, events)
    copies = events.take(pa.array(rows))
    copies = copies.add_column(0, "slice", pa.array(slices.astype(np.int32)))
    return copies.add_column(0, "plan_id", pa.array([plan.plan_id] * len(rows), pa.string()))


def _ranked(run: Run, days: Days) -> DataFrame:
    """The events of some days with `pos`: their rank within their day after the number of events of the days before.

    Where the load made `seq`, it says the rank. Else one task sorts a day.
    """
    from pyspark.sql import Window
    from pyspark.sql import functions as f

    spark, ledger = run.spark, read_ledger(run.lake, run.workload.name)
    counts = [ledger.days[day].events if day in ledger.days else 0 for day in days]
    before = np.cumsum([0, *counts])[:-1]
    offsets = spark.createDataFrame(
        pa.table({"day": pa.array(days, pa.date32()), "before": pa.array(before, pa.int64())})
    )
    if seq_is_rank(run.workload):
        in_day = f.col("seq") - f.shiftleft(f.unix_date("day").cast("bigint"), DAY_BITS)
    else:
        in_day = f.row_number().over(Window.partitionBy("day").orderBy("ts", "seq")) - 1
    events = table_frame(run, "events").where(f.col("day").isin(list(days)))
    return events.join(f.broadcast(offsets), "day").withColumn("pos", in_day + f.col("before"))


def seq_is_rank(workload: Workload) -> bool:
    """Whether the load makes `seq`, of an event's rank in its day: events.sql cannot give it without its name."""
    columns = {name.lower() for source in workload.sources.values() for name in source.columns}
    return "seq" not in columns and re.search(r"\bseq\b", workload.events_sql, re.IGNORECASE) is None


def _ddl(run: Run, columns: Iterable[str]) -> str:
    from jobs.lake.definition import SQL_TYPES

    of_log = {"day": "DATE", "event_type": "STRING", **dict.fromkeys(("ts", "seq", "pos", "offset"), "BIGINT")}
    types = of_log | {name: SQL_TYPES[kind] for name, kind in run.workload.attributes.items()}
    return ", ".join(["plan_id STRING", "slice INT", *(f"`{name}` {types[name]}" for name in columns)])

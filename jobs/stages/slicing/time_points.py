"""The time-points of the days that a run reads (docs/semantics.md 1): `offset` of events, and `_work/points`.

A time-point is a set of events that the source calls concurrent, whether or not a query reads them. So points are
counted over all events of the days, once a run, and every worker gets them. A run whose queries read no time-points
counts none. Cost: one aggregation over (`ts`, the column that numbers points); one row for each stamp.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import date
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from cep_core.events.logs.time_points import BY_EVENT, BY_TIMESTAMP, offsets_of, points_of
from jobs.lake.conditions import EVERY_ROW
from jobs.lake.dataset import read_table
from jobs.lake.reading import log_order
from jobs.lake.tables.creating import create
from jobs.lake.tables.slicing_tables import TIME_POINTS
from jobs.lake.write import replace
from jobs.runs.run import Run
from jobs.stages.held_rows import frame_of, holds_days

if TYPE_CHECKING:
    from pyspark.sql import Column

SCHEMA = pa.schema([pa.field("ts", pa.int64(), False), pa.field("points", pa.int64(), False)])
"""The columns of `_work/points` that evaluators get."""


def are_read(run: Run, queries: Collection[str]) -> bool:
    """Whether some of these queries read time-points."""
    return any(run.compiled[name].evaluator.reads_points for name in queries)


def offset(points: str) -> Column:
    """The index of an event's point among those of equal `ts`; `points` as in `time` of workload.yaml."""
    from pyspark.sql import Window
    from pyspark.sql import functions as f

    if points == BY_TIMESTAMP:
        return f.lit(0).cast("bigint")
    of_stamp = Window.partitionBy("day", "ts")
    if points == BY_EVENT:
        return f.row_number().over(of_stamp.orderBy("seq")).cast("bigint") - 1
    return f.dense_rank().over(of_stamp.orderBy(f"`{points}`")).cast("bigint") - 1


def count_in_stamp(points: str) -> Column:
    """How many points the events of one stamp are."""
    from pyspark.sql import functions as f

    if points == BY_TIMESTAMP:
        return f.lit(1).cast("bigint")
    return f.count("*") if points == BY_EVENT else f.count_distinct(f"`{points}`")


def store_points(run: Run, days: Collection[date]) -> None:
    """Write the points of these days to `_work/points`, in order of time."""
    create(run.workload.name, [TIME_POINTS], run.lake)
    counted = counted_here(run, days) if holds_days(run, days) else counted_in_spark(run, days)
    rows = counted.sort_by("ts").append_column("run_id", pa.repeat(run.run_id, counted.num_rows))
    replace(rows, run.table(TIME_POINTS.name), EVERY_ROW)


def counted_here(run: Run, days: Collection[date]) -> pa.Table:
    """How many points each stamp of these days has: (day, ts, points)."""
    time, calendar = run.workload.time, run.workload.operating_days
    columns = dict.fromkeys(["ts", "seq", time.point_column])
    stored = read_table(run.lake / run.workload.name / "events", list(columns), days)
    assert stored is not None, "the lake has a table of events"
    events = log_order(stored)
    points = points_of(events["ts"].to_numpy(), offsets_of(events, time.points))
    numbers = (points["ts"].to_numpy() - calendar.offset) // calendar.length
    return points.add_column(0, "day", pa.array(numbers.astype(np.int32)).cast(pa.date32()))


def counted_in_spark(run: Run, days: Collection[date]) -> pa.Table:
    """The same by Spark."""
    events = frame_of(run, "events", days)
    return events.groupBy("day", "ts").agg(count_in_stamp(run.workload.time.points).alias("points")).toArrow()


def stored_points(run: Run) -> pa.Table:
    """The points that `store_points` wrote: `ts` ascending and distinct, `points`."""
    stored = read_table(run.lake / run.workload.name / TIME_POINTS.folder, SCHEMA.names)
    return SCHEMA.empty_table() if stored is None else stored.sort_by("ts").cast(SCHEMA).combine_chunks()


def has_own_points(run: Run) -> bool:
    """Whether the stored points are this run's. Of days without events there are none, whoever wrote them."""
    stored = read_table(run.lake / run.workload.name / TIME_POINTS.folder, ["run_id"])
    return stored is not None and set(stored["run_id"].unique().to_pylist()) <= {run.run_id}

"""The time-points of the days that a run reads (docs/semantics.md 1): `offset` of events, and `_work/points`.

A time-point is a set of events that the source calls concurrent, whether or not a query reads them. So points are
counted over all events of the days, once a run, and every worker gets them (`mapped_points.py`). A run whose queries
read no time-points counts none. Cost: a look at the stamps of each piece of events that is cut into slices; on a
cluster an aggregation over (`ts`, the column that numbers points) by Spark. One row for each stamp.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from datetime import date
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.dataset as ds

from cep_core.events.logs.time_points import BY_EVENT, BY_TIMESTAMP, points_of
from jobs.lake.arrow_write import schema_of
from jobs.lake.conditions import EVERY_ROW
from jobs.lake.dataset import read_table
from jobs.lake.table_files import TableFile, TableFiles, in_columns, new_path, writer_of, written
from jobs.lake.tables.creating import create
from jobs.lake.tables.slicing_tables import TIME_POINTS
from jobs.lake.write import replace
from jobs.runs.run import Run
from jobs.stages.held_rows import frame_of

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

NEARLY_EQUAL = ("day", "ts", "points")
"""Columns that hardly change from row to row. Kept as differences, they are written in half the time and a sixth of the
bytes, and read in an eighth of the time."""


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


class PointsFile:
    """A file with the number of points of each stamp of a run's days. It is written while their events are cut."""

    def __init__(self, run: Run) -> None:
        create(run.workload.name, [TIME_POINTS], run.lake)
        self._run = run
        self._folder = run.lake / run.workload.name / TIME_POINTS.folder
        self.files: list[TableFile] = []
        """The file, when all events have passed."""

    def counted(self, pieces: Iterable[pa.Table]) -> Iterator[pa.Table]:
        """The pieces of all events, in the log's order; they have `offset`, and a piece holds all events of its stamps.

        The points of a piece are written as it passes.
        """
        schema, path = schema_of(self._folder), new_path(self._folder, {}, "points")
        calendar = self._run.workload.operating_days
        with writer_of(self._folder / path, schema, NEARLY_EQUAL) as writer:
            for events in pieces:
                points = points_of(events["ts"].to_numpy(), events["offset"].to_numpy())
                numbers = (points["ts"].to_numpy() - calendar.offset) // calendar.length
                points = points.add_column(0, "day", pa.array(numbers.astype(np.int32)).cast(pa.date32()))
                writer.write_table(in_columns(points, schema, {"run_id": self._run.run_id}))
                yield events
        self.files = [written(self._folder, path, {}, ("ts", "run_id"))]


def store_points(run: Run, days: Collection[date], counted: PointsFile | None) -> None:
    """Write the points of these days to `_work/points`, in order of time. `counted`: their file; None: Spark counts."""
    create(run.workload.name, [TIME_POINTS], run.lake)
    rows = _counted_in_spark(run, days) if counted is None else TableFiles(counted.files)
    replace(rows, run.table(TIME_POINTS.name), EVERY_ROW)


def _counted_in_spark(run: Run, days: Collection[date]) -> DataFrame:
    """The same by Spark."""
    from pyspark.sql import functions as f

    events = frame_of(run, "events", days)
    counted = events.groupBy("day", "ts").agg(count_in_stamp(run.workload.time.points).alias("points"))
    return counted.sort("ts").withColumn("run_id", f.lit(run.run_id))


def has_own_points(run: Run) -> bool:
    """Whether the stored points are this run's. Of days without events there are none, whoever wrote them."""
    folder = run.lake / run.workload.name / TIME_POINTS.folder
    others = read_table(folder, ["run_id"], where=ds.field("run_id") != run.run_id)
    return others is not None and not others.num_rows

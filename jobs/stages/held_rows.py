"""Rows between the lake's tables and Spark: of a small run, this process holds them; of a large one, Spark does.

Spark replays a table's log before it reads or writes the table, and plans the commit: 0.3 CPU-seconds for each read and
1 to 2 for each write, however few the rows are (docs/decisions/0021). The rows of a small run (8 MB of text at most,
`jobs/runs/input_size.py`) pass through Arrow instead, and Spark only computes. So are larger rows loaded, up to some
two million (0027); workers evaluate their slices. Beyond, workers also read, order and write what is loaded, and
published events are counted and cut piece by piece (0028). All ways leave the same rows.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from typing import TYPE_CHECKING

import pyarrow as pa

from jobs.lake.leasing.fence import folder_of
from jobs.lake.register import stored_table
from jobs.runs.input_size import read_bytes
from jobs.runs.run import Run

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

LOG_ORDER = ("day", "ts", "seq")


def is_held(run: Run) -> bool:
    """Whether this process holds the run's rows."""
    return run.session.scale == "small"


def holds_load(run: Run) -> bool:
    """Whether this process holds the rows that the run loads, from source to table; Spark computes what SQL says."""
    if is_held(run):
        return True
    sizes = [read_bytes(source, run.loads, run.workload) for source in run.workload.sources.values()]
    return all(size is not None for size in sizes) and sum(filter(None, sizes)) < run.session.held_bytes


def passes_events(run: Run) -> bool:
    """Whether the events pass this process piece by piece to be counted and cut, however many there are: it needs
    little memory for that. A cluster has more machines than this one."""
    return is_held(run) or run.session.held_bytes > 0


def table_frame(run: Run, table: str) -> DataFrame:
    """A table of the run's lake as a frame."""
    name = run.table(table)
    return stored_table(run.spark, name, run.lake / run.workload.name / folder_of(name))


def frame_of(run: Run, table: str, days: Iterable[date]) -> DataFrame:
    """The rows of some days in a table of a large run's lake."""
    from pyspark.sql import functions as sf

    return table_frame(run, table).where(sf.col("day").isin(sorted(set(days))))


def of_spark(spark: SparkSession, rows: pa.Table) -> DataFrame:
    """Rows of this process as a frame. Of a table of no chunks Spark makes none."""
    return spark.createDataFrame(rows.combine_chunks() if rows.num_rows else rows.schema.empty_table())

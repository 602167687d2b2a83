"""The rows that a run replaces in a table in which one day may hold rows of several runs."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from jobs.lake.dataset import read_table
from jobs.runs.run import Run

if TYPE_CHECKING:
    from pyspark.sql import Column


def own_rows(run: Run, table: str, column: str, values: Collection[str]) -> Column:
    """The rows of the run's last day whose `column` is one of `values`.

    If the day holds no others, as on most nights, the condition is the whole day: Delta replaces a partition without
    reading its files.
    """
    from pyspark.sql import functions as f

    day = f.col("day") == f.lit(run.last)
    stored = read_table(run.lake / run.workload.name / table, [column], [run.last])
    foreign = set() if stored is None else set(stored[column].to_pylist()) - set(values)
    return day & f.col(column).isin(sorted(values)) if foreign else day

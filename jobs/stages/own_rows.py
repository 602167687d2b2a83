"""The rows that a run replaces in a table in which one day may hold rows of several runs."""

from __future__ import annotations

from collections.abc import Collection

from jobs.lake.conditions import equal, one_of
from jobs.lake.dataset import read_table
from jobs.runs.run import Run


def own_rows(run: Run, table: str, column: str, values: Collection[str]) -> str:
    """The rows of the run's last day whose `column` is one of `values`.

    If the day holds no others, as on most nights, the condition is the whole day: Delta replaces a partition without
    reading its files.
    """
    day = equal("day", run.last)
    stored = read_table(run.lake / run.workload.name / table, [column], [run.last])
    foreign = set() if stored is None else set(stored[column].to_pylist()) - set(values)
    return f"{day} AND {one_of(column, sorted(values))}" if foreign else day

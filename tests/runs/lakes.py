"""Runs on a small lake, in the tests' own Spark session, and what the law compares afterwards."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
from deltalake import DeltaTable

from jobs.exits import GateFailure
from jobs.runs.run import Run, Silent
from jobs.runs.tasks import begin, evaluate, load, refused_days, slice_
from tests.runs.small_workload import QUERIES, day

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

COMPARED = ("events", "quarantine", "stream_statistics", "heavy_hitters", *QUERIES)
"""Tables that the law speaks of."""


@dataclass
class SmallLake:
    """The lake of a small workload below `folder`; `home` is the workload's folder."""

    spark: SparkSession
    home: Path
    folder: Path
    runs: int = 0

    def begin(self, first: int, last: int, run_id: str) -> Run:
        """A run of the days with these numbers, before its first task or between two."""
        days = day(first), day(last)
        return begin(str(self.home), *days, run_id, spark=self.spark, lake=self.folder, progress=Silent())

    def run(self, first: int, last: int) -> Run:
        """Load, slice and evaluate the days with these numbers. Returns the run, whether days were refused or not."""
        self.runs += 1
        run = self.begin(first, last, f"run-{self.runs}")
        try:
            load(run)
        except GateFailure:
            assert len(refused_days(run)) == len(run.days)
            return run
        slice_(run)
        evaluate(run)
        return run

    def table(self, name: str) -> pa.Table:
        """A table's rows without `run_id`."""
        found = DeltaTable(self.folder / "machines" / name).to_pyarrow_table()
        return found.drop_columns(["run_id"])

    def tables(self) -> dict[str, list[dict[str, object]]]:
        """The compared tables as sets of rows, and what was evaluated from what."""
        found = {name: _as_set(self.table(name)) for name in COMPARED}
        days = self.table("result_days")
        return {**found, "result_days": _as_set(days)}

    def forget(self) -> None:
        """Let another lake of the same workload take the session's table names."""
        self.spark.sql("DROP DATABASE IF EXISTS machines CASCADE")


def _as_set(table: pa.Table) -> list[dict[str, object]]:
    names = sorted(table.column_names)
    return sorted(table.select(names).to_pylist(), key=repr)

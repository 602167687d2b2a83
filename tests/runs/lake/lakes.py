"""Runs on a small lake, in the tests' own Spark session, and what the law compares afterwards."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
from deltalake import DeltaTable

from jobs.exits import GateFailure
from jobs.lake.session import LateSession
from jobs.runs.run import Run, Silent
from jobs.stages.measuring.shed import EXPERIMENT
from jobs.tasks.nightly import begin, evaluate, load, refused_days, slice_, stale_scope
from tests.leases import leased
from tests.runs.lake.small_workload import MATCH_EVENTS, RESULTS, day

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Tables = dict[str, list[dict[str, object]]]
"""Each table as a set of rows."""

CommandLine = Callable[..., tuple[int, str]]
"""A command's name and arguments -> its exit code and what it printed."""

COMPARED = ("events", "quarantine", "stream_statistics", "heavy_hitters", *RESULTS, *MATCH_EVENTS)
"""Tables that the law speaks of."""


@dataclass
class StoredLake:
    """The tables of a small workload's lake below `folder`, read without Spark."""

    folder: Path

    def table(self, name: str) -> pa.Table:
        """A table's rows without `run_id`."""
        return self._read(name).drop_columns(["run_id"])

    def rows(self, name: str) -> list[dict[str, object]]:
        """A table's rows as a set, with the run that wrote each."""
        return _as_set(self._read(name))

    def tables(self, *joined: str) -> Tables:
        """The compared tables, and those of queries that joined, as sets of rows; what was evaluated from what.

        Also what was measured of shedding: the days that train are those that the queries reach, so the law holds.
        """
        tables_ = {name: _as_set(self.table(name)) for name in (*COMPARED, *joined, "result_days")}
        return tables_ | {"shedding": self.shedding()}

    def shedding(self) -> list[dict[str, object]]:
        """The rows of the shedding experiments, without `run_id`."""
        return [row for row in _as_set(self.table("experiments")) if row["experiment"] == EXPERIMENT]

    def _read(self, name: str) -> pa.Table:
        return DeltaTable(self.folder / "machines" / name).to_pyarrow_table()


@dataclass
class SmallLake(StoredLake):
    """A lake to run on; `home` is the workload's folder."""

    spark: SparkSession
    home: Path
    runs: int = 0

    def begin(self, first: int, last: int, run_id: str) -> Run:
        """A run of the days with these numbers, before its first task or between two."""
        days, session = (day(first), day(last)), LateSession.of(self.spark)
        return begin(str(self.home), *days, run_id, session=session, lake=self.folder, progress=Silent())

    def run(self, first: int, last: int) -> Run:
        """Load, slice and evaluate the days with these numbers. Returns the run, whether days were refused or not."""
        self.runs += 1
        with self.leased(f"run-{self.runs}"):
            run = self.begin(first, last, f"run-{self.runs}")
            try:
                load(run)
            except GateFailure:
                assert len(refused_days(run)) == len(run.days)
                return run
            slice_(run)
            evaluate(run)
            return run

    def evaluate_stale(self, first: int, last: int) -> Run:
        """Slice and evaluate what the present workload makes stale, without loading anything."""
        self.runs += 1
        with self.leased(f"run-{self.runs}"):
            run = self.begin(first, last, f"run-{self.runs}")
            run = replace(run, scope=stale_scope(run), loads=())
            slice_(run)
            evaluate(run)
            return run

    def leased(self, run_id: str) -> AbstractContextManager[None]:
        """The lake's lease while a block works."""
        return leased(self.folder, "machines", run_id)

    def copy(self, folder: Path) -> SmallLake:
        """The same lake in another folder, which takes the session's table names."""
        self.forget()
        return SmallLake(shutil.copytree(self.folder, folder), self.spark, self.home, self.runs)

    def forget(self) -> None:
        """Let another lake of the same workload take the session's table names."""
        self.spark.sql("DROP DATABASE IF EXISTS machines CASCADE")


def _as_set(table: pa.Table) -> list[dict[str, object]]:
    names = sorted(table.column_names)
    return sorted(table.select(names).to_pylist(), key=repr)

"""Airflow at work with a lake: the files of its two workloads, the tables of days, and commands on a lake."""

from __future__ import annotations

import gzip
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
from deltalake import DeltaTable

from jobs import places
from tests.runs.scheduler.airflow_server import Airflow

FLIGHTS, USAGE = "nightly_nyc_flights", "nightly_data_usage"
LATE = date(2010, 8, 26)
"""The day of `data_usage` whose file arrives late."""
OF_RUNS = ("runs", "slice_runs", "experiments", "slicing_plans")
"""Tables of what runs did, in which two ways to the same days differ."""


@dataclass
class House:
    """Airflow at work. `folder`: its home, the lake, the files of `data_usage` as far as they have arrived."""

    folder: Path
    airflow: Airflow
    environment: dict[str, str]

    def trendmill(self, lake: Path, *words: str) -> str:
        """A command on a lake, which must succeed; returns what it printed."""
        places_of = {"TRENDMILL_LAKE": str(lake), "TRENDMILL_REPORTS": str(lake / "reports")}
        done = subprocess.run(
            [sys.executable, "-m", "jobs.cli", *words],
            env={**os.environ, **self.environment, **places_of, "PYTHONPATH": str(places.project())},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout


def lay_out(folder: Path) -> None:
    """Both workloads, `data_usage` without the policy that reads all days; its files, one of them not yet there.

    The scheduler's own night of yesterday finds empty files, which the gate refuses.
    """
    own = places.workloads()
    (folder / "workloads").mkdir()
    (folder / "workloads" / "nyc_flights").symlink_to(own / "nyc_flights", target_is_directory=True)
    shutil.copytree(own / "data_usage", folder / "workloads" / "data_usage", ignore=shutil.ignore_patterns("custom.*"))
    shutil.copytree(own / "data_usage" / "data", folder / "usage")
    (folder / "usage" / f"usage-{LATE}.csv.gz").rename(folder / "late.csv.gz")
    for back in range(6):
        with gzip.open(
            folder / "usage" / f"usage-{datetime.now(UTC).date() - timedelta(days=back)}.csv.gz", "wt"
        ) as file:
            file.write("ts,event,user,db,participant,data,script\n")


def tables(lake: Path, workload: str, first: date, last: date) -> dict[str, list[str]]:
    """The rows of these days in each table of a workload that has some, in an order of their own, without the run's id.

    A lake also has tables that other days filled.
    """
    rows_of = {}
    for log in sorted((lake / workload).glob("*/_delta_log")):
        if log.parent.name in OF_RUNS:
            continue
        rows = DeltaTable(log.parent).to_pyarrow_table().drop_columns(["run_id"])
        days = pc.and_(
            pc.greater_equal(rows["day"], pa.scalar(first, pa.date32())),
            pc.less_equal(rows["day"], pa.scalar(last, pa.date32())),
        )
        rows_of[log.parent.name] = sorted(map(repr, rows.filter(days).select(sorted(rows.column_names)).to_pylist()))
    return {name: rows for name, rows in rows_of.items() if rows}

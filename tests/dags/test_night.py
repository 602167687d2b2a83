"""The whole house at once: the demo night through the real DAG, with real Spark, from an empty lake to a report."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
from collections import Counter
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path

import pyarrow as pa
import pytest
from deltalake import DeltaTable

from jobs.reports.comparisons.more_workers import walls_of_day
from jobs.reports.lake_reader import LakeReader
from jobs.stages.measuring.more_workers import more_workers
from jobs.workload.compiled import compile_workload
from jobs.workload.declaration import load_workload
from tests.workload.flights_oracle import counts_by_day

pytestmark = [pytest.mark.airflow, pytest.mark.spark, pytest.mark.processes, pytest.mark.long]

ROOT = Path(__file__).resolve().parents[2]

LATE_CHAINS = {
    "B6": (87, 108, 268),
    "DL": (23, 23, 260),
    "EV": (20, 23, 316),
    "MQ": (11, 12, 192),
    "UA": (11, 11, 225),
    "AA": (9, 9, 210),
    "9E": (3, 3, 93),
    "FL": (1, 1, 184),
    "WN": (1, 1, 100),
}
"""Published answer of knock_on for the 24 hours from 2013-03-08T08:00Z: trends, departures in them, longest delay."""


END = 1362816000
"""2013-03-09T08:00Z, the end of that window."""


@dataclass(frozen=True)
class Night:
    """`make nightly` as it ended, in a home folder of its own."""

    home: Path
    begun: datetime
    done: subprocess.CompletedProcess[str]

    def table(self, name: str) -> pa.Table:
        return DeltaTable(self.home / "lake" / "nyc_flights" / name).to_pyarrow_table()


@pytest.fixture(scope="module")
def night(tmp_path_factory: pytest.TempPathFactory) -> Night:
    """The night of the storm, run once for all tests of this file."""
    home = tmp_path_factory.mktemp("night")
    environment = {
        **os.environ,
        "AIRFLOW_HOME": str(home / "airflow"),
        "TRENDMILL_LAKE": str(home / "lake"),
        "TRENDMILL_REPORTS": str(home / "reports"),
    }
    environment.pop("NYC_FLIGHTS_DATA", None)
    command = ["scripts/run.sh", "python", "scripts/run_dag.py", "nightly_nyc_flights", "--day", "2013-03-08"]
    begun = datetime.now(UTC)
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    return Night(home, begun, done)


def test_the_demo_night(night: Night) -> None:
    """`make nightly` ends with the place of a report, and knock_on has its published answer."""
    assert night.done.returncode == 0, night.done.stdout + night.done.stderr
    page = night.home / "reports" / "nyc_flights" / "2013-03-08" / "index.html"
    assert night.done.stdout.splitlines()[-1] == f"report     {page}"
    assert page.is_file()
    _check_airflow(night.home / "airflow", night.begun)
    rows = [row for row in night.table("knock_on").to_pylist() if row["window_end"] == END]
    assert {row["day"] for row in rows} == {date(2013, 3, 8)}  # certain just before its end
    chains = {row["carrier"]: (int(row["count"]), int(row["count_D"]), row["max_D_delay_min"]) for row in rows}
    assert chains == LATE_CHAINS


def test_page_and_command_predict_the_same_for_more_workers(night: Night) -> None:
    """The slicing page shows what `compare` planned; `trendmill explain --workers` plans it again.

    So small a night is planned for its own slices alone.
    """
    workload, day = load_workload("nyc_flights"), date(2013, 3, 8)
    prediction = more_workers(workload, compile_workload(workload), night.home / "lake", day)
    shown = walls_of_day(LakeReader(night.home / "lake" / "nyc_flights"), day)
    assert [dict(vars(wall), total=wall.total) for wall in shown] == prediction.facts
    assert shown
    page = (night.home / "reports" / "nyc_flights" / "2013-03-08" / "slicing.html").read_text()
    assert f'<td class="number measured">{shown[0].total:,.1f}</td>' in page
    assert prediction.lines[-1][1:] in page


def test_the_week_before_the_storm(night: Night) -> None:
    """28 February to 8 March: events per type and day as counted without Spark; the gate passes, its warnings are
    told."""
    days = [date(2013, 2, 28), *(date(2013, 3, number) for number in range(1, 9))]
    counts: dict[date, Counter[str]] = {day: Counter() for day in days}
    for row in night.table("events").select(["day", "event_type"]).to_pylist():
        counts[row["day"]][row["event_type"]] += 1
    oracle = counts_by_day()
    assert counts == {day: oracle[day] for day in days}
    storm = counts[date(2013, 3, 8)]
    assert (storm["Departure"], storm["Cancellation"], storm.total()) == (798, 180, 1834)
    loaded = {row["day"]: row for row in night.table("_work/loaded_days").to_pylist()}
    assert {day: row["refused"] for day, row in loaded.items()} == dict.fromkeys(days, False)
    checks = json.loads(loaded[date(2013, 3, 8)]["checks"])
    unknown = next(check for check in checks if check["rule"] == "aircraft_known")
    assert not unknown["passed"]
    assert unknown["rows"] == 798


def _check_airflow(home: Path, begun: datetime) -> None:
    """The run lasted from now on, not from its day in 2013; nobody else may read Airflow's database."""
    with sqlite3.connect(home / "airflow.db") as database:
        row = database.execute("SELECT start_date, end_date FROM dag_run").fetchone()
    started, ended = (datetime.fromisoformat(moment).replace(tzinfo=UTC) for moment in row)
    assert begun <= started <= ended
    assert [path.stat().st_mode & 0o077 for path in (home, home / "airflow.db")] == [0, 0]

"""The whole house at once: the demo night through the real DAG, with real Spark, from an empty lake to a report."""

from __future__ import annotations

import os
import sqlite3
import subprocess
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

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


def test_the_demo_night(tmp_path: Path) -> None:
    """`make nightly` ends with the place of a report, and knock_on has its published answer."""
    from deltalake import DeltaTable

    lake, reports = tmp_path / "lake", tmp_path / "reports"
    environment = {
        **os.environ,
        "AIRFLOW_HOME": str(tmp_path / "airflow"),
        "TRENDMILL_LAKE": str(lake),
        "TRENDMILL_REPORTS": str(reports),
    }
    command = ["scripts/run.sh", "python", "scripts/run_dag.py", "nightly_nyc_flights", "--day", "2013-03-08"]
    begun = datetime.now(UTC)
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    page = reports / "nyc_flights" / "2013-03-08" / "index.html"
    assert done.stdout.splitlines()[-1] == f"report     {page}"
    assert page.is_file()
    _check_airflow(tmp_path / "airflow", begun)
    table = DeltaTable(lake / "nyc_flights" / "knock_on").to_pyarrow_table()
    rows = [row for row in table.to_pylist() if row["window_end"] == END]
    assert {row["day"] for row in rows} == {date(2013, 3, 8)}  # certain just before its end
    found = {row["carrier"]: (int(row["count"]), int(row["count_D"]), row["max_D_delay_min"]) for row in rows}
    assert found == LATE_CHAINS


def _check_airflow(home: Path, begun: datetime) -> None:
    """The run lasted from now on, not from its day in 2013; nobody else may read Airflow's database."""
    with sqlite3.connect(home / "airflow.db") as database:
        row = database.execute("SELECT start_date, end_date FROM dag_run").fetchone()
    started, ended = (datetime.fromisoformat(moment).replace(tzinfo=UTC) for moment in row)
    assert begun <= started <= ended
    assert [path.stat().st_mode & 0o077 for path in (home, home / "airflow.db")] == [0, 0]

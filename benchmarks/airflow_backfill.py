"""Airflow's own backfill of a nightly DAG: a scheduler with its own empty database, one run for each day, in order.

Assumes the environment of scripts/run.sh and a free port. The backfill is created before the scheduler starts, because
SQLite fails if there are other writers at that time. The DAG must be unpaused for its backfill to run, and then the
newest scheduled interval runs, too. Its rows are later than every day of the sample.
"""

from __future__ import annotations

import os
import shutil
import socket
import sqlite3
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import closing
from datetime import date
from pathlib import Path

MINUTES_A_DAY = 10
"""A day that takes longer is stuck."""

ENDED = ("success", "failed")


def backfill(dag_id: str, first: date, last: date, home: Path, environment: Mapping[str, str]) -> None:
    """Runs the DAG for the days `first`..`last`. Raises RuntimeError unless every run succeeds."""
    home.mkdir(parents=True)
    port = _free_port()
    variables = {**os.environ, **environment, "AIRFLOW_HOME": str(home), "PORT": str(port)}
    shutil.copy(Path(".cache") / "airflow.db", home / "airflow.db")
    _airflow(variables, "dags", "reserialize")
    _airflow(variables, "dags", "unpause", dag_id)
    period = ["--from-date", f"{first}T00:00:00+00:00", "--to-date", f"{last}T23:59:59+00:00"]
    _airflow(variables, "backfill", "create", "--dag-id", dag_id, *period, "--max-active-runs", "1")
    with open(home / "output", "w") as output:
        server = subprocess.Popen(["scripts/serve_airflow.sh"], env=variables, stdout=output, stderr=output)
    try:
        _wait_until(lambda: "http://" in (home / "output").read_text(), 300, "Airflow to start")
        days = (last - first).days + 1
        _wait_until(lambda: _ended(home) >= days, 60 * MINUTES_A_DAY * days, f"{days} runs to end")
        states = _states(home)
        if states != {"success": days}:
            raise RuntimeError(f"runs of the backfill ended as {dict(states)}; the logs are in {home}")
    finally:
        server.terminate()
        server.wait()


def _ended(home: Path) -> int:
    return sum(number for state, number in _states(home).items() if state in ENDED)


def _states(home: Path) -> Counter[str]:
    """How many runs of the backfill are in each state."""
    with closing(sqlite3.connect(home / "airflow.db", timeout=60)) as database:
        rows = database.execute("SELECT state, count(*) FROM dag_run WHERE run_type = 'backfill' GROUP BY state")
        return Counter(dict(rows.fetchall()))


def _airflow(environment: Mapping[str, str], *arguments: str) -> None:
    done = subprocess.run(["airflow", *arguments], env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"airflow {' '.join(arguments)}: {(done.stderr or done.stdout)[-2000:]}")


def _wait_until(happened: Callable[[], bool], seconds: float, what: str) -> None:
    end = time.monotonic() + seconds
    while not happened():
        if time.monotonic() > end:
            raise RuntimeError(f"waited {seconds:.0f} s for {what}")
        time.sleep(2)


def _free_port() -> int:
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])

"""Airflow as `make airflow` serves it, with its API: what a person does on its pages, a test does here."""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.parse import quote
from urllib.request import Request, urlopen

from jobs import places

Answer = dict[str, Any]

START = 180.0
"""Seconds until Airflow must have started."""

ANSWER = 120.0
"""Seconds that a call of the API may take beside nights at work."""


@dataclass
class Airflow:
    """A running Airflow. `home`: its folder; `address`: of its API; `headers`: with the token of its one user."""

    home: Path
    address: str
    headers: Mapping[str, str]

    def ask(self, method: str, path: str, body: Answer | None = None) -> Answer:
        """One call of the API, below `/api/v2`. Raises HTTPError."""
        content = None if body is None else json.dumps(body).encode()
        request = Request(f"{self.address}/api/v2/{path}", content, dict(self.headers), method=method)
        with urlopen(request, timeout=ANSWER) as answer:
            text = answer.read()
        return json.loads(text) if text else {}

    def unpause(self, dag: str) -> None:
        self.ask("PATCH", f"dags/{dag}", {"is_paused": False})

    def backfill(self, dag: str, first: date, last: date) -> None:
        """Airflow's own backfill, a run for each day, one at a time."""
        period = {"from_date": f"{first}T00:00:00Z", "to_date": f"{last}T23:59:59Z"}
        self.ask("POST", "backfills", {"dag_id": dag, **period, "max_active_runs": 1})

    def trigger(self, dag: str, start: datetime, end: datetime) -> str:
        """A run by hand for a data interval; returns its id."""
        interval = {"data_interval_start": start.isoformat(), "data_interval_end": end.isoformat()}
        body = {"logical_date": start.isoformat(), **interval}
        return str(self.ask("POST", f"dags/{dag}/dagRuns", body)["dag_run_id"])

    def runs(self, dag: str, kind: str) -> list[Answer]:
        """The runs of a DAG of a type such as `backfill`, by their data interval."""
        runs = self.ask("GET", f"dags/{dag}/dagRuns?run_type={kind}&limit=100")["dag_runs"]
        return sorted(runs, key=lambda run: str(run["data_interval_start"]))

    def task(self, dag: str, run: str, task: str) -> Answer:
        """A task of a run: its state, its number of tries."""
        return self.ask("GET", f"dags/{dag}/dagRuns/{quote(run)}/taskInstances/{task}")

    def tasks(self, dag: str, run: str) -> list[Answer]:
        return list(self.ask("GET", f"dags/{dag}/dagRuns/{quote(run)}/taskInstances")["task_instances"])

    def mark(self, dag: str, run: str, task: str, state: str) -> None:
        """Mark a task as `success` or `failed`."""
        self.ask("PATCH", f"dags/{dag}/dagRuns/{quote(run)}/taskInstances/{task}", {"new_state": state})

    def clear(self, dag: str, run: str, task: str) -> None:
        """Clear a task and those behind it."""
        body = {"dry_run": False, "only_failed": False, "dag_run_id": run, "task_ids": [task]}
        self.ask("POST", f"dags/{dag}/clearTaskInstances", {**body, "include_downstream": True})

    def state(self, dag: str, run: str) -> str:
        return str(self.ask("GET", f"dags/{dag}/dagRuns/{quote(run)}")["state"])

    def logs(self, dag: str, run: str, task: str) -> list[Path]:
        """The log files of a task, one for each try."""
        folder = self.home / "logs" / f"dag_id={dag}" / f"run_id={run}" / f"task_id={task}"
        return sorted(folder.glob("attempt=*.log"))


def wait_for(happened: Callable[[], bool], seconds: float, what: str) -> None:
    """Look every second. Raises TimeoutError."""
    until = time.monotonic() + seconds
    while not happened():
        if time.monotonic() > until:
            raise TimeoutError(f"waited {seconds:.0f} s for {what}")
        time.sleep(1)


@contextmanager
def served(home: Path, port: int, more: Mapping[str, str]) -> Iterator[Airflow]:
    """Airflow with its folder in `home`, while the block runs. `more`: environment variables."""
    address = f"http://127.0.0.1:{port}"
    variables = {**os.environ, **more, "AIRFLOW_HOME": str(home), "PORT": str(port)}
    with (home.parent / "served.log").open("ab") as out:
        command = ["scripts/run.sh", "scripts/serve_airflow.sh"]
        server = subprocess.Popen(command, cwd=places.project(), env=variables, stdout=out, stderr=out)
    try:
        secret = home / "simple_auth_manager_passwords.json.generated"
        wait_for(lambda: secret.is_file() and _answers(address), START, f"Airflow to start ({home.parent})")
        [(name, password)] = json.loads(secret.read_text()).items()
        plain = Airflow(home, address, {"Content-Type": "application/json"})
        login = Request(
            f"{address}/auth/token",
            json.dumps({"username": name, "password": password}).encode(),
            dict(plain.headers),
            method="POST",
        )
        with urlopen(login, timeout=ANSWER) as answer:
            token = json.loads(answer.read())["access_token"]
        yield Airflow(home, address, {**plain.headers, "Authorization": f"Bearer {token}"})
    finally:
        server.terminate()
        server.wait()


def _answers(address: str) -> bool:
    with suppress(URLError, OSError):
        with urlopen(f"{address}/api/v2/monitor/health", timeout=5) as answer:
            health = json.load(answer)
        return all(health[part]["status"] == "healthy" for part in ("metadatabase", "scheduler"))
    return False


def moment(text: str) -> datetime:
    """A moment as the API writes it."""
    return datetime.fromisoformat(text.replace("Z", "+00:00")).astimezone(UTC)

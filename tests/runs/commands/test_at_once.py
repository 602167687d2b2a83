"""Command lines at once, each a process of its own: one works, the others wait and say for whom, whoever dies."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from jobs import spark_task
from jobs.exits import BUSY
from jobs.lake.leasing.lease import lease_file, read, take
from tests.runs.lake.lakes import StoredLake, Tables
from tests.runs.lake.small_workload import day

pytestmark = [pytest.mark.spark, pytest.mark.processes, pytest.mark.long]

PATIENCE = 1800
"""Seconds until the test gives up on a process, however busy the machine is; idle, it takes one minute in all."""

Start = Callable[..., subprocess.Popen[str]]


@pytest.fixture
def lake(tmp_path: Path) -> StoredLake:
    """An empty lake; this process needs no Spark."""
    return StoredLake(tmp_path / "lake")


@pytest.fixture
def start(lake: StoredLake, home: Path, tmp_path: Path) -> Iterator[Start]:
    """Starts `trendmill run`, or tasks of it, of days `first` to 2, as a process that leads a group with its JVM."""
    root = Path(__file__).parents[3]
    places = {"TRENDMILL_LAKE": str(lake.folder), "TRENDMILL_REPORTS": str(tmp_path / "reports")}
    started: list[subprocess.Popen[str]] = []

    def begin(*tasks: str, first: int = 1) -> subprocess.Popen[str]:
        days = ["--from", day(first).isoformat(), "--to", day(2).isoformat()]
        stages = [word for task in tasks for word in ("--stage", task)]
        started.append(
            subprocess.Popen(
                [sys.executable, "-m", "jobs.cli", "run", str(home), *days, *stages],
                env={**os.environ, **places, "PYTHONPATH": str(root)},
                cwd=root,
                start_new_session=True,
                stdout=subprocess.DEVNULL,
                stderr=(tmp_path / f"{len(started)}.log").open("w"),
                text=True,
            )
        )
        return started[-1]

    yield begin
    for process in started:
        if process.poll() is None:
            kill(process)


def kill(process: subprocess.Popen[str]) -> None:
    """Kill -9, JVM and all."""
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def wait_for(holds: Callable[[], bool], *processes: subprocess.Popen[str]) -> None:
    """Wait until something holds while processes work."""
    until = time.monotonic() + PATIENCE
    while not holds():
        assert all(process.poll() is None for process in processes), "a process ended too early"
        assert time.monotonic() < until
        time.sleep(0.1)


def of_session(leader: int) -> list[str]:
    """The programs of a session that still run, by name."""
    stats = [Path(f"/proc/{entry}/stat") for entry in os.listdir("/proc") if entry.isdigit()]
    names = []
    for stat in stats:
        with contextlib.suppress(OSError):  # it has just ended
            name, _, rest = stat.read_text().partition("(")[2].rpartition(")")
            state, _, _, session, *_ = rest.split()
            if int(session) == leader and state not in "ZX":
                names.append(name)
    return names


def test_command_lines_wait_for_each_other(
    lake: StoredLake,
    start: Start,
    home: Path,
    undisturbed: Tables,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """An abandoned night's lease expires; the first command line is killed in its work, the second is ended in its own
    by SIGTERM, the third does it all but publish. A scheduler's task fails at once. Tables are as if undisturbed.

    Ended by SIGTERM it says so and exits with 143, as Ctrl-C does; the lease is free at once, and no JVM, worker or
    judge is left. Deaths in every stage that writes are in test_law_on_spark.py.
    """

    def log_text(number: int) -> str:
        return (tmp_path / f"{number}.log").read_text()

    path = lease_file(lake.folder, "machines")
    take(path, "nightly", "a night that died")
    first = start()
    wait_for(lambda: "waiting: the lake is in use by a night that died, whose lease ends at" in log_text(0), first)
    take(path, "nightly", "a night that died", term=timedelta(seconds=2))
    wait_for(lambda: f"process {first.pid} on" in (lease.holder if (lease := read(path)) else ""), first)
    second = start()
    wait_for(lambda: "waiting: the lake is in use by `trendmill` on machines" in log_text(1), first, second)
    assert f"(process {first.pid} on" in log_text(1)

    monkeypatch.setenv("TRENDMILL_LAKE", str(lake.folder))
    arguments = ["--from", "2013-01-02", "--to", "2013-01-02", "--run-id", "night"]
    assert spark_task.main(["--workload", str(home), "--task", "load", *arguments]) == BUSY
    assert f"process {first.pid} on" in capfd.readouterr().err

    wait_for(lambda: "Spark has started" in log_text(0), first, second)  # it loads, with a JVM
    kill(first)
    wait_for(lambda: f"process {second.pid} on" in (lease.holder if (lease := read(path)) else ""), second)
    third = start("load", "slice", "evaluate")
    wait_for(lambda: f"(process {second.pid} on" in log_text(2), second, third)

    wait_for(lambda: "Spark has started" in log_text(1), second, third)
    assert "java" in of_session(second.pid)
    second.terminate()
    assert second.wait(PATIENCE) == 143
    wait_for(lambda: of_session(second.pid) == [], third)  # the others end by themselves, a moment later if busy
    last = log_text(1).splitlines()[-1]
    assert last == "trendmill: ended by SIGTERM; tables hold whole days only, run the same command again"

    assert third.wait(PATIENCE) == 0, log_text(2)
    assert read(path) is None
    assert lake.tables() == undisturbed

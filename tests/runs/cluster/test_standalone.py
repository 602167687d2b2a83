"""A run on a standalone cluster, a master and two workers of this machine, that loses executors and a worker.

`make test` has a run of loaded days with one worker, which dies; `make cluster` one from an empty lake, too.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import IO

import pytest

from jobs import places
from scripts.standalone_cluster import StandaloneCluster, standalone_cluster
from tests.runs.lake.lakes import StoredLake, Tables
from tests.runs.lake.small_workload import write_workload

pytestmark = [pytest.mark.spark, pytest.mark.processes, pytest.mark.long]


EVERY_DEATH = "TRENDMILL_EVERY_DEATH"
"""The variable of the environment with which `make cluster` asks for the whole night."""
ALL = ("load", "slice", "evaluate")
WHOLE = pytest.mark.skipif(EVERY_DEATH not in os.environ, reason="a minute more: make cluster")


@pytest.mark.parametrize(
    ("workers", "tasks", "deaths"),
    [
        pytest.param(1, ("slice", "evaluate"), ("evaluate",), id="loaded"),
        pytest.param(2, ALL, ALL, id="empty", marks=WHOLE),
    ],
)
def test_executors_and_workers_are_lost_and_tables_are_those_of_a_local_run(
    undisturbed_lake: StoredLake,
    undisturbed: Tables,
    tmp_path: Path,
    workers: int,
    tasks: tuple[str, ...],
    deaths: tuple[str, ...],
) -> None:
    """An executor that has worked is killed with its Python workers while days are loaded, and one while they are cut.
    While slices are evaluated a worker is killed with all that it runs, and another comes; the log tells of each."""
    home, lake = write_workload(tmp_path / "workload"), tmp_path / "lake"
    if "load" not in tasks:
        shutil.copytree(undisturbed_lake.folder, lake)
        shutil.rmtree(lake / "machines" / "result_days")  # nothing is known to be evaluated
    (tmp_path / "cluster").mkdir()
    with standalone_cluster(tmp_path / "cluster", workers=workers) as cluster, (tmp_path / "log").open("w") as log:
        night = started(cluster, home, lake, log, tasks)
        assert night.stdout is not None
        killed = []
        for task in map(str.strip, night.stdout):
            if task not in deaths:
                continue
            with_worker = task == "evaluate"
            killed += [task] * kill_executor(cluster, patience=60, with_worker=with_worker)
            if with_worker:
                cluster.add_worker()
        assert night.wait() == 0
        assert killed == list(deaths)
    assert StoredLake(lake).tables() == undisturbed
    losses = [line for line in (tmp_path / "log").read_text().splitlines() if "Lost executor" in line]
    assert len(set(re.findall(r"Lost executor (\d+)", "\n".join(losses)))) == len(killed), losses
    assert [line for line in losses if "worker lost" in line.lower()], losses
    assert [line for line in losses if "exited with code 137" in line] or deaths == ("evaluate",), losses


def started(
    cluster: StandaloneCluster, home: Path, lake: Path, log: IO[str], tasks: tuple[str, ...]
) -> subprocess.Popen[str]:
    """The night as a process that talks of its tasks."""
    environment = {**os.environ, **cluster.environment, "PYTHONPATH": str(places.project())}
    command = [sys.executable, "-m", "tests.runs.cluster.night", str(home), str(lake), "1", "2", *tasks]
    return subprocess.Popen(
        command, env=environment, cwd=places.project(), stdout=subprocess.PIPE, stderr=log, text=True
    )


def kill_executor(cluster: StandaloneCluster, patience: float, *, with_worker: bool) -> bool:
    """Kill the oldest executor that has Python workers, with these; False: none had any. One that has none yet has
    done nothing that could be lost.

    `with_worker`: the worker that started it, first.
    """
    until = time.monotonic() + patience
    while time.monotonic() < until:
        if executors := at_work(cluster):
            first = parent_of_each().get(executors[0], executors[0]) if with_worker else executors[0]
            for process in list(with_descendants(first)):
                with suppress(ProcessLookupError):
                    os.kill(process, signal.SIGKILL)
            return True
        time.sleep(0.1)
    return False


def at_work(cluster: StandaloneCluster) -> list[int]:
    """The processes of executors whose daemon of Python workers has forked one, the oldest first."""
    parents, workers = parent_of_each(), {worker.pid for worker in cluster.workers}
    executors = {process for process, parent in parents.items() if parent in workers}
    daemons = {process: parent for process, parent in parents.items() if parent in executors}
    return sorted({daemons[parent] for parent in parents.values() if parent in daemons})


def parent_of_each() -> dict[int, int]:
    """Each process of this machine with the one that started it."""
    parents = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with suppress(OSError):  # it has ended
                parents[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
    return parents


def with_descendants(process: int) -> Iterator[int]:
    """A process, those that it started, and so on."""
    yield process
    for child, parent in parent_of_each().items():
        if parent == process:
            yield from with_descendants(child)

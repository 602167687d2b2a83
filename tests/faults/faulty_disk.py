"""`trendmill run` on a disk that fails at a chosen write, and what must hold of the tables and pages that it leaves.

A fault is one of a file system, so Python, Rust and Java all meet it: a library that is loaded before theirs
(`failing_disk.c`) counts what changes files below a folder. It needs a C compiler and Linux.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.runs.lake.lakes import StoredLake, Tables
from tests.runs.lake.small_workload import day

SOURCE = Path(__file__).with_name("failing_disk.c")
ROOT = Path(__file__).parents[2]
PATIENCE = 1800
"""Seconds until a run is given up, however busy the machine is."""
TOLD = {"full": "No space left on device", "error": "Input/output error", "late": "Input/output error"}
"""What the message must say of a fault. Rust says 'os error 5' beside it."""


@dataclass(frozen=True)
class Fault:
    """What happens at the write with number `at`, counted in paths that contain `within`; kinds: failing_disk.c."""

    kind: str
    at: int
    within: str = "/"


@dataclass(frozen=True)
class Ended:
    """How a run ended: its exit code, what it printed, and how many writes were counted."""

    code: int
    told: str
    writes: int


@dataclass(frozen=True)
class FaultyDisk:
    """Runs a workload on a lake and a folder of reports below `folder`."""

    folder: Path
    home: Path

    @property
    def lake(self) -> StoredLake:
        return StoredLake(self.folder / "lake")

    def library(self) -> Path:
        made = self.folder / "failing_disk.so"
        if not made.exists():
            compiler = shutil.which("cc") or "cc"
            subprocess.run([compiler, "-shared", "-fPIC", "-O2", "-o", made, SOURCE, "-ldl"], check=True)
        return made

    def run(self, fault: Fault | None, *stages: str) -> Ended:
        """Days 1 and 2. With a fault of number 0 writes are counted, and none fails."""
        counter = self.folder / "counter"
        counter.write_bytes(bytes(8))
        places = {"TRENDMILL_LAKE": str(self.lake.folder), "TRENDMILL_REPORTS": str(self.folder / "reports")}
        words = [word for stage in stages for word in ("--stage", stage)]
        process = subprocess.Popen(
            [
                sys.executable,
                "-m",
                "jobs.cli",
                "run",
                str(self.home),
                "--from",
                str(day(1)),
                "--to",
                str(day(2)),
                *words,
            ],
            env={**os.environ, **places, "PYTHONPATH": str(ROOT), **self._settings(fault, counter)},
            cwd=ROOT,
            start_new_session=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        try:
            told, _ = process.communicate(timeout=PATIENCE)
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
        return Ended(process.returncode, told, int.from_bytes(counter.read_bytes(), sys.byteorder))

    def _settings(self, fault: Fault | None, counter: Path) -> Mapping[str, str]:
        if fault is None:
            return {}
        return {
            "LD_PRELOAD": str(self.library()),
            "FAULT_FOLDER": str(self.folder),
            "FAULT_COUNTER": str(counter),
            "FAULT_KIND": fault.kind,
            "FAULT_WITHIN": fault.within,
            "FAULT_AT": str(fault.at),
        }

    def pages(self) -> dict[str, bytes]:
        """The pages of days, by place."""
        reports = self.folder / "reports" / "machines"
        return {str(path.relative_to(reports)): path.read_bytes() for path in reports.glob("2013-*/*.html")}


def is_told(fault: Fault, ended: Ended) -> bool:
    """Whether a run that met the fault says so in its last line, or did all its work; those that die say nothing."""
    if fault.kind in ("kill", "after"):
        return ended.code in (0, -signal.SIGKILL)
    last = ended.told.strip().splitlines()[-1]
    return ended.code == 0 or (ended.code == 1 and re.search(TOLD[fault.kind], last) is not None)


def unpublished(tables: Tables, before: Tables, after: Tables) -> list[tuple[str, object]]:
    """Tables and days that hold neither the rows of before nor those of after; none if nothing is lost or half done."""
    odd = []
    for name, rows in tables.items():
        days = {row["day"] for each in (rows, before[name], after[name]) for row in each}
        for on in days:
            held, then, now = ([row for row in each if row["day"] == on] for each in (rows, before[name], after[name]))
            if held not in (then, now):
                odd.append((name, on))
    return odd

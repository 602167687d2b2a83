"""`trendmill run` on a disk that fails at a chosen write, and what must hold of the tables and pages that it leaves.

A fault is one of a file system, so Python, Rust and Java all meet it: a library that is loaded before theirs
(`failing_disk.c`) counts what changes files below a folder. It needs a C compiler and Linux.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import struct
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.faults.program import ENDED
from tests.runs.lake.lakes import StoredLake, Tables
from tests.runs.lake.small_workload import day

SOURCE = Path(__file__).with_name("failing_disk.c")
ROOT = Path(__file__).parents[2]
PATIENCE = 1800
"""Seconds until a run is given up, however busy the machine is."""
FAULT = struct.Struct("ll16s240s")
"""`struct fault` of failing_disk.c: writes counted, and the fault's number, kind and part of paths."""
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
    output: str
    writes: int


Run = Callable[..., Ended]
"""A fault and the names of tasks (none: all) -> how the run ended."""


@dataclass(frozen=True)
class FaultyDisk:
    """Runs a workload on a lake and a folder of reports below `folder`."""

    folder: Path
    home: Path

    @property
    def lake(self) -> StoredLake:
        return StoredLake(self.folder / "lake")

    def run(self, fault: Fault | None, *stages: str) -> Ended:
        """Days 1 and 2, as a program of its own. With a fault of number 0 writes are counted, and none fails."""
        self._tell(fault)
        process = self._started("jobs.cli", *self._words(*stages))
        with _ending(process):
            output, _ = process.communicate(timeout=PATIENCE)
        return Ended(process.returncode, output, self._counted())

    @contextmanager
    def program(self) -> Iterator[Run]:
        """A function that does as `run`, but in a program that starts Spark once and lives until a fault kills it."""
        self._tell(None)
        process = self._started("tests.faults.program")
        assert process.stdin is not None
        assert process.stdout is not None
        send, lines = process.stdin, process.stdout

        def run(fault: Fault | None, *stages: str) -> Ended:
            self._tell(fault)
            print(json.dumps(self._words(*stages)), file=send, flush=True)
            output = []
            for line in lines:
                if line.startswith(ENDED):
                    return Ended(int(line.removeprefix(ENDED)), "".join(output), self._counted())
                output.append(line)
            return Ended(process.wait(), "".join(output), self._counted())

        patience = threading.Timer(PATIENCE, os.killpg, (process.pid, signal.SIGKILL))
        patience.start()
        with _ending(process):
            try:
                yield run
            finally:
                patience.cancel()

    def _words(self, *stages: str) -> list[str]:
        words = [word for stage in stages for word in ("--stage", stage)]
        return ["run", str(self.home), "--from", str(day(1)), "--to", str(day(2)), *words]

    def _started(self, *module: str) -> subprocess.Popen[str]:
        places = {"TRENDMILL_LAKE": str(self.lake.folder), "TRENDMILL_REPORTS": str(self.folder / "reports")}
        faults = {
            "LD_PRELOAD": str(self._library()),
            "FAULT_FOLDER": str(self.folder),
            "FAULT_FILE": str(self._fault_file),
        }
        return subprocess.Popen(
            [sys.executable, "-m", *module],
            env={**os.environ, **places, "PYTHONPATH": str(ROOT), **faults},
            cwd=ROOT,
            start_new_session=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def _library(self) -> Path:
        made = self.folder / "failing_disk.so"
        if not made.exists():
            compiler = shutil.which("cc") or "cc"
            subprocess.run([compiler, "-shared", "-fPIC", "-O2", "-o", made, SOURCE, "-ldl"], check=True)
        return made

    @property
    def _fault_file(self) -> Path:
        return self.folder / "fault"

    def _tell(self, fault: Fault | None) -> None:
        """Writes the fault where the library looks, in place: programs that live have the file in their memory."""
        at, kind, within = (fault.at, fault.kind, fault.within) if fault else (0, "", "/")
        with self._fault_file.open("r+b" if self._fault_file.exists() else "wb") as file:
            file.write(FAULT.pack(0, at, kind.encode(), within.encode()))

    def _counted(self) -> int:
        return int(FAULT.unpack(self._fault_file.read_bytes())[0])

    def pages(self) -> dict[str, bytes]:
        """The pages of days, by place."""
        reports = self.folder / "reports" / "machines"
        return {str(path.relative_to(reports)): path.read_bytes() for path in reports.glob("2013-*/*.html")}


@contextmanager
def _ending(process: subprocess.Popen[str]) -> Iterator[None]:
    """Ends the program and its children with the block, if it still lives."""
    try:
        yield
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def names_fault(fault: Fault, ended: Ended) -> bool:
    """Whether a run that met the fault says so in its last line, or did all its work; those that die say nothing."""
    if fault.kind in ("kill", "after"):
        return ended.code in (0, -signal.SIGKILL)
    last = ended.output.strip().splitlines()[-1]
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

"""Every executor of the session: does it import the project, the same one, and reach the lake; how late is its clock.

One task on each core at the same time, by Spark's barrier, so that no executor is left out. Cost: a session, which
takes some seconds, and the first call of a query on each executor.
"""

from __future__ import annotations

import hashlib
import os
import platform
import socket
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from jobs.doctor.findings import OK, SLOW, WRONG, Finding
from jobs.doctor.machine import QUICK_CALL, kernel_seconds, versions
from jobs.doctor.processor import compiled_for, lacks
from jobs.lake.table_files import writer_of
from jobs.program import code_digest
from jobs.stages.evaluating.large_slices import RowsOfFile
from jobs.stored_path import place

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

WAIT = 30.0
"""Seconds in which all executors should have come."""

ASKED, SCHEMA = "asked.parquet", pa.schema([("asked", pa.string())])
"""The file that executors read as they read slices."""

STILL = 3.0
"""Seconds without a new one after which no more are expected."""

SKEW = 2.0
"""Seconds that clocks may differ: leases and times of commits compare them."""


@dataclass(frozen=True)
class Seen:
    """What one task saw where it ran. `begun`, `ended`: by its clock. `read`: the file of the lake, if it was there.

    `compiled_for`: the processor for which kernels were compiled ahead; empty: its own. `lacks`: what its own has not
    of that one; then no kernel was run, and `kernel` is 0.
    """

    executor: str
    python: str
    versions: Mapping[str, str]
    code: str
    begun: float
    ended: float
    read: str
    kernel: float
    compiled_for: str
    lacks: tuple[str, ...]


def executor_findings(spark: SparkSession, folder: Path) -> Iterator[Finding]:
    """What tasks saw on every executor. `folder`: a scratch folder of the lake."""
    cores = _cores(spark)
    asked = os.urandom(16).hex()
    ask(folder, asked)
    begun = time.time()
    seen = [Seen(**row) for row in _on_each(spark, cores, str(folder))]
    yield from compared(seen, asked, folder, (begun, time.time()))


def ask(folder: Path, word: str) -> None:
    """Leave a word for executors, in a file like those of slices."""
    with writer_of(folder / ASKED, SCHEMA) as file:
        file.write_table(pa.table({"asked": [word]}, SCHEMA))


def compared(seen: Iterable[Seen], asked: str, folder: Path, driver: tuple[float, float]) -> Iterator[Finding]:
    """What tasks saw, against what the driver knows. `driver`: its times before and after the tasks."""
    own = {each.executor: each for each in seen}
    yield Finding("executors", OK, f"{len(own)}: {', '.join(sorted(own))}")
    for name, each in sorted(own.items()):
        yield _same(name, each)
        yield _lake(name, each, asked, folder)
        late = max(driver[0] - each.begun, each.ended - driver[1], 0.0)
        state = OK if late <= SKEW else WRONG
        yield Finding(f"clock of {name}", state, f"{late:.1f} s off", "let both machines ask one time server")
        yield _kernels(name, each)


def _same(name: str, seen: Seen) -> Finding:
    differences = [
        f"{what} {there or 'is missing'} (the driver has {here})"
        for what, there, here in (
            ("Python", seen.python, platform.python_version()),
            *((package, seen.versions.get(package, ""), own) for package, own in versions().items()),
            ("the project's code", seen.code[:8], code_digest()[:8]),
        )
        if there != here
    ]
    mend = "give executors the driver's packages and code: one image, or `make worker-env` anew (docs/cluster.md)"
    return Finding(f"project of {name}", WRONG if differences else OK, ", ".join(differences) or "as here", mend)


def _kernels(name: str, seen: Seen) -> Finding:
    what, ahead = f"kernels of {name}", f", compiled ahead for {seen.compiled_for}" if seen.compiled_for else ""
    if seen.lacks:
        mend = "make the archive for the oldest processor: make worker-env CPU=x86-64-v2 (docs/cluster.md)"
        return Finding(what, WRONG, f"its processor lacks {', '.join(seen.lacks)}{ahead}", mend)
    mend = "let executors see the folder of compiled kernels, or send them `make worker-env` (docs/cluster.md)"
    message = f"the first call of a query takes {seen.kernel:.1f} s{ahead}"
    return Finding(what, OK if seen.kernel <= QUICK_CALL else SLOW, message, mend)


def _lake(name: str, seen: Seen, asked: str, folder: Path) -> Finding:
    mend = "let driver and executors see the lake's folder under one path"
    if seen.read != asked:
        return Finding(f"lake of {name}", WRONG, f"it does not see what was written in {folder.parent}", mend)
    if not (folder / _answer(name)).is_file():
        return Finding(f"lake of {name}", WRONG, "what it wrote is not seen here", mend)
    return Finding(f"lake of {name}", OK, "a slice read, a file written by path")


def _on_each(spark: SparkSession, cores: int, folder: str) -> list[dict[str, Any]]:
    """The fields of `Seen`, from a task on each core, one for each executor."""

    def look(_: Iterable[int]) -> Iterator[dict[str, Any]]:
        yield looked(folder)

    tasks = spark.sparkContext.parallelize(range(cores), cores).barrier()
    return list({row["executor"]: row for row in tasks.mapPartitions(look).collect()}.values())


def looked(folder: str) -> dict[str, Any]:
    """The fields of `Seen` where this runs. Leaves a file in the folder if it can."""
    begun = time.time()
    name = f"process {os.getppid()} on {socket.gethostname()}"
    try:
        read = RowsOfFile(str(place(folder) / ASKED), {"asked": pa.string()}).all()["asked"][0].as_py()
        (place(folder) / _answer(name)).write_text(name)
    except OSError as error:
        read = f"{error}"
    without = tuple(lacks())
    return {
        "executor": name,
        "python": platform.python_version(),
        "versions": versions(),
        "code": code_digest(),
        "kernel": 0.0 if without else kernel_seconds(),
        "compiled_for": compiled_for(),
        "lacks": without,
        "read": read,
        "begun": begun,
        "ended": time.time(),
    }


def _answer(name: str) -> str:
    return hashlib.sha256(name.encode()).hexdigest()[:16]


def _cores(spark: SparkSession) -> int:
    """How many tasks run at once, when no more executors come."""
    context = spark.sparkContext
    cores, since = context.defaultParallelism, time.monotonic()
    until = since + WAIT
    is_local = context.master.startswith("local")
    while not is_local and time.monotonic() < min(until, since + STILL):
        time.sleep(0.2)
        now = context.defaultParallelism
        if now != cores:
            cores, since = now, time.monotonic()
    return cores

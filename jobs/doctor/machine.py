"""This machine: packages, Java, jars, compiled kernels, memory and disk. Cost: a second, most of it for Java."""

from __future__ import annotations

import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from jobs import places
from jobs.analysis.spark_parser import java
from jobs.doctor.findings import OK, SLOW, WRONG, Finding
from jobs.lake.spark_settings import memory_of_machine
from jobs.stored_path import StoredPath

PACKAGES = ("numpy", "numba", "pyarrow", "pyspark", "delta-spark", "deltalake")
"""The packages of which driver and executors must have equal versions."""

OLDEST_JAVA, NEWEST_JAVA = 17, 25
"""Spark 4.2 says that it runs on Java 17, 21 and 25. `scripts/find_java.py` has the same bounds."""

LEAST_MEMORY, LEAST_DISK = 4 << 30, 2 << 30
"""Bytes: a driver of a small run with its JVM; room for a night's tables and Spark's own files."""

QUICK_CALL = 2.0
"""CPU-seconds in which a kernel that is compiled already is read and run."""


def machine() -> Iterator[Finding]:
    """What was seen of this machine."""
    yield _packages()
    yield _java()
    yield _jars()
    yield _kernels()
    memory = memory_of_machine()
    state = OK if memory >= LEAST_MEMORY else SLOW
    yield Finding("memory", state, f"{memory / 2**30:.1f} GB", "runs of many rows need 4 GB: run fewer days at a time")
    for what, folder in (("disk of the lake", places.lake()), ("disk of the cache", places.cache())):
        if not isinstance(folder, StoredPath):
            yield _disk(what, folder)


def versions() -> dict[str, str]:
    """The version of each of `PACKAGES`; empty: it is not installed."""
    return {name: _version(name) for name in PACKAGES}


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""


def pinned(requirements: str) -> dict[str, str]:
    """The versions that a requirements file names.

    >>> pinned("numpy==2.3.1 \\\\\\n    --hash=sha256:0\\nnumba==0.66.0")["numpy"]
    '2.3.1'
    """
    return dict(re.findall(r"^([\w.-]+)==([^\s\\]+)", requirements, re.MULTILINE))


def _packages() -> Finding:
    wanted = pinned((places.project() / "requirements.txt").read_text())
    wrong = [
        f"{name} {own or 'is missing'} ({wanted[name]} is wanted)"
        for name, own in versions().items()
        if own != wanted[name]
    ]
    message = ", ".join(wrong) or ", ".join(f"{name} {own}" for name, own in versions().items())
    return Finding(
        "packages", WRONG if wrong else OK, message, "run `make` once: it installs what requirements.txt names"
    )


def _java() -> Finding:
    mend = f"let JAVA_HOME name a Java {OLDEST_JAVA}, 21 or {NEWEST_JAVA}, or none, and run `make`"
    try:
        chosen = java()
        done = subprocess.run([chosen, "-version"], capture_output=True, text=True, check=False, timeout=30)
    except (OSError, subprocess.TimeoutExpired) as error:
        return Finding("Java", WRONG, str(error), mend)
    number = re.search(r'version "((\d+)[^"]*)', done.stderr)
    if done.returncode or number is None:
        return Finding("Java", WRONG, f"{chosen} ended with exit code {done.returncode}", mend)
    major = int(number[2])
    limit = f"; Spark needs {OLDEST_JAVA} or newer" if major < OLDEST_JAVA else ""
    limit = f"; the newest that Spark runs on is {NEWEST_JAVA}" if major > NEWEST_JAVA else limit
    return Finding("Java", WRONG if limit else OK, f"{number[1]}: {chosen}{limit}", mend)


def _jars() -> Finding:
    wanted = locked_jars((places.project() / "jars.lock").read_text())
    present = {jar.name: sha256(jar.read_bytes()).hexdigest() for jar in places.jars()}
    wrong = [
        f"{name} {'is another file' if name in present else 'is missing'}"
        for name, digest in wanted.items()
        if present.get(name) != digest
    ]
    state = WRONG if wrong else OK
    return Finding("jars", state, ", ".join(wrong or wanted), "run `make` once: it fetches what jars.lock names")


def locked_jars(text: str) -> dict[str, str]:
    """The files that jars.lock names, each with its SHA-256.

    >>> locked_jars("# group:artifact:version  sha256\\nio.delta:delta-storage:4.4.0  c467")
    {'delta-storage-4.4.0.jar': 'c467'}
    """
    lines = [line.split() for line in text.splitlines() if line.strip() and not line.startswith("#")]
    return {"-".join(name.split(":")[1:]) + ".jar": digest for name, digest in lines}


def _kernels() -> Finding:
    seconds = kernel_seconds()
    state = OK if seconds <= QUICK_CALL else SLOW
    message = f"the first call of a query takes {seconds:.1f} s"
    return Finding(
        "kernels", state, message, "run `make` once with the same NUMBA_CACHE_DIR: kernels are compiled anew"
    )


def kernel_seconds() -> float:
    """CPU-seconds that this process takes for a first query of either kind, with finding and loading their kernels.

    0.2 with compiled kernels and 10 without, most of it for the match. By a wall clock a busy machine would look as if
    kernels were missing.
    """
    import pyarrow as pa

    import cep_core as cep

    events = pa.table({"event_type": ["A", "A", "B"], "ts": [1, 2, 3]})
    begun = time.process_time()
    cep.aggregate("RETURN COUNT(*) PATTERN SEQ(A+, B) WITHIN 10", events)
    cep.match("PATTERN SEQ(A a, B b) WITHIN 10", events)
    return time.process_time() - begun


def _disk(what: str, folder: Path) -> Finding:
    present = next(parent for parent in (folder, *folder.parents) if parent.exists())
    free = shutil.disk_usage(present).free
    state = OK if free >= LEAST_DISK else WRONG
    return Finding(what, state, f"{free / 1e9:,.1f} GB free at {folder}", "free some, or let it be on another disk")

"""Spark's settings, tuned for few cores and for the size of what a session will read.

Two profiles: `local` runs driver and executors in this process' JVM; `cluster` leaves the master, memory and cores to
spark-submit or to the cluster's own defaults. The local profile has two scales (jobs/runs/input_size.py chooses):

| scale | code | plans | JVM's compilers | heap |
|---|---|---|---|---|
| small | expressions are interpreted | stay | the quick one | 2 GB |
| large | Spark generates code for each plan | adapt | both | 3 GB, or less where the machine has less |

Assumes the jars that set-up fetched. Cost: it looks for a few files and reads the container's limit of memory; nothing
here imports Spark. Measured on 2 cores, session plus a small write and read: serial collector, first compiler tier and
a class archive bring 31 CPU-seconds down to 11 (`docs/performance.md`).
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from jobs import places
from jobs.exits import RunError
from jobs.lake.cluster import WORKERS_PYTHON, Profile
from jobs.s3_settings import is_s3, s3_settings

Scale = Literal["small", "large"]

EVERYWHERE = {
    "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.parquet.compression.codec": "zstd",
    # Delta replays a table's log with 50 tasks by default; two are enough below millions of files.
    "spark.databricks.delta.snapshotPartitions": "2",
    # Listing a folder of a few hundred files with 10,000 tasks takes a minute instead of seconds.
    "spark.sql.sources.parallelPartitionDiscovery.parallelism": "4",
    "spark.sql.execution.arrow.maxRecordsPerBatch": "200000",
    # Delta's parser does not substitute named parameters in the text; this binds them in the plan instead.
    "spark.sql.legacy.parameterSubstitution.constantsOnly": "true",
    # Inferring constraints through wide projections takes minutes of planning and saves nothing on these queries.
    "spark.sql.constraintPropagation.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    # Spark's own pages show events and ask nobody for a password; a cluster's defaults must not open them.
    "spark.ui.enabled": "false",
    "spark.log.level": "ERROR",
}

LOCAL = {
    "spark.master": "local[2]",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    # Delta can check a version by a file of its own beside the log; nothing here reads it.
    "spark.databricks.delta.writeChecksumFile.enabled": "false",
    # Python's workers are forked from a process that has imported the engines, instead of importing them one by one.
    "spark.python.daemon.module": "jobs.stages.evaluating.worker_daemon",
}

PLANS = {
    # A plan that adapts is planned anew after each shuffle: a fifth of a small run's time. Few rows gain nothing by it.
    "small": {"spark.sql.adaptive.enabled": "false", "spark.sql.shuffle.partitions": "2"},
    # The default of 200 is for hundreds of cores; adaptive execution merges what is still too small.
    "large": {"spark.sql.adaptive.enabled": "true", "spark.sql.shuffle.partitions": "8"},
}

CODE = {
    # On a few thousand rows Spark takes longer to compile its generated code than to run it: a night took 90 s
    # instead of 134 on the same busy machine.
    "small": {"spark.sql.codegen.wholeStage": "false", "spark.sql.codegen.factoryMode": "NO_CODEGEN"},
    "large": {"spark.sql.codegen.wholeStage": "true", "spark.sql.codegen.factoryMode": "FALLBACK"},
}

UNPACKED = "worker"
"""The folder of an executor into which Spark unpacks the archive of `make worker-env`."""

SCALE = "spark.trendmill.scale"
"""The setting that tells a session's scale."""

HELD = "spark.trendmill.heldBytes"
"""The setting that tells up to how many bytes of text this process holds the rows of a load itself."""

HELD_BYTES = 128_000_000
"""Some two million rows, which take 1 GB beside the JVM. On a cluster, and of unknown size, none."""

SMALL_HEAP, LARGE_HEAP = 2 << 30, 3 << 30
"""Bytes of heap. Python's workers, which evaluate, need as much again."""

COMPILERS = {
    # Without the second compiler the JVM reserves 48 MB for compiled code, which a night fills: it then stops
    # compiling. With the young generation it would choose, a night makes 118 collections that find little to free; with
    # the room for classes that it would begin with, four collections of the whole heap.
    "small": (
        "-Xms1200m",
        "-Xmn600m",
        "-XX:MetaspaceSize=256m",
        "-XX:TieredStopAtLevel=1",
        "-XX:ReservedCodeCacheSize=256m",
    ),
    "large": ("-Xms1200m", "-Xmn1000m"),
}

UNVERIFIED = ("-XX:+UnlockDiagnosticVMOptions", "-XX:-BytecodeVerificationRemote")
"""Classes are not verified again at each start, a fifth of its time: they come from Java and from jars whose hashes
set-up compared (`jars.lock`)."""


def settings(
    profile: Profile = "local", scale: Scale = "small", *, train_archive: Path | None = None
) -> dict[str, str]:
    """Spark's settings for a profile. `train_archive`: let the JVM write its class archive there when it exits."""
    everywhere = {**EVERYWHERE, "spark.jars": ",".join(str(jar) for jar in places.jars())}
    if is_s3(places.lake()):
        everywhere |= s3_settings(os.environ)
    if profile == "cluster":
        return everywhere
    return {
        **everywhere,
        **LOCAL,
        **CODE[scale],
        **PLANS[scale],
        SCALE: scale,
        HELD: str(HELD_BYTES),
        "spark.driver.memory": f"{heap(scale) >> 20}m",
        "spark.driver.extraJavaOptions": " ".join(java_options(scale, train_archive)),
    }


def executors(archive: Path | None = None) -> dict[str, str]:
    """What executors need to import the project, and where they find its compiled kernels: paths of this machine.

    Only a settings file says so, since executors may see other paths. With an archive of `make worker-env` they see
    none: Spark sends it to them, and their Python is the one that it holds.
    """
    if archive is not None:
        return {
            "spark.archives": f"{archive.absolute()}#{UNPACKED}",
            WORKERS_PYTHON: f"./{UNPACKED}/bin/python",
            "spark.pyspark.driver.python": sys.executable,
            "spark.python.daemon.module": LOCAL["spark.python.daemon.module"],
        }
    return {
        "spark.executorEnv.PYTHONPATH": str(places.project()),
        "spark.executorEnv.NUMBA_CACHE_DIR": os.environ.get("NUMBA_CACHE_DIR", str(places.cache() / "numba")),
    }


def in_words(chosen: Mapping[str, str]) -> str:
    """Settings in words, for the journal of runs.

    >>> in_words({SCALE: "small", "spark.driver.memory": "2048m"}), in_words({})
    ('for small inputs, interpreted code, 2048m of heap', "the cluster's own")
    """
    if SCALE not in chosen:
        return "the cluster's own"
    scale, memory = chosen[SCALE], chosen["spark.driver.memory"]
    return f"for {scale} inputs, {'generated' if scale == 'large' else 'interpreted'} code, {memory} of heap"


def heap(scale: Scale, memory: int | None = None) -> int:
    """Bytes of heap: at most half of the machine's memory (`memory`), since Python's workers need the other half.

    >>> [heap("large", gigabytes << 30) >> 20 for gigabytes in (3, 5, 24)]
    [2048, 2560, 3072]
    """
    if scale == "small":
        return SMALL_HEAP
    return max(SMALL_HEAP, min(LARGE_HEAP, (memory_of_machine() if memory is None else memory) // 2))


CONTAINER_LIMITS = (Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"))
"""Where a container's limit of memory stands, in both versions of control groups; a large number or `max`: no limit."""


def memory_of_machine() -> int:
    """Bytes of memory that this process may use: the machine's, or the container's if that is less, or what
    TRENDMILL_MEMORY says where others use the same machine (`4GB`)."""
    machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    texts = [file.read_text().strip() for file in CONTAINER_LIMITS if file.is_file()]
    stated = gigabytes(os.environ.get("TRENDMILL_MEMORY", ""))
    return min([machine, *(int(text) for text in texts if text.isdigit()), *([stated] if stated else [])])


def gigabytes(text: str) -> int | None:
    """Bytes of a text such as `4GB` or `1.5GB`; None: it says nothing. Raises RunError if it says something else.

    >>> gigabytes("4GB") == 4 << 30, gigabytes("")
    (True, None)
    """
    if not text.strip():
        return None
    number = text.strip().upper().removesuffix("GB")
    try:
        size = int(float(number) * 2**30)
    except (ValueError, OverflowError):
        size = 0
    if size <= 0:
        raise RunError(f"TRENDMILL_MEMORY: expected gigabytes such as 4GB, found '{text}'")
    return size


def java_options(scale: Scale = "small", train_archive: Path | None = None) -> list[str]:
    """JVM options: one collector thread, the scale's compilers, the class archive."""
    options = ["-XX:+UseSerialGC", *COMPILERS[scale], "-Xlog:cds=off", "-Xlog:cds+dynamic=off"]
    if train_archive is not None:
        return [*options, f"-XX:ArchiveClassesAtExit={train_archive}"]
    options += UNVERIFIED
    if places.class_archive().is_file():
        return [*options, f"-XX:SharedArchiveFile={places.class_archive()}"]
    return options


def properties(chosen: dict[str, str]) -> str:
    """Settings as spark-submit reads them from a file.

    >>> properties({"spark.master": "local[2]", "spark.log.level": "ERROR"})
    'spark.log.level ERROR\\nspark.master local[2]\\n'
    """
    return "".join(f"{key} {value}\n" for key, value in sorted(chosen.items()))

"""A Spark session with Delta from local jars, tuned for small tables on few cores.

Two profiles: `local` runs driver and executors in this process' JVM; `cluster` leaves the master, memory and cores to
spark-submit or to the cluster's own defaults. Every other setting is the same in both. `python -m jobs.lake.session`
prints the local profile as a properties file, for spark-submit, whose JVM starts before any of this code runs.

Measured on 2 cores, session plus a small write and read: serial collector, first compiler tier and a class archive
bring 31 CPU-seconds down to 11 (`docs/performance.md`).
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from jobs import places
from jobs.lake.greeting import without_greeting

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Profile = Literal["local", "cluster"]

EVERYWHERE = {
    "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.parquet.compression.codec": "zstd",
    # Delta replays a table's log with 50 tasks by default; two are enough below millions of files.
    "spark.databricks.delta.snapshotPartitions": "2",
    # Listing a folder of a few hundred files with 10,000 tasks makes VACUUM take a minute instead of seconds.
    "spark.sql.sources.parallelPartitionDiscovery.parallelism": "4",
    "spark.sql.execution.arrow.maxRecordsPerBatch": "200000",
    # Delta's parser does not substitute named parameters in the text; this binds them in the plan instead.
    "spark.sql.legacy.parameterSubstitution.constantsOnly": "true",
    # Inferring constraints through wide projections takes minutes of planning and saves nothing on these queries.
    "spark.sql.constraintPropagation.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "ERROR",
}

LOCAL = {
    "spark.master": "local[2]",
    "spark.driver.memory": "2g",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.ui.enabled": "false",
    # The default of 200 is for hundreds of cores; adaptive execution merges what is still too small.
    "spark.sql.shuffle.partitions": "8",
    # On a few days of data Spark spends longer compiling its generated code than running it: a night took 90 s instead
    # of 134 on the same busy machine. `compile_plans` turns it on for runs over many days.
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    # Delta can check a version by a file of its own beside the log; nothing here reads it.
    "spark.databricks.delta.writeChecksumFile.enabled": "false",
}

# Without the second compiler the JVM reserves 48 MB for compiled code, which a night fills: it then stops compiling.
# With the young generation it would choose, a night makes 118 collections that each find little to free.
YOUNG = ("-Xms1200m", "-Xmn600m")
QUICK = ("-XX:+UseSerialGC", *YOUNG, "-XX:TieredStopAtLevel=1", "-XX:ReservedCodeCacheSize=256m")


def settings(profile: Profile = "local", train_archive: Path | None = None) -> dict[str, str]:
    """Spark's settings for a profile. `train_archive`: let the JVM write its class archive there when it exits."""
    found = {**EVERYWHERE, "spark.jars": ",".join(str(jar) for jar in places.jars())}
    if profile == "cluster":
        return found
    return {**found, **LOCAL, "spark.driver.extraJavaOptions": " ".join(java_options(train_archive))}


def java_options(train_archive: Path | None = None) -> list[str]:
    """JVM options for short applications: one collector thread, the quick compiler, the class archive."""
    options = [*QUICK, "-Xlog:cds=off", "-Xlog:cds+dynamic=off"]
    if train_archive is not None:
        return [*options, f"-XX:ArchiveClassesAtExit={train_archive}"]
    if places.class_archive().is_file():
        return [*options, f"-XX:SharedArchiveFile={places.class_archive()}"]
    return options


def start_session(
    name: str, profile: Profile = "local", *, train_archive: Path | None = None, **overrides: str
) -> SparkSession:
    """A session (the running one if there is one). `overrides`: Spark settings with `__` for the dots of their names.

    Raises RuntimeError when the Delta jars are missing.
    """
    if not places.jars():
        raise RuntimeError(f"no Delta jars in {places.cache() / 'jars'}: run `make` once, it fetches them")
    _prepare_workers()
    from pyspark.sql import SparkSession

    chosen = settings(profile, train_archive) | {key.replace("__", "."): value for key, value in overrides.items()}
    builder = SparkSession.builder.appName(name)
    for key, value in chosen.items():
        builder = builder.config(key, value)
    with without_greeting():
        session = builder.getOrCreate()
    import delta.exceptions  # noqa: F401  # without it a conflict arrives as a bare Py4JJavaError

    return session


def compile_plans(session: SparkSession) -> None:
    """Let Spark generate code again, where there are rows enough to repay it."""
    session.conf.set("spark.sql.codegen.wholeStage", "true")
    session.conf.set("spark.sql.codegen.factoryMode", "FALLBACK")


def _prepare_workers() -> None:
    """Environment of the JVM and of its Python workers; set before the JVM starts."""
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # else workers run the first python3 on PATH
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    os.environ.setdefault("NUMBA_CACHE_DIR", str(places.cache() / "numba"))
    known = [entry for entry in os.environ.get("PYTHONPATH", "").split(os.pathsep) if entry]
    root = str(places.project())
    if root not in known:
        os.environ["PYTHONPATH"] = os.pathsep.join([root, *known])


def main() -> None:
    """Print the local profile as a properties file."""
    for key, value in sorted(settings("local").items()):
        print(f"{key} {value}")


if __name__ == "__main__":
    main()

"""A Spark session with Delta from local jars, which starts when it is first asked for.

Of a small run, this process holds all rows, and Spark computes only what a workload says in SQL, while it loads. So a
run has a `LateSession`, which tells its scale and starts Spark when it is first asked for (docs/decisions/0021). What
Spark is told is in `spark_settings.py`.

`python -m jobs.lake.session` prints the small scale as a properties file, for spark-submit, whose JVM starts before any
of this code runs, and with `cluster` behind it what a cluster needs, `cluster ARCHIVE` if executors get the archive of
`make worker-env`; `python -m jobs.runs.input_size` prints the scale that one task of a run asks for.

Assumes that the jars are there. Cost: importing this module imports no Spark, so that tasks that need none pay nothing;
a start takes some CPU-seconds (`docs/performance.md`).
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from jobs import places
from jobs.lake.cluster import Profile, python_of_workers, submit_arguments
from jobs.lake.greeting import without_greeting
from jobs.lake.spark_settings import HELD, HELD_BYTES, SCALE, Scale, executors, in_words, properties, settings

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def scale_of(spark: SparkSession) -> Scale:
    """The scale of a session's settings; large if nobody chose it, as on a cluster."""
    return "small" if spark.conf.get(SCALE, "large") == "small" else "large"


def start_session(
    name: str,
    profile: Profile = "local",
    scale: Scale = "small",
    *,
    train_archive: Path | None = None,
    **overrides: str,
) -> SparkSession:
    """A session (the running one if there is one). `overrides`: Spark settings with `__` for the dots of their names.

    If spark-submit has started the JVM already, its heap and compilers come from its properties file.

    Raises RuntimeError when the Delta jars are missing.
    """
    if not places.jars():
        where = f"{places.cache() / 'jars'} or {places.project() / '.cache' / 'jars'}"
        raise RuntimeError(f"no Delta jars in {where}: run `make` once, it fetches them into the second one")
    _prepare_workers()
    if profile == "cluster" and (python := python_of_workers(os.environ)):
        os.environ["PYSPARK_PYTHON"] = python
    if profile == "cluster" and "PYSPARK_GATEWAY_PORT" not in os.environ:  # no spark-submit told the JVM where it is
        os.environ.setdefault("PYSPARK_SUBMIT_ARGS", submit_arguments(os.environ))
    from pyspark.sql import SparkSession

    chosen = settings(profile, scale, train_archive=train_archive) | {
        key.replace("__", "."): value for key, value in overrides.items()
    }
    builder = SparkSession.builder.appName(name)
    for key, value in chosen.items():
        builder = builder.config(key, value)
    with without_greeting():
        session = builder.getOrCreate()
    import delta.exceptions  # noqa: F401  # without it a conflict arrives as a bare Py4JJavaError

    return session


class LateSession:
    """A session that starts when it is first asked for. Tasks of a small run that load nothing never ask."""

    def __init__(self, name: str, profile: Profile = "local", scale: Scale = "small") -> None:
        self._name, self._profile, self._scale = name, profile, scale
        self._spark: SparkSession | None = None

    @classmethod
    def of(cls, spark: SparkSession) -> LateSession:
        """A session that runs already."""
        session = cls("running")
        session._spark = spark
        return session

    @property
    def scale(self) -> Scale:
        """How large the run is; on a cluster, large."""
        if self._spark is not None:
            return scale_of(self._spark)
        return "large" if self._profile == "cluster" else self._scale

    @property
    def held_bytes(self) -> int:
        """Up to how many bytes of text this process holds the rows of a load itself."""
        if self._spark is not None:
            return int(self._spark.conf.get(HELD, "0") or 0)
        return 0 if self._profile == "cluster" else HELD_BYTES

    @property
    def spark(self) -> SparkSession:
        """The session, which starts if it has not yet."""
        if self._spark is None:
            self._spark = start_session(self._name, self._profile, self._scale)
        return self._spark

    @property
    def words(self) -> str:
        """Its settings in words, whether it has started or not."""
        running = self._spark and {name: self._spark.conf.get(name, "") for name in (SCALE, "spark.driver.memory")}
        if running is None:
            return in_words(settings(self._profile, self._scale))
        return in_words(running if running[SCALE] else {})

    @property
    def running(self) -> SparkSession | None:
        """The session if it has started."""
        return self._spark

    def stop(self) -> None:
        """End the session if it has started."""
        if self._spark is not None:
            self._spark.stop()


def _prepare_workers() -> None:
    """Environment of the JVM and of its Python workers; set before the JVM starts."""
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # else workers run the first python3 on PATH
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    os.environ.setdefault("NUMBA_CACHE_DIR", str(places.cache() / "numba"))
    entries = [entry for entry in os.environ.get("PYTHONPATH", "").split(os.pathsep) if entry]
    root = str(places.project())
    if root not in entries:
        os.environ["PYTHONPATH"] = os.pathsep.join([root, *entries])


def main() -> None:
    """Print a profile's settings as a properties file: the local one's for small inputs, or the cluster's."""
    profile, *archive = sys.argv[1:] or ["local"]
    chosen = settings("cluster") | executors(*map(Path, archive)) if profile == "cluster" else settings()
    print(properties(chosen), end="")


if __name__ == "__main__":
    main()

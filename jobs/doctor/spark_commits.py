"""Whether Spark may commit to a lake in S3: two drivers must not make the same version of a table.

delta-rs has the storage refuse the second (`lake.py`). How Spark commits is up to Delta's log store; the one it takes
for S3 looks first and writes then, so a driver that was paused in between overwrites another's commit.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from jobs.doctor.findings import OK, WRONG, Finding
from jobs.lake.cluster import profile
from jobs.s3_settings import ONE_DRIVER, is_s3

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SETTING = "spark.delta.logStore.s3.impl"


def commit_findings(spark: SparkSession, folder: Path) -> Iterator[Finding]:
    """What was seen of Spark's commits. `folder`: a scratch folder of the lake."""
    if not is_s3(folder):
        return
    chosen = spark.conf.get(SETTING, ONE_DRIVER)
    if chosen != ONE_DRIVER:
        yield Finding("lake, Spark's commits", OK, f"by {chosen}")
    elif not _is_made_twice(spark, str(folder / "version")):
        yield Finding("lake, Spark's commits", OK, "the storage refuses a file that is there")
    elif profile() == "local":
        yield Finding("lake, Spark's commits", OK, "safe from one machine; two may make the same version of a table")
    else:
        mend = f"let {SETTING} name a log store for several drivers, such as Delta's with DynamoDB (docs/cluster.md)"
        yield Finding("lake, Spark's commits", WRONG, "two drivers may make the same version of a table", mend)


def _is_made_twice(spark: SparkSession, file: str) -> bool:
    """Whether two writers that both found no file may both make it."""
    from py4j.protocol import Py4JJavaError

    jvm = spark._jvm
    path = jvm.org.apache.hadoop.fs.Path(file)
    storage = path.getFileSystem(spark.sparkContext._jsc.hadoopConfiguration())
    first, second = storage.create(path, False), storage.create(path, False)
    first.close()
    try:
        second.close()
    except Py4JJavaError:
        return False
    return True

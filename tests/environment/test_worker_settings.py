"""Settings of executors that get the archive of `make worker-env`: no path of this machine, and its own Python."""

from __future__ import annotations

import sys
from pathlib import Path

from jobs.lake.cluster import python_of_workers
from jobs.lake.spark_settings import executors, properties


def test_executors_with_an_archive_are_told_no_folder_of_this_machine(tmp_path: Path) -> None:
    chosen = executors(tmp_path / "env.tar.gz")
    assert chosen["spark.archives"] == f"{tmp_path}/env.tar.gz#worker"
    assert not [name for name in chosen if name.startswith("spark.executorEnv.")]
    assert chosen["spark.pyspark.driver.python"] == sys.executable


def test_a_driver_without_spark_submit_sends_the_archives_python(tmp_path: Path) -> None:
    file = tmp_path / "cluster.conf"
    file.write_text(properties(executors(tmp_path / "env.tar.gz")))
    assert python_of_workers({"TRENDMILL_SPARK_SETTINGS": str(file)}) == "./worker/bin/python"
    file.write_text(properties(executors()))
    assert python_of_workers({"TRENDMILL_SPARK_SETTINGS": str(file)}) is None
    assert python_of_workers({}) is None

"""Stages take one of two ways, by the scale that their session tells (`jobs/stages/held_rows.py`)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from jobs.lake.session import scale_of
from jobs.lake.spark_settings import CODE, HELD, SCALE, Scale

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@contextmanager
def at(spark: SparkSession, scale: Scale) -> Iterator[None]:
    """Let stages believe that the tests' session was started for inputs of this size. Large: Spark holds all rows."""
    before = scale_of(spark), spark.conf.get(HELD, "0")
    spark.conf.set(SCALE, scale)
    spark.conf.set(HELD, "0" if scale == "large" else before[1])
    try:
        yield
    finally:
        spark.conf.set(SCALE, before[0])
        spark.conf.set(HELD, before[1])


@contextmanager
def generating_code(spark: SparkSession) -> Iterator[None]:
    """Let Spark generate code for its plans, as it does for large inputs."""
    before = {name: spark.conf.get(name) for name in CODE["large"]}
    for name, value in CODE["large"].items():
        spark.conf.set(name, value)
    try:
        yield
    finally:
        for name, value in before.items():
            spark.conf.set(name, value)

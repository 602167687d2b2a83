"""Stages take one of two ways, by the scale that their session tells (`jobs/stages/held_rows.py`)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from jobs.lake.session import SCALE, Scale, scale_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@contextmanager
def at(spark: SparkSession, scale: Scale) -> Iterator[None]:
    """Let stages believe that the tests' session was started for inputs of this size."""
    before = scale_of(spark)
    spark.conf.set(SCALE, scale)
    try:
        yield
    finally:
        spark.conf.set(SCALE, before)

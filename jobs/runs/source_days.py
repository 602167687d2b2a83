"""Checks whether a workload's sources have a day. Used before warm-up days are loaded, not for the run's own days."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

from jobs.raw.source_files import expand
from jobs.workload.declaration import Workload

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def has_day(spark: SparkSession, workload: Workload, day: date) -> bool:
    """Whether every source that must have a file for each day has one for `day`."""
    return all(
        expand(spark, place)
        for source in workload.sources.values()
        if source.daily and source.must_exist
        for place, file_day in source.paths([day], workload.base).items()
        if file_day == day
    )

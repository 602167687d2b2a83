"""Spark numbers time-points as the engine does: `offset` of events, and how many points each stamp has."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest

from cep_core.events.logs.time_points import offsets_of, points_of
from jobs.stages.slicing.mapped_points import SCHEMA
from jobs.stages.slicing.time_points import count_in_stamp, offset

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark


@pytest.mark.parametrize("points", ["by_timestamp", "by_event", "batch"])
def test_offsets_and_counts_are_those_of_the_engine(spark: SparkSession, points: str) -> None:
    """Ties of several points, batches that begin anew with each stamp, and batch numbers with gaps."""
    ts = [1, 1, 1, 1, 4, 9, 9, 9]
    events = pa.table({"ts": ts, "seq": [3, 4, 7, 8, 1, 2, 5, 6], "batch": [7, 7, 2, 9, 9, 4, -1, 4]})
    events = events.append_column("day", pa.array([date(2013, 1, 1)] * len(ts)))
    frame = spark.createDataFrame(events)
    numbered = frame.withColumn("offset", offset(points)).toArrow().sort_by([("ts", "ascending"), ("seq", "ascending")])
    expected = offsets_of(events, points)
    assert numbered["offset"].to_pylist() == expected.tolist()
    counted = frame.groupBy("day", "ts").agg(count_in_stamp(points).alias("points")).toArrow().sort_by("ts")
    assert counted.select(SCHEMA.names).to_pylist() == points_of(events["ts"].to_numpy(), expected).to_pylist()

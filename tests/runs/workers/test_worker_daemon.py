"""Python workers find the engines imported: they are forked from a process that has imported them."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark


def test_a_worker_begins_with_the_engines(spark: SparkSession) -> None:
    """Before a worker's first row, it has imported the engines."""

    def tell(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        imported = "jobs.stages.evaluating.slice_worker" in sys.modules
        yield from (pa.RecordBatch.from_pydict({"imported": [imported]}) for _ in batches)

    rows = spark.range(2).mapInArrow(tell, "imported BOOLEAN").toArrow()
    assert set(rows["imported"].to_pylist()) == {True}

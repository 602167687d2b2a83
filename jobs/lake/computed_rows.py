"""Rows of a load that are computed once, whatever is done with them: numbers that readers gave, what workers told.

A local session keeps them in its memory. Executors of a cluster may die with what they hold, and what was kept is not
computed again, so there the rows are written below `_work/loading`. Cost: a write and a read, on a cluster.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def computed(rows: DataFrame, folder: Path) -> DataFrame:
    """The rows, computed now. `folder`: where a load keeps what it needs until its end."""
    spark = rows.sparkSession
    if spark.sparkContext.master.startswith("local"):
        return rows.localCheckpoint()
    path = str(folder / "computed" / uuid4().hex)
    rows.write.parquet(path)
    return spark.read.schema(rows.schema).parquet(path)

"""Table names without a metastore: a folder of the lake with a Delta log becomes `<workload>.<table>` in the session.

Schemas, comments and constraints come from each table's own log. Cost: about 25 ms a table.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from jobs import places
from jobs.lake.definition import identifier, quoted

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

DISCARDED = "discarded-"
"""How the folder below `_work` begins in which a table stands that is being removed."""


def register(spark: SparkSession, workload: str, lake: Path | str | None = None) -> list[str]:
    """Register the tables of a workload; `_work/<table>` as `<workload>.work_<table>`. Returns their names."""
    spark.sql(f"CREATE DATABASE IF NOT EXISTS `{workload}`")
    folders = table_folders(workload, places.at(lake))
    for name, folder in folders.items():
        register_table(spark, identifier(workload, name), folder)
    return list(folders)


def stored_table(spark: SparkSession, name: str, folder: Path) -> DataFrame:
    """The rows of a table of the lake (`<workload>.<table>`), which the session gets to know when it is first used."""
    spark.sql(f"CREATE DATABASE IF NOT EXISTS {name.rsplit('.', 1)[0]}")
    register_table(spark, name, folder)
    return spark.table(name)


def register_table(spark: SparkSession, name: str, folder: Path) -> None:
    """Register one existing table. Its location is quoted, since SQL takes no parameter for a location."""
    spark.sql(f"CREATE TABLE IF NOT EXISTS {name} USING delta LOCATION {quoted(str(folder.resolve()))}")


def table_folders(workload: str, lake: Path) -> dict[str, Path]:
    """The tables in the lake: their names (`work_<table>` below `_work`) and folders."""
    home = lake / workload
    published = {log.parent.name: log.parent for log in sorted(home.glob("*/_delta_log"))}
    working = {f"work_{log.parent.name}": log.parent for log in sorted(home.glob("_work/*/_delta_log"))}
    return published | working

"""Creating tables from their definitions. A table with other columns than the defined ones is refused.

CHECK constraints are given as table properties of the CREATE statement: one commit instead of one for each. Deletion
vectors and column mapping are off, so that workers and other readers can open a table's files by path.
"""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

from jobs import places
from jobs.exits import SchemaChanged
from jobs.lake.definition import Column, Table, identifier, quoted
from jobs.lake.leasing.fence import fence_of
from jobs.lake.register import register_table, table_folders

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

MAKERS = 4
"""The number of tables opened or created at the same time: most of the work is waiting for files and planning."""

PROPERTIES = {"delta.enableDeletionVectors": "false", "delta.columnMapping.mode": "none"}


def create(spark: SparkSession, workload: str, tables: Iterable[Table], lake: Path | str | None = None) -> None:
    """Register existing tables and create the others. Tables that widen get new columns. Idempotent.

    Raises SchemaChanged, naming the difference and the command that rebuilds the table, before anything is made.
    """
    home = Path(lake) if lake else places.lake()
    spark.sql(f"CREATE DATABASE IF NOT EXISTS `{workload}`")
    definitions, present = list(tables), table_folders(workload, home)
    with ThreadPoolExecutor(MAKERS) as makers:
        list(makers.map(lambda table: _register(spark, workload, table, present.get(table.name)), definitions))
        if absent := [table for table in definitions if table.name not in present]:
            statements = [create_statement(workload, table, home / workload / table.folder) for table in absent]
            with fence_of(workload).alone():
                list(makers.map(spark.sql, statements))


def create_statement(workload: str, table: Table, folder: Path) -> str:
    """The CREATE TABLE statement of a definition.

    >>> day = Column("day", "DATE", "When", nullable=False)
    >>> small = Table("t", "Why", (day,), checks={"young": "day > '2000-01-01'"})
    >>> print(create_statement("w", small, Path("/lake/w/t")))
    CREATE TABLE IF NOT EXISTS `w`.`t` (
      `day` DATE NOT NULL COMMENT 'When'
    ) USING delta PARTITIONED BY (`day`) LOCATION '/lake/w/t' COMMENT 'Why' TBLPROPERTIES (
      'delta.enableDeletionVectors' = 'false',
      'delta.columnMapping.mode' = 'none',
      'delta.constraints.young' = 'day > \\'2000-01-01\\''
    )
    """
    columns = ",\n  ".join(_column(column) for column in table.columns)
    partitions = ", ".join(f"`{name}`" for name in table.partitioned_by)
    constraints = {f"delta.constraints.{name}": predicate for name, predicate in table.checks.items()}
    stated = PROPERTIES | constraints | dict(table.properties)
    properties = ",\n  ".join(f"{quoted(k)} = {quoted(v)}" for k, v in stated.items())
    return (
        f"CREATE TABLE IF NOT EXISTS {identifier(workload, table.name)} (\n  {columns}\n) USING delta "
        + (f"PARTITIONED BY ({partitions}) " if partitions else "")
        + f"LOCATION {quoted(str(folder))} COMMENT {quoted(table.comment)} TBLPROPERTIES (\n  {properties}\n)"
    )


def _column(column: Column) -> str:
    required = "" if column.nullable else " NOT NULL"
    return f"`{column.name}` {column.type}{required} COMMENT {quoted(column.comment)}"


def _register(spark: SparkSession, workload: str, table: Table, folder: Path | None) -> None:
    if folder is not None:
        register_table(spark, identifier(workload, table.name), folder)
        _compare(spark, workload, table)


def _compare(spark: SparkSession, workload: str, table: Table) -> None:
    fields = spark.table(identifier(workload, table.name)).schema.fields
    in_lake = {field.name: field.dataType.simpleString().upper() for field in fields}
    required = {column.name: column.type.upper() for column in table.columns}
    if in_lake == required:
        return
    new = [column for column in table.columns if column.name not in in_lake]
    if table.widens and all(column.nullable for column in new) and in_lake.items() <= required.items():
        columns = ", ".join(_column(column) for column in new)
        with fence_of(workload).alone():
            spark.sql(f"ALTER TABLE {identifier(workload, table.name)} ADD COLUMNS ({columns})")
        return
    differences = [
        f"{name}: {in_lake.get(name, 'absent')} in the lake, {required.get(name, 'absent')} as defined"
        for name in dict.fromkeys([*in_lake, *required])
        if in_lake.get(name) != required.get(name)
    ]
    raise SchemaChanged(
        f"the columns of {workload}.{table.name} have changed ({'; '.join(differences)}); "
        f"to rebuild the table: trendmill rebuild {workload} {table.name}"
    )

"""Creating tables from their definitions. A table whose columns have other types than the defined ones is refused.

An attribute that joins the log becomes a new column, without values in old rows. The column of an attribute that left
stays, without values in new rows.

delta-rs makes a table's first version, CHECK constraints and all, in one commit and without Spark, which takes 0.2 s of
CPU time for each. Deletion vectors and column mapping are off, so that workers and other readers can open a table's
files by path.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from pathlib import Path

from deltalake import DeltaTable, Field, Schema
from deltalake.schema import ArrayType, PrimitiveType

from jobs import places
from jobs.exits import SchemaChanged
from jobs.lake.arrow_write import fill_moments, lacks_moments
from jobs.lake.definition import Column, Table, is_attribute
from jobs.lake.leasing.fence import fence_of
from jobs.lake.moments.columns import FILLED, MADE_OF, UNIT, metadata_of
from jobs.lake.register import table_folders

PROPERTIES = {"delta.enableDeletionVectors": "false", "delta.columnMapping.mode": "none"}

CHECKING = {"delta.minWriterVersion": "3"}
"""Of tables with CHECK constraints: the version of Delta's protocol whose writers respect them."""

DELTA_TYPES = {
    "BIGINT": "long",
    "INT": "integer",
    "SMALLINT": "short",
    "TINYINT": "byte",
    "DOUBLE": "double",
    "FLOAT": "float",
    "BOOLEAN": "boolean",
    "STRING": "string",
    "DATE": "date",
    "TIMESTAMP": "timestamp",
    "BINARY": "binary",
}
"""Spark's names of types, and the names in a table's log; a decimal's name is the same."""

SQL_TYPES = {delta: sql for sql, delta in DELTA_TYPES.items()}


def create(workload: str, tables: Iterable[Table], lake: Path | str | None = None) -> None:
    """Create absent tables. Tables that widen get new columns. Idempotent.

    Raises SchemaChanged, naming the difference and the command that rebuilds the table, before anything is made.
    """
    home = places.at(lake)
    definitions = list(tables)
    present = _present(workload, home)
    for table in definitions:
        if table.name in present:
            opened = DeltaTable(present[table.name])
            _widen(workload, table, present[table.name], opened)
            _fill(workload, table, present[table.name], opened)
            _restate_checks(workload, table, present[table.name])
    if absent := [table for table in definitions if table.name not in present]:
        with fence_of(workload).alone():
            for table in absent:
                make(table, home / workload / table.folder)


def refuse_changed(workload: str, tables: Iterable[Table], lake: Path | str | None = None) -> None:
    """Raises SchemaChanged where `create` would. Makes nothing."""
    present = _present(workload, places.at(lake))
    for table in tables:
        if table.name in present:
            _new_columns(workload, table, DeltaTable(present[table.name]))


def _present(workload: str, home: Path) -> dict[str, Path]:
    """The folders of a workload's tables. A program that was killed may have left a log without a version."""
    folders = table_folders(workload, home).items()
    return {name: folder for name, folder in folders if DeltaTable.is_deltatable(str(folder))}


def make(table: Table, folder: Path) -> DeltaTable:
    """Make the first version of a table, without rows; an existing table stays as it is."""
    constraints = {f"delta.constraints.{name}": predicate for name, predicate in table.checks.items()}
    return DeltaTable.create(
        folder,
        Schema([_field(column) for column in table.columns]),
        mode="ignore",
        partition_by=list(table.partitioned_by),
        description=table.comment,
        configuration={**PROPERTIES, **(CHECKING if constraints else {}), **constraints, **table.properties},
        raise_if_key_not_exists=False,  # a table's further properties are not Delta's
    )


def _field(column: Column) -> Field:
    return Field(column.name, delta_type(column.type), column.nullable, metadata_of(column))


def delta_type(sql: str) -> PrimitiveType | ArrayType:
    """A column's type as a table's log names it.

    >>> delta_type("ARRAY<BIGINT>"), delta_type("DECIMAL(38,0)")
    (ArrayType(PrimitiveType("long"), contains_null=True), PrimitiveType("decimal(38,0)"))
    """
    if sql.startswith("ARRAY<"):
        return ArrayType(delta_type(sql[len("ARRAY<") : -1]))
    return PrimitiveType(DELTA_TYPES.get(sql, sql.lower()))


def sql_type(delta: object) -> str:
    """A column's type as Spark names it.

    >>> sql_type(delta_type("ARRAY<BIGINT>")), sql_type(delta_type("DECIMAL(38,0)"))
    ('ARRAY<BIGINT>', 'DECIMAL(38,0)')
    """
    if isinstance(delta, ArrayType):
        return f"ARRAY<{sql_type(delta.element_type)}>"
    name = delta.type if isinstance(delta, PrimitiveType) else str(delta)
    return SQL_TYPES.get(name, name.upper())


def _restate_checks(workload: str, table: Table, folder: Path) -> None:
    """Let a table's constraints say what they say now: days begin at another hour, an event type joined.

    Rows that the table holds are not looked at.
    """
    if not table.checks:
        return
    in_lake = DeltaTable(folder).metadata().configuration
    defined = {f"delta.constraints.{name}": text for name, text in table.checks.items()}
    if changed := {name: text for name, text in defined.items() if in_lake.get(name) not in (None, text)}:
        with fence_of(workload).alone():
            DeltaTable(folder).alter.set_table_properties(changed, raise_if_not_exists=False)


def _fill(workload: str, table: Table, folder: Path, opened: DeltaTable) -> None:
    """Give a table of an older program its TIMESTAMP columns, in all rows. If it is killed, the next one goes on."""
    made = [column for column in table.columns if column.made_of]
    if not made:
        return
    present = {field.name: field.metadata for field in opened.schema().fields}
    for column in made:
        # Rows of days that are not evaluated again yet keep what they have, which was computed in the former unit.
        if present.get(column.name, {}).get(UNIT, column.unit) != column.unit:
            with fence_of(workload).alone():
                DeltaTable(folder).alter.set_column_metadata(column.name, metadata_of(column))
    if FILLED in opened.metadata().configuration:
        return
    if new := [column for column in made if column.name not in present]:
        with fence_of(workload).alone():
            DeltaTable(folder).alter.add_columns([_field(column) for column in new])
    if lacks_moments(folder):
        fence_of(workload).commit(f"{workload}.{table.name}", partial(fill_moments, folder))
    with fence_of(workload).alone():
        DeltaTable(folder).alter.set_table_properties({FILLED: table.properties[FILLED]}, raise_if_not_exists=False)


def _widen(workload: str, table: Table, folder: Path, opened: DeltaTable) -> None:
    """Add new columns to a table that widens. Raises SchemaChanged."""
    if new := _new_columns(workload, table, opened):
        with fence_of(workload).alone():
            DeltaTable(folder).alter.add_columns([_field(column) for column in new])


def _new_columns(workload: str, table: Table, opened: DeltaTable) -> list[Column]:
    """The columns that join a table. Attributes that are not declared any more stay. Raises SchemaChanged if other
    columns differ."""
    fields = [field for field in opened.schema().fields if MADE_OF not in field.metadata]
    in_lake = {field.name: sql_type(field.type) for field in fields}
    required = {column.name: column.type.upper() for column in table.columns if not column.made_of}
    former = {field.name for field in fields if is_attribute(field.metadata.get("comment", ""))} - set(required)
    kept = {name: of_type for name, of_type in in_lake.items() if not (table.widens and name in former)}
    new = [column for column in table.columns if column.name not in kept and not column.made_of]
    if kept == required or (
        table.widens and all(column.nullable for column in new) and kept.items() <= required.items()
    ):
        return new
    differences = [
        f"{name}: {kept.get(name, 'absent')} in the lake, {required.get(name, 'absent')} as defined"
        for name in dict.fromkeys([*kept, *required])
        if kept.get(name) != required.get(name)
    ]
    of_table = f"the table: trendmill rebuild {workload} {table.name}"
    of_events = f"the tables of events and load all days again: trendmill rebuild {workload} --events"
    raise SchemaChanged(
        f"the columns of {workload}.{table.name} have changed ({'; '.join(differences)}); "
        f"to rebuild {of_events if table.of_events else of_table}"
    )

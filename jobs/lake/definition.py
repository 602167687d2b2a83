"""The definition of a table of the lake: columns with comments, NOT NULL and CHECK constraints, partitioning.

A table is partitioned by what a run replaces. Statements are generated from definitions (jobs/lake/tables/creating.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from cep_core.events.schema import AttributeType, LogSchema


@dataclass(frozen=True)
class Column:
    """A column: name, Spark SQL type, what it means."""

    name: str
    type: str
    comment: str
    nullable: bool = True
    made_of: str = ""
    """Of a TIMESTAMP column that each write computes: the whole-number column that it is computed from, whose unit is
    `unit` (jobs/lake/moments/)."""
    unit: str = ""


@dataclass(frozen=True)
class Table:
    """A table's definition. `checks`: constraint name -> SQL predicate that no row may make false."""

    name: str
    comment: str
    columns: tuple[Column, ...]
    partitioned_by: tuple[str, ...] = ("day",)
    checks: Mapping[str, str] = field(default_factory=dict)
    properties: Mapping[str, str] = field(default_factory=dict)
    """Further table properties, for programs that read the table's own log."""
    widens: bool = False
    """Whether nullable columns that an older table lacks are added to it. Its old rows have NULL there."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "checks", MappingProxyType(dict(self.checks)))
        object.__setattr__(self, "properties", MappingProxyType(dict(self.properties)))

    @property
    def of_events(self) -> bool:
        """Whether the table has a column for each attribute of the log."""
        return any(is_attribute(column.comment) for column in self.columns)

    @property
    def working(self) -> bool:
        return self.name.startswith("work_")

    @property
    def folder(self) -> str:
        """The table's folder below the workload's.

        >>> Table("work_slices", "", ()).folder, Table("events", "", ()).folder
        ('_work/slices', 'events')
        """
        return f"_work/{self.name.removeprefix('work_')}" if self.working else self.name


SQL_TYPES = {
    AttributeType.INT: "BIGINT",
    AttributeType.FLOAT: "DOUBLE",
    AttributeType.STRING: "STRING",
    AttributeType.BOOL: "BOOLEAN",
}

_ATTRIBUTE = "Attribute of"

DAY = Column("day", "DATE", "Operating day", nullable=False)
RUN = Column("run_id", "STRING", "The run that wrote the row", nullable=False)


def identifier(workload: str, table: str) -> str:
    """A table's name in Spark SQL.

    >>> identifier("nyc_flights", "events")
    '`nyc_flights`.`events`'
    """
    return f"`{workload}`.`{table}`"


def quoted(text: str) -> str:
    r"""A SQL string literal, for the few places where the grammar takes no parameter (locations, comments).

    >>> print(quoted("it's C:\\lake"))
    'it\'s C:\\lake'
    """
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def attribute_columns(schema: LogSchema) -> tuple[Column, ...]:
    """One column for each attribute name of the log, in order of first mention; null where a type lacks it."""
    carriers: dict[str, list[str]] = {}
    types: dict[str, AttributeType] = {}
    for event_type, attributes in schema.types.items():
        for attribute in attributes.values():
            carriers.setdefault(attribute.name, []).append(event_type)
            types[attribute.name] = attribute.type
    return tuple(Column(name, SQL_TYPES[types[name]], f"{_ATTRIBUTE} {', '.join(carriers[name])}") for name in carriers)


def is_attribute(comment: str) -> bool:
    """Whether a column with this comment holds an attribute of the log, declared now or once.

    >>> from cep_core.events.schema import Attribute, AttributeType
    >>> [load] = attribute_columns(LogSchema({"Start": {"load": Attribute("load", AttributeType.INT)}}))
    >>> load.comment, is_attribute(load.comment), is_attribute("When")
    ('Attribute of Start', True, False)
    """
    return comment.startswith(f"{_ATTRIBUTE} ")

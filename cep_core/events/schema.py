"""What a log is: its event types, their typed attributes, its time unit and how ties are read.

Assumes nothing about storage; a log's events are an Arrow table with the columns `event_type` (string), `ts` (int64, in
the log's unit), `seq` (int64, unique) and one nullable column for each attribute name, in (ts, seq) order. An attribute
name has one type throughout a log; an event has null where its type lacks the attribute. An optional int64 column `pos`
is the event's rank among all events read, before any filter (absent: the row's number). See docs/semantics.md, 1.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType


class AttributeType(StrEnum):
    """The types that an attribute may have; Arrow int64, double, string, bool."""

    INT = "int"
    FLOAT = "float"
    STRING = "string"
    BOOL = "bool"


class Ties(StrEnum):
    """How events with equal `ts` relate: `concurrent` ones never follow each other, `ordered` ones do so by `seq`."""

    CONCURRENT = "concurrent"
    ORDERED = "ordered"


@dataclass(frozen=True)
class Attribute:
    """One attribute of an event type. `title` is what reports call it; results do not depend on it."""

    name: str
    type: AttributeType
    nullable: bool = True
    title: str = ""


@dataclass(frozen=True)
class LogSchema:
    """Event types with their attributes, the unit of `ts`, and the reading of ties.

    `types` maps an event type to its attributes by name. `imprecision` tells of an event type how much earlier and how
    much later than `ts` its events may have happened; a type that is not in it is precise. `open_world` is True where
    no schema was declared: every type name is then accepted and every type has every attribute of `columns` (`cep.*` on
    a bare table).
    """

    types: Mapping[str, Mapping[str, Attribute]]
    unit: str = "s"
    ties: Ties = Ties.CONCURRENT
    open_world: bool = False
    columns: Mapping[str, Attribute] = field(default_factory=dict)
    imprecision: Mapping[str, tuple[int, int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        frozen = {name: MappingProxyType(dict(attributes)) for name, attributes in self.types.items()}
        object.__setattr__(self, "types", MappingProxyType(frozen))
        object.__setattr__(self, "columns", MappingProxyType(dict(self.columns)))
        object.__setattr__(self, "imprecision", MappingProxyType(dict(self.imprecision)))

    def has_type(self, event_type: str) -> bool:
        """Whether events of this type may occur in the log."""
        return self.open_world or event_type in self.types

    def attributes_of(self, event_type: str) -> Mapping[str, Attribute]:
        """The attributes of an event type by name; none for a type that the log does not have.

        >>> LogSchema({"A": {"x": Attribute("x", AttributeType.INT)}}).attributes_of("A")["x"].type
        <AttributeType.INT: 'int'>
        """
        return self.columns if self.open_world else self.types.get(event_type, {})

    def title_of(self, attribute: str) -> str:
        """What reports call an attribute: its title in the first event type that gives one, else its name.

        >>> origin = Attribute("origin", AttributeType.STRING, title="airport of departure")
        >>> schema = LogSchema({"Departure": {"origin": origin}})
        >>> schema.title_of("origin"), schema.title_of("dest")
        ('airport of departure', 'dest')
        """
        carriers = (attributes[attribute] for attributes in self.types.values() if attribute in attributes)
        return next((carrier.title for carrier in carriers if carrier.title), attribute)

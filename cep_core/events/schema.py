"""The schema of a log: its event types, their typed attributes, its time unit, and the meaning of equal times.

Nothing is assumed about storage. The events of a log are an Arrow table in (ts, seq) order. Its columns are
`event_type` (string), `ts` (int64, in the log's unit), `seq` (int64, unique), and one nullable column for each
attribute name. An attribute name has the same type in all event types; an event has null if its type lacks the
attribute. An optional int64 column `pos` is the event's rank among all events read, before any filter; without it, the
row number is used. See docs/semantics.md, 1.
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
    """The meaning of equal `ts`.

    Events that are `concurrent` never follow each other; events that are `ordered` follow each other by `seq`.
    """

    CONCURRENT = "concurrent"
    ORDERED = "ordered"


@dataclass(frozen=True)
class Attribute:
    """One attribute of an event type. Reports show its `title`; results do not depend on the title.

    `masked`: reports never show its values. `shown`: it tells what an event is, so tables of matches show it first.
    """

    name: str
    type: AttributeType
    nullable: bool = True
    title: str = ""
    masked: bool = False
    shown: bool = False


@dataclass(frozen=True)
class NamedCondition:
    """A name for the events of a type that meet a condition: an atom of propositional policies."""

    event_type: str
    condition: str
    """As a vertex condition of a pattern, without a variable: `delay_min >= 60`."""


@dataclass(frozen=True)
class LogSchema:
    """Event types with their attributes, the unit of `ts`, and the meaning of equal times.

    `types` maps an event type to its attributes by name. `imprecision` maps an event type to how much earlier and how
    much later than `ts` its events may have happened; other types are precise. `conditions`: the atoms of propositional
    policies that are not event types, by name. `open_world` is True if no schema was
    declared (`cep.*` on a bare table): then every type name is accepted, and every type has all attributes of
    `columns`.
    """

    types: Mapping[str, Mapping[str, Attribute]]
    unit: str = "s"
    ties: Ties = Ties.CONCURRENT
    open_world: bool = False
    columns: Mapping[str, Attribute] = field(default_factory=dict)
    imprecision: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    conditions: Mapping[str, NamedCondition] = field(default_factory=dict)

    def __post_init__(self) -> None:
        frozen = {name: MappingProxyType(dict(attributes)) for name, attributes in self.types.items()}
        object.__setattr__(self, "types", MappingProxyType(frozen))
        object.__setattr__(self, "columns", MappingProxyType(dict(self.columns)))
        object.__setattr__(self, "imprecision", MappingProxyType(dict(self.imprecision)))
        object.__setattr__(self, "conditions", MappingProxyType(dict(self.conditions)))

    def has_type(self, event_type: str) -> bool:
        """Whether events of this type may occur in the log."""
        return self.open_world or event_type in self.types

    def attributes_of(self, event_type: str) -> Mapping[str, Attribute]:
        """The attributes of an event type by name; empty for a type that the log does not have.

        >>> LogSchema({"A": {"x": Attribute("x", AttributeType.INT)}}).attributes_of("A")["x"].type
        <AttributeType.INT: 'int'>
        """
        return self.columns if self.open_world else self.types.get(event_type, {})

    @property
    def masked(self) -> frozenset[str]:
        """The attributes whose values reports never show."""
        every = (attribute for attributes in self.types.values() for attribute in attributes.values())
        return frozenset(attribute.name for attribute in every if attribute.masked)

    def title_of(self, attribute: str) -> str:
        """The name of an attribute in reports: its title in the first event type that has one, else its own name.

        >>> origin = Attribute("origin", AttributeType.STRING, title="airport of departure")
        >>> schema = LogSchema({"Departure": {"origin": origin}})
        >>> schema.title_of("origin"), schema.title_of("dest")
        ('airport of departure', 'dest')
        """
        carriers = (attributes[attribute] for attributes in self.types.values() if attribute in attributes)
        return next((carrier.title for carrier in carriers if carrier.title), attribute)

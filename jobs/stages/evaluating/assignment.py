"""What the workers of a run are told beside the events: plans, questions, days, the log's schema. Plain values, which
travel to other processes; a worker compiles each question once, as the driver did.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass, field

from cep_core.compile import bind_text
from cep_core.events.schema import Attribute, AttributeType, LogSchema, NamedCondition, Ties
from cep_core.language.evaluator import RESULT, Evaluator
from cep_core.language.settings import Settings
from cep_core.slicing import Plan
from jobs.stages.evaluating.explained_slices import Asked
from jobs.stages.evaluating.reading import Moments

SMALL = 1 << 15
"""As `Assignment.together`. By eleven queries together, events of 1,900 a slice cost a half for each if four slices are
evaluated in one call, and a quarter if fifteen are: little that every call costs is left there to be shared."""

SchemaValues = tuple[
    str,
    str,
    tuple[tuple[str, tuple[tuple[str, str, bool], ...]], ...],
    tuple[tuple[str, int, int], ...],
    tuple[tuple[str, str, str], ...],
]
"""Unit, ties, event types with their attributes' names, types and nullability, how imprecise their times are, and named
conditions."""


@dataclass(frozen=True)
class QueryText:
    """A query as it travels to a worker, which compiles it once, as the driver did.

    `path`: the file's name in errors; its suffix tells the language. The budget of `settings` holds for each slice and
    day.
    """

    name: str
    path: str
    text: str
    settings: Settings
    table: str = RESULT
    """The suffix of the table for which it is evaluated."""

    @property
    def into(self) -> str:
        """The name of that table."""
        return self.name + self.table


@dataclass(frozen=True)
class Assignment:
    """What the workers of a run need in addition to the events, as plain values.

    `blocks`: for each query's table the boundaries of the operating days to evaluate, one tuple for each block of
    consecutive days. `schema`: attribute types of each event type, with unit and ties. `since`: the first moment that
    each of the blocks reads; without it, a block reads all that its query's reach asks for. `asked`: for each table
    that explains rows of a result, these rows.
    """

    plans: tuple[dict[str, object], ...]
    queries: tuple[QueryText, ...]
    blocks: Mapping[str, tuple[Moments, ...]]
    schema: SchemaValues
    row_limit: int
    since: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    asked: Mapping[str, Asked] = field(default_factory=dict)
    together: int = SMALL
    """Slices that have so many events together are evaluated in one call; 0: each by itself."""

    def plan(self, plan_id: str) -> Plan:
        """The plan with this id, with what follows from it, for all slices."""
        if plan_id not in self._plans:
            content = next(content for content in self.plans if content["plan_id"] == plan_id)
            self._plans[plan_id] = Plan.from_dict(content)
        return self._plans[plan_id]

    @functools.cached_property
    def _plans(self) -> dict[str, Plan]:
        """Those that were asked for."""
        return {}


def schema_to_values(
    schema: LogSchema,
) -> SchemaValues:
    """A schema as plain tuples, to be sent to workers."""
    types = tuple(
        (name, tuple((a.name, a.type.value, a.nullable) for a in attributes.values()))
        for name, attributes in schema.types.items()
    )
    imprecision = tuple((name, before, after) for name, (before, after) in schema.imprecision.items())
    conditions = tuple((name, of.event_type, of.condition) for name, of in schema.conditions.items())
    return schema.unit, schema.ties.value, types, imprecision, conditions


@functools.lru_cache(maxsize=256)
def compiled(query: QueryText, schema: SchemaValues) -> Evaluator:
    """The query's evaluator, compiled once in this process."""
    unit, ties, types, imprecision, conditions = schema
    declared = {
        name: {
            attribute: Attribute(attribute, AttributeType(kind), nullable) for attribute, kind, nullable in attributes
        }
        for name, attributes in types
    }
    log = LogSchema(
        declared,
        unit=unit,
        ties=Ties(ties),
        imprecision={name: (before, after) for name, before, after in imprecision},
        conditions={name: NamedCondition(event_type, text) for name, event_type, text in conditions},
    )
    return bind_text(query.text, log, query.path, whole_log=False).evaluator(query.settings)

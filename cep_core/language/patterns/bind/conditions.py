"""A condition on the events of one type, as a vertex condition of a pattern, but without a pattern around it.

The atoms of propositional policies are such conditions. NULL is unknown, and what is unknown does not hold.
"""

from __future__ import annotations

from dataclasses import dataclass

from cep_core.events.schema import LogSchema
from cep_core.language.errors import Position, QueryError
from cep_core.language.patterns.bind.binding import bind_written
from cep_core.language.patterns.syntax import WrittenQuery, WrittenSpan
from cep_core.language.patterns.text.parsing import parse_condition
from cep_core.language.patterns.tree import Expression, Logical, Unit
from cep_core.language.patterns.walk import references, variables_of

_START = Position(1, 1)


@dataclass(frozen=True)
class EventCondition:
    """A condition, and the attributes that it looks at."""

    expression: Expression
    attributes: tuple[str, ...]


def bind_condition(text: str, event_type: str, schema: LogSchema, path: str = "<condition>") -> EventCondition:
    """The condition of a text, its names resolved and its types checked. Raises QueryError.

    >>> from cep_core.events.schema import Attribute, AttributeType
    >>> schema = LogSchema({"Departure": {"delay": Attribute("delay", AttributeType.INT)}})
    >>> bind_condition("delay >= 60 AND ts > 0", "Departure", schema).attributes
    ('delay', 'ts')
    """
    expression = parse_condition(text, path)
    if not variables_of(expression) and not list(references(expression)):
        raise QueryError("looks at no attribute", expression.at, text=text, path=path, hint=_known(event_type, schema))
    written = WrittenQuery(Unit(event_type, event_type, _START), WrittenSpan(0, None, _START), conditions=(expression,))
    bound = bind_written(written, schema, text, path)
    conditions = [predicate.expression for predicate in bound.vertex_predicates]
    if not conditions or bound.edge_predicates or bound.match_predicates:
        message = "a condition on one event is needed"
        raise QueryError(message, expression.at, text=text, path=path, hint="patterns (.cep) compare events")
    has_bounds = len(conditions) > 1  # the two bounds of BETWEEN
    whole = Logical("and", tuple(conditions), expression.at) if has_bounds else conditions[0]
    return EventCondition(whole, tuple(dict.fromkeys(reference.attribute for reference in references(whole))))


def _known(event_type: str, schema: LogSchema) -> str:
    return f"{event_type} has {', '.join([*schema.attributes_of(event_type), 'ts', 'seq'])}"

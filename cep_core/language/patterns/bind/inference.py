"""Infers the schema that a query assumes: the event types and attributes that it mentions, typed by their use.

It is used for `explain` without a log. Attributes that are compared with each other have the same type (union-find):
text if one is compared with text or by LIKE, a boolean if one is compared with TRUE or FALSE, else a number. Attributes
that are only used as keys are text. No attribute is NULL.
"""

from __future__ import annotations

from collections.abc import Iterator

from cep_core.aggregates.registry import NAMED, over_trends
from cep_core.events.schema import Attribute, AttributeType, LogSchema
from cep_core.language.patterns.bind.scope import literal_type
from cep_core.language.patterns.syntax import TrendAggregate, WrittenQuery
from cep_core.language.patterns.tree import (
    Arithmetic,
    Between,
    Comparison,
    Expression,
    In,
    Like,
    Literal,
    Negative,
    PrefixAggregate,
    Reference,
)
from cep_core.language.patterns.walk import operands, units_of, walk

_NUMBER = AttributeType.FLOAT
"""The likeliest type of an attribute that an aggregate over all trends, or a user's aggregate, takes."""


def schema_mentioned_by(query: WrittenQuery) -> LogSchema:
    """An open-world schema in which every type has every attribute that the query names.

    >>> from cep_core.language.patterns.text.parsing import parse
    >>> schema = schema_mentioned_by(parse("PATTERN A a WHERE a.x > 3 AND a.name = 'b' WITHIN 5"))
    >>> {name: attribute.type.value for name, attribute in schema.columns.items()}
    {'name': 'string', 'x': 'float'}
    """
    types: dict[str, AttributeType] = {}
    links: list[tuple[str, ...]] = []
    names = {name.attribute for name in (*query.equivalences, *query.group_by)}
    for expression in _expressions(query):
        for part in walk(expression):
            if isinstance(part, Reference | PrefixAggregate) and part.attribute is not None:
                names.add(part.attribute)
            _note(part, types, links)
    types |= dict(_aggregated(query))
    for item in query.returns:
        if isinstance(item.value, TrendAggregate) and item.value.attribute is not None:
            names.add(item.value.attribute)
    whole = {name for name, kind in _aggregated(query) if kind is AttributeType.INT}
    types |= dict.fromkeys(whole, AttributeType.INT)  # no other type is possible
    for _ in links:
        # types spread along the links in at most as many rounds as there are links
        for linked in links:
            kinds = [types[name] for name in linked if name in types]
            types |= {name: kinds[0] for name in linked if kinds and name not in types}
    compared = {name for linked in links for name in linked}
    columns = {
        name: Attribute(name, types.get(name, AttributeType.FLOAT if name in compared else AttributeType.STRING), False)
        for name in sorted(names - {"ts", "seq"})
    }
    return LogSchema({unit.event_type: columns for unit in units_of(query.pattern)}, open_world=True, columns=columns)


def _expressions(query: WrittenQuery) -> Iterator[Expression]:
    yield from query.conditions
    for item in query.returns:
        if not isinstance(item.value, TrendAggregate):
            yield item.value


def _aggregated(query: WrittenQuery) -> Iterator[tuple[str, AttributeType]]:
    """The attributes that aggregates take, each with the type that the aggregate implies."""
    for expression in _expressions(query):
        for part in walk(expression):
            if isinstance(part, PrefixAggregate) and part.attribute is not None:
                assumed = NAMED[part.function].assumed if part.function in NAMED else _NUMBER
                if assumed is not None:
                    yield part.attribute, assumed
    for item in query.returns:
        if isinstance(item.value, TrendAggregate) and item.value.attribute is not None:
            aggregate = over_trends(item.value.function, item.value.target)
            yield item.value.attribute, aggregate.assumed or _NUMBER


def _note(part: Expression, types: dict[str, AttributeType], links: list[tuple[str, ...]]) -> None:
    """Collects what one part of an expression implies about the types of its attributes."""
    attributes = tuple(str(inner.attribute) for inner in operands(part) if isinstance(inner, Reference))
    match part:
        case Arithmetic() | Negative():
            types |= dict.fromkeys(attributes, AttributeType.FLOAT)
        case Like():
            types |= dict.fromkeys(attributes, AttributeType.STRING)
        case Comparison() | In() | Between():
            literals = [inner for inner in operands(part) if isinstance(inner, Literal)]
            kind = next(
                (literal_kind for literal in literals if (literal_kind := literal_type(literal)) is not None), None
            )
            if kind is AttributeType.INT or any(isinstance(inner, Arithmetic | Negative) for inner in operands(part)):
                kind = AttributeType.FLOAT
            if kind is not None:
                types |= dict.fromkeys(attributes, kind)
            elif attributes:
                links.append(attributes)

"""The attributes that evaluating a pattern query looks at, by event type: what its slices must hold.

They are those that a predicate, an equivalence, an item of RETURN or the rank within a partition names. Attributes of
the same event type are united over its variables. Cost: one walk over the query.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from cep_core.language.patterns.facts.atoms import atoms_of
from cep_core.language.patterns.query import Query
from cep_core.language.patterns.tree import Expression, PrefixAggregate, Reference
from cep_core.language.patterns.walk import walk


def reads_of(query: Query) -> Mapping[str, tuple[str, ...]]:
    """Event type -> attributes, both sorted; each type of the query's atoms has an entry.

    >>> from cep_core.compile import bind_text
    >>> from cep_core.events.schema import Attribute, AttributeType, LogSchema
    >>> types = {name: {a: Attribute(a, AttributeType.INT) for a in "xyz"} for name in "AB"}
    >>> reads_of(bind_text("PATTERN SEQ(A a, B+ b[]) WHERE [x] AND sum(b[].y) > 2 WITHIN 5", LogSchema(types)).query)
    {'A': ('x',), 'B': ('x', 'y')}
    """
    atoms = atoms_of(query)
    of_variable = {variable.name: variable.event_type for variable in query.variables}
    read: dict[str, set[str]] = {atom.event_type: set() for atom in atoms}
    for atom in atoms:
        read[atom.event_type].update(attribute for attribute, _ in (*atom.variables, *atom.constants))
    for variable, attribute in _named(query):
        read[of_variable[variable]].add(attribute)
    for attribute in (*query.partition_attributes, *query.group_by):
        for event_type, attributes in read.items():
            if attribute in query.schema.attributes_of(event_type):
                attributes.add(attribute)
    return {event_type: tuple(sorted(attributes)) for event_type, attributes in sorted(read.items())}


def _named(query: Query) -> Iterator[tuple[str, str]]:
    """(variable, attribute) pairs, repeated ones included."""
    for key in query.key_classes:
        yield from key.members
    for expression in _expressions(query):
        for part in walk(expression):
            if isinstance(part, Reference | PrefixAggregate) and (attribute := part.attribute) is not None:
                yield part.variable, attribute
    for item in query.returns:
        for variable in item.variables:
            if item.argument is not None:
                yield variable, item.argument


def _expressions(query: Query) -> Iterator[Expression]:
    """Every expression of the query."""
    yield from (predicate.expression for predicate in query.vertex_predicates)
    yield from (predicate.expression for predicate in query.edge_predicates)
    yield from (predicate.expression for predicate in query.match_predicates)
    yield from (item.expression for item in query.returns if item.expression is not None)

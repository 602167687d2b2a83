"""When each condition of a sequence can be evaluated: with the events of which component, or when that one is left.

Defined for a sequence of types and closures of types, like SASE++'s execution plans (section 5.1). A neighbour
condition compares a component's last event with the next component's first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeGuard

from cep_core.language.patterns.query import EdgePredicate, Query
from cep_core.language.patterns.tree import (
    Expression,
    IsNull,
    Kleene,
    PrefixAggregate,
    Reference,
    Span,
    Unit,
    Which,
)
from cep_core.language.patterns.tree import Sequence as Seq
from cep_core.language.patterns.walk import rewrite, variables_of, walk
from cep_core.matching.judging.quantities import looks_back, running_variables


@dataclass(frozen=True)
class Component:
    """A component of the sequence."""

    variable: str
    event_type: str
    kleene: bool


@dataclass(frozen=True)
class Due:
    """A condition and when it is due: with each event of component `due`, or when it is left (`at_exit`)."""

    expression: Expression
    running: tuple[str, ...]
    looks_back: bool
    due: int
    at_exit: bool
    vertex: bool
    consistency: str


def components_of(query: Query) -> tuple[Component, ...]:
    """The components of a sequence. Raises ValueError for any other pattern."""
    elements = query.pattern.elements if isinstance(query.pattern, Seq) else (query.pattern,)
    components = []
    for element in elements:
        match element:
            case Unit():
                components.append(Component(element.variable, element.event_type, False))
            case Kleene(body=Unit() as unit, least=1, most=None):
                components.append(Component(unit.variable, unit.event_type, True))
            case _:
                raise ValueError("an execution plan is drawn for a sequence of types and closures of types")
    return tuple(components)


def tests_of(query: Query, names: Sequence[str]) -> Iterator[Due]:
    lists = frozenset(variable.name for variable in query.variables if variable.kleene)
    for vertex in query.vertex_predicates:
        yield Due(vertex.expression, (vertex.variable,), False, names.index(vertex.variable), False, True, "both")
    conditions = [(said_of_match(edge, lists), "inconsistent") for edge in query.edge_predicates]
    conditions += [(predicate.expression, predicate.consistency) for predicate in query.match_predicates]
    for expression, consistency in conditions:
        due = max(names.index(name) for name in variables_of(expression))
        yield Due(
            expression,
            running_variables(expression, lists),
            any(looks_back(part) for part in walk(expression)),
            due,
            any(_whole(part) and part.variable == names[due] for part in walk(expression)),
            False,
            consistency,
        )


def said_of_match(edge: EdgePredicate, lists: frozenset[str]) -> Expression:
    """An edge predicate as a condition on the match: between components, on the last and the next first event."""
    if edge.source == edge.target:
        return edge.expression

    def named(part: Expression) -> Expression:
        if isinstance(part, Reference) and part.variable in lists:
            if part.variable == edge.source:
                return Reference(part.variable, part.attribute, Which.LAST, part.at)
            return Reference(part.variable, part.attribute, Which.AT, part.at, 1)
        return part

    return rewrite(edge.expression, named)


def _whole(part: Expression) -> TypeGuard[Reference | PrefixAggregate | IsNull]:
    """Whether a part can be evaluated only when no more events of its variable come."""
    match part:
        case Reference(which=Which.LAST | Which.AT) | PrefixAggregate(span=Span.ALL) | IsNull(operand=None):
            return True
    return False


def attributes_read(test: Due) -> Iterator[str]:
    for part in walk(test.expression):
        if isinstance(part, Reference | PrefixAggregate) and part.attribute is not None:
            yield part.attribute

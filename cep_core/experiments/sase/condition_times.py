"""When each condition of a sequence is due: with which component's events, or when that component is left.

Defined for a sequence of types and closures of types, as SASE++'s execution plans are (section 5.1). What is said of
two neighbours is said of the last event of one component and the first of the next.
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
    """A condition and when it is due: with each event of component `due`, or (`at_exit`) when that one is left."""

    expression: Expression
    running: tuple[str, ...]
    looks_back: bool
    due: int
    at_exit: bool
    vertex: bool
    consistency: str


def components_of(query: Query) -> tuple[Component, ...]:
    """The components of a sequence; raises ValueError for another pattern."""
    elements = query.pattern.elements if isinstance(query.pattern, Seq) else (query.pattern,)
    found = []
    for element in elements:
        match element:
            case Unit():
                found.append(Component(element.variable, element.event_type, False))
            case Kleene(body=Unit() as unit, least=1, most=None):
                found.append(Component(unit.variable, unit.event_type, True))
            case _:
                raise ValueError("an execution plan is drawn for a sequence of types and closures of types")
    return tuple(found)


def tests_of(query: Query, names: Sequence[str]) -> Iterator[Due]:
    lists = frozenset(variable.name for variable in query.variables if variable.kleene)
    for vertex in query.vertex_predicates:
        yield Due(vertex.expression, (vertex.variable,), False, names.index(vertex.variable), False, True, "both")
    said = [(said_of_match(edge, lists), "inconsistent") for edge in query.edge_predicates]
    said += [(predicate.expression, predicate.consistency) for predicate in query.match_predicates]
    for expression, consistency in said:
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
    """An edge predicate as a condition on the match: neighbours of two components are the last and the first."""
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
    """Whether a part can only be told when no more events of its variable come."""
    match part:
        case Reference(which=Which.LAST | Which.AT) | PrefixAggregate(span=Span.ALL) | IsNull(operand=None):
            return True
    return False


def attributes_read(test: Due) -> Iterator[str]:
    for part in walk(test.expression):
        if isinstance(part, Reference | PrefixAggregate) and part.attribute is not None:
            yield part.attribute

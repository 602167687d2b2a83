"""The two sides of `P AND Q` as queries of their own, and the conditions that mention both (docs/semantics.md 3)."""

from __future__ import annotations

from dataclasses import replace

from cep_core.language.patterns.query import Query
from cep_core.language.patterns.tree import Conjunction, Expression, Pattern
from cep_core.language.patterns.walk import units_of, variables_of


def alone(query: Query, pattern: Pattern) -> Query:
    """The query of one side, with the conditions about that side and without RETURN items."""
    names = names_of(pattern)
    return replace(
        query,
        pattern=pattern,
        variables=tuple(variable for variable in query.variables if variable.name in names),
        vertex_predicates=tuple(predicate for predicate in query.vertex_predicates if predicate.variable in names),
        edge_predicates=tuple(
            predicate for predicate in query.edge_predicates if {predicate.source, predicate.target} <= names
        ),
        match_predicates=tuple(predicate for predicate in query.match_predicates if set(predicate.variables) <= names),
        key_classes=tuple(
            replace(key, members=tuple(member for member in key.members if member[0] in names))
            for key in query.key_classes
        ),
        returns=(),
    )


def crossing(query: Query) -> tuple[Expression, ...]:
    """The conditions that compare events of both sides."""
    assert isinstance(query.pattern, Conjunction)
    left = names_of(query.pattern.left)
    conditions: list[Expression] = [predicate.expression for predicate in query.edge_predicates]
    conditions += [predicate.expression for predicate in query.match_predicates]
    return tuple(condition for condition in conditions if len({name in left for name in variables_of(condition)}) == 2)


def names_of(pattern: Pattern) -> frozenset[str]:
    """The variables of a pattern, negated ones included."""
    return frozenset(unit.variable for unit in units_of(pattern))

"""The queries of the two sides of AND, and the query of matches of both sides (GRETA, section 9, Conjunction).

A condition that both sides can answer applies to each of them (docs/semantics.md, 3). An equivalence that spans both
sides partitions all three queries in the same way. Pairs are formed inside these partitions.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from cep_core.language.patterns.bind.and_sides import names_of
from cep_core.language.patterns.bind.equivalence import slices
from cep_core.language.patterns.bind.naming import RIGHT
from cep_core.language.patterns.query import EdgePredicate, KeyClass, Query, Variable, VertexPredicate
from cep_core.language.patterns.tree import (
    Comparison,
    Conjunction,
    Expression,
    IsNull,
    Pattern,
    PrefixAggregate,
    Reference,
    Unit,
)
from cep_core.language.patterns.walk import map_units, rewrite
from cep_core.trends.plan.aggregates import Aggregates
from cep_core.trends.plan.trend_plan import later


@dataclass(frozen=True)
class AndSides:
    """The queries of the left side, of the right side (names without `_right`), and of the matches of both sides."""

    left: Query
    right: Query
    both: Query
    shared: tuple[str, ...]
    """The key classes that span both sides."""
    left_aggregates: Aggregates
    right_aggregates: Aggregates


def sides_of(query: Query, aggregates: Aggregates) -> AndSides:
    """The sides of a query whose pattern is an AND. Raises NotSupportedYet."""
    pattern = query.pattern
    assert isinstance(pattern, Conjunction)
    left, right_as_written = _side(query, pattern.left), _side(query, pattern.right)
    names = _shared_names(left, right_as_written)
    right = _renamed(right_as_written, names)
    spans = {key.name for key in left.key_classes} & {key.name for key in right.key_classes}
    for key in query.key_classes:
        if key.name in spans and not key.slices:
            raise later(query, f"'{key.name}' of events that a trend may lack", key.at)
    for key in (*left.key_classes, *right.key_classes):
        if not key.slices:
            raise later(query, f"'{key.name}' of events that a trend may lack", key.at)
    shared = tuple(key.name for key in query.key_classes if key.name in spans)
    for name in query.group_by:
        if name not in shared:
            at = next(key.at for key in query.key_classes if key.name == name)
            raise later(query, f"'{name}' of one side of AND as a group", at)
    _check_counted_alike(query, left, right, aggregates)
    return AndSides(
        left,
        right,
        _united(left, right),
        shared,
        aggregates.renamed({name: name for name in names_of(pattern.left)}),
        aggregates.renamed({name: names.get(name, name) for name in names_of(pattern.right)}),
    )


def _shared_names(left: Query, right: Query) -> dict[str, str]:
    """The name of each variable of the right side in a match of both sides.

    It is the name without `_right`, unless the left side has another element of that name: one of another event type,
    one that is negated there only, or one that is negated under other conditions. Then no match of both sides binds
    the two as one.
    """
    plain = {variable.name: variable.name.removesuffix(RIGHT) for variable in right.variables}
    twins = {variable.name: variable for variable in left.variables}
    alike = _renamed(right, plain)
    shared = dict(plain)
    for variable in right.variables:
        name = plain[variable.name]
        twin = twins.get(name)
        if twin is None:
            continue
        same_element = (twin.event_type, twin.negated) == (variable.event_type, variable.negated)
        if not same_element or (twin.negated and _said(name, left) != _said(name, alike)):
            shared[variable.name] = variable.name
    return shared


def _side(query: Query, pattern: Pattern) -> Query:
    names = names_of(pattern)
    keys = []
    for key in query.key_classes:
        members = tuple(member for member in key.members if member[0] in names)
        if members:
            variables = frozenset(variable for variable, _ in members)
            keys.append(replace(key, members=members, slices=slices(variables, pattern, query.strategy)))
    return replace(
        query,
        pattern=pattern,
        variables=tuple(variable for variable in query.variables if variable.name in names),
        vertex_predicates=tuple(condition for condition in query.vertex_predicates if condition.variable in names),
        edge_predicates=tuple(condition for condition in query.edge_predicates if condition.source in names),
        key_classes=tuple(keys),
    )


def _renamed(query: Query, names: Mapping[str, str]) -> Query:
    """The query with other names for its variables."""

    def plainly(part: Expression) -> Expression:
        match part:
            case Reference() | PrefixAggregate() | IsNull(variable=str()):
                return replace(part, variable=names[str(part.variable)])
        return part

    def unit(element: Unit) -> Unit:
        return replace(element, variable=names[element.variable])

    def variable(declared: Variable) -> Variable:
        return replace(declared, name=names[declared.name])

    def vertex(predicate: VertexPredicate) -> VertexPredicate:
        return replace(predicate, variable=names[predicate.variable], expression=rewrite(predicate.expression, plainly))

    def edge(predicate: EdgePredicate) -> EdgePredicate:
        separated = None if predicate.separated is None else rewrite(predicate.separated, plainly)
        assert separated is None or isinstance(separated, Comparison)
        return replace(
            predicate,
            source=names[predicate.source],
            target=names[predicate.target],
            expression=rewrite(predicate.expression, plainly),
            separated=separated,
        )

    def key(key_class: KeyClass) -> KeyClass:
        return replace(key_class, members=tuple((names[name], attribute) for name, attribute in key_class.members))

    return replace(
        query,
        pattern=map_units(query.pattern, unit),
        variables=tuple(variable(item) for item in query.variables),
        vertex_predicates=tuple(vertex(condition) for condition in query.vertex_predicates),
        edge_predicates=tuple(edge(condition) for condition in query.edge_predicates),
        key_classes=tuple(key(key_class) for key_class in query.key_classes),
    )


def _united(left: Query, right: Query) -> Query:
    """The left query with the conditions and keys of the right query added."""
    left_names = {variable.name for variable in left.variables}
    keys = {key.name: key for key in left.key_classes}
    for key in right.key_classes:
        left_key = keys.get(key.name, replace(key, members=()))
        keys[key.name] = replace(left_key, members=tuple(dict.fromkeys((*left_key.members, *key.members))))
    return replace(
        left,
        variables=(*left.variables, *(variable for variable in right.variables if variable.name not in left_names)),
        vertex_predicates=tuple(dict.fromkeys((*left.vertex_predicates, *right.vertex_predicates))),
        edge_predicates=tuple(dict.fromkeys((*left.edge_predicates, *right.edge_predicates))),
        key_classes=tuple(keys.values()),
    )


def _check_counted_alike(query: Query, left: Query, right: Query, aggregates: Aggregates) -> None:
    """Refuse aggregates that give a match of both sides another value on the left side than on the right."""
    at = query.pattern.at
    aggregated = [total.variables for total in aggregates.totals]
    aggregated += [minimum.variables for minimum in aggregates.minima]
    for name in {variable.name for variable in left.variables} & {variable.name for variable in right.variables}:
        if any((name in variables) != (name + RIGHT in variables) for variables in aggregated):
            raise later(query, f"an aggregate over '{name}' of one side of AND alone", at, "name it apart")


def _said(variable: str, query: Query) -> tuple[set[VertexPredicate], set[EdgePredicate]]:
    """The conditions on a variable."""
    return (
        {condition for condition in query.vertex_predicates if condition.variable == variable},
        {condition for condition in query.edge_predicates if variable in (condition.source, condition.target)},
    )

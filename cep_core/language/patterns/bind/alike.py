"""Finds units of one ANY with the same type and conditions: matches are the same whichever unit binds an event.

`ANY(2, A x, A y)` binds two A's. If the names are exchanged, it binds the same two events, so such units are bound in
text order (`docs/semantics.md` 3). Two units are alike if the query's conditions stay the same when their names are
exchanged.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from cep_core.language.patterns.query import Query
from cep_core.language.patterns.tree import AnyOf, Expression, IsNull, Pattern, PrefixAggregate, Reference, Unit
from cep_core.language.patterns.walk import parts_of, rewrite


def alike_units(query: Query) -> dict[str, int]:
    """A number for each unit of an ANY; interchangeable units have the same number."""
    numbers: dict[str, int] = {}
    for units in choices(query.pattern):
        for place, unit in enumerate(units):
            like = next((earlier for earlier in units[:place] if _exchangeable(unit, earlier, query)), None)
            numbers[unit.variable] = len(numbers) if like is None else numbers[like.variable]
    return numbers


def choices(pattern: Pattern) -> Iterator[tuple[Unit, ...]]:
    """The units of each ANY."""
    if isinstance(pattern, AnyOf):
        yield pattern.units
    for part in parts_of(pattern):
        yield from choices(part)


def _exchangeable(first: Unit, second: Unit, query: Query) -> bool:
    if first.event_type != second.event_type:
        return False
    names = {first.variable: second.variable, second.variable: first.variable}

    def exchanged(part: Expression) -> Expression:
        match part:
            case Reference() | PrefixAggregate() | IsNull(variable=str()):
                return replace(part, variable=names.get(str(part.variable), str(part.variable)))
        return part

    conditions = [predicate.expression for predicate in query.vertex_predicates]
    conditions += [predicate.expression for predicate in query.edge_predicates]
    conditions += [predicate.expression for predicate in query.match_predicates]
    keys = {frozenset(key.members) for key in query.key_classes}
    swapped = {frozenset((names.get(name, name), attribute) for name, attribute in members) for members in keys}
    return keys == swapped and set(conditions) == {rewrite(expression, exchanged) for expression in conditions}

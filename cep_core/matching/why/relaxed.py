"""The query without one of its conditions: the matches gained show which condition prevents matches.

`relaxations` leaves out each condition, equivalence and negated element, and the window, one at a time.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TypeVar

from cep_core.language.patterns.explain.condition_section import as_written
from cep_core.language.patterns.query import KeyClass, Query, Strategy, Window
from cep_core.language.patterns.text.printing import print_expression, print_pattern
from cep_core.language.patterns.tree import Alternative, Kleene, Not, Pattern, Sequence
from cep_core.language.patterns.walk import parts_of, units_of, variables_of

_Item = TypeVar("_Item")


def relaxations(query: Query, longest: int) -> Iterator[tuple[str, Query]]:
    """The text of each omitted part, and the query without it. `longest`: a window that excludes no match."""
    negated = {variable.name for variable in query.variables if variable.negated}
    for place, vertex in enumerate(query.vertex_predicates):
        if vertex.variable not in negated:
            kept = _without(query.vertex_predicates, place)
            yield print_expression(vertex.expression), replace(query, vertex_predicates=kept)
    for place, edge in enumerate(query.edge_predicates):
        if not negated & {edge.source, edge.target}:
            kept_edges = _without(query.edge_predicates, place)
            yield print_expression(as_written(edge)), replace(query, edge_predicates=kept_edges)
    for place, predicate in enumerate(query.match_predicates):
        if not negated & set(predicate.variables):
            predicates = _without(query.match_predicates, place)
            yield print_expression(predicate.expression), replace(query, match_predicates=predicates)
    if query.strategy is not Strategy.PARTITION:
        for place, key in enumerate(query.key_classes):
            yield f"[{key.name}]", replace(query, key_classes=_without(query.key_classes, place))
    for element in _negations(query.pattern):
        yield f"NOT {print_pattern(element.body)}", without_element(query, element)
    yield "WITHIN", replace(query, window=Window(longest, query.window.events))


def without_element(query: Query, element: Not) -> Query:
    """The query without a negated element, its variables and their conditions.

    >>> from cep_core.language.patterns.bind.binding import bind
    >>> from cep_core.events.schema import LogSchema
    >>> query = bind("PATTERN SEQ(A, NOT C, B) WITHIN 5", LogSchema({}, open_world=True))
    >>> relaxed = without_element(query, next(_negations(query.pattern)))
    >>> print_pattern(relaxed.pattern), [variable.name for variable in relaxed.variables]
    ('SEQ(A A, B B)', ['A', 'B'])
    """
    dropped = {unit.variable for unit in units_of(element)}

    def kept(key: KeyClass) -> KeyClass:
        return replace(key, members=tuple(member for member in key.members if member[0] not in dropped))

    keys = [kept(key) for key in query.key_classes]
    return replace(
        query,
        pattern=_dropped(query.pattern, element),
        variables=tuple(variable for variable in query.variables if variable.name not in dropped),
        vertex_predicates=tuple(vertex for vertex in query.vertex_predicates if vertex.variable not in dropped),
        edge_predicates=tuple(edge for edge in query.edge_predicates if not dropped & {edge.source, edge.target}),
        match_predicates=tuple(
            whole for whole in query.match_predicates if not dropped & set(variables_of(whole.expression))
        ),
        key_classes=tuple(key for key in keys if key.members),
    )


def _dropped(pattern: Pattern, element: Not) -> Pattern:
    match pattern:
        case Sequence():
            elements = tuple(_dropped(part, element) for part in pattern.elements if part is not element)
            return replace(pattern, elements=elements)
        case Kleene():
            return replace(pattern, body=_dropped(pattern.body, element))
        case Alternative():
            return replace(pattern, options=tuple(_dropped(option, element) for option in pattern.options))
        case _:
            return pattern


def _negations(pattern: Pattern) -> Iterator[Not]:
    """The outermost negated elements."""
    for part in parts_of(pattern):
        if isinstance(part, Not):
            yield part
        else:
            yield from _negations(part)


def _without(items: tuple[_Item, ...], place: int) -> tuple[_Item, ...]:
    return (*items[:place], *items[place + 1 :])

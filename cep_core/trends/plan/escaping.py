"""Equivalences that some trends escape: if A is optional, `[A.x]` does not apply to a trend without an event of A.

The bindings are split into two disjoint sets, each with a diagram of its own. Trends that bind an event of the key
class are counted partition by partition; trends that bind none are counted without the class. This takes 2^classes
counts. If the query groups by the class, trends without such an event form the group null: none of their events has
the attribute.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from cep_core.language.patterns.automata.binding_sets import avoiding, binding
from cep_core.language.patterns.query import KeyClass, Query
from cep_core.trends.plan.terms import Term
from cep_core.trends.plan.trend_plan import later

Split = tuple[Query, tuple[Term, ...]]


def split(query: Query, terms: tuple[Term, ...]) -> Iterator[Split]:
    """Disjoint parts of a query's bindings. In each part every equivalence partitions. Raises NotSupportedYet."""
    key = next((key for key in query.key_classes if not key.slices), None)
    if key is None:
        yield query, terms
        return
    variables = frozenset(variable for variable, _ in key.members)
    if any(variable.negated and variable.name in variables for variable in query.variables):
        raise later(query, f"'{key.name}' of events that a trend may lack", key.at)
    keys = tuple(other for other in query.key_classes if other is not key)
    bound = replace(query, key_classes=_replaced(query.key_classes, key))
    yield from split(bound, _some([replace(term, diagram=binding(term.diagram, variables)) for term in terms]))
    unbound = replace(query, key_classes=keys)
    yield from split(unbound, _some([replace(term, diagram=avoiding(term.diagram, variables)) for term in terms]))


def _replaced(keys: tuple[KeyClass, ...], key: KeyClass) -> tuple[KeyClass, ...]:
    return tuple(replace(candidate, slices=True) if candidate is key else candidate for candidate in keys)


def _some(terms: list[Term]) -> tuple[Term, ...]:
    return tuple(term for term in terms if term.diagram.start)

"""Equivalences that some trends escape: `[A.x]` where A is optional says nothing of a trend without an a.

Trends that bind an event of such a class are counted partition by partition, those that bind none without it: two
disjoint sets of bindings, each with a diagram of its own. 2^classes counts. Where the class is grouped by, the latter
are the group null: no event of theirs has the attribute.
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
    """Disjoint parts of a query's bindings, in each of which every equivalence partitions. Raises NotSupportedYet."""
    key = next((key for key in query.key_classes if not key.slices), None)
    if key is None:
        yield query, terms
        return
    variables = frozenset(variable for variable, _ in key.members)
    if any(one.negated and one.name in variables for one in query.variables):
        raise later(query, f"'{key.name}' of events that a trend may lack", key.at)
    without = tuple(other for other in query.key_classes if other is not key)
    bound = replace(query, key_classes=_replaced(query.key_classes, key))
    yield from split(bound, _some([replace(term, diagram=binding(term.diagram, variables)) for term in terms]))
    none = replace(query, key_classes=without)
    yield from split(none, _some([replace(term, diagram=avoiding(term.diagram, variables)) for term in terms]))


def _replaced(keys: tuple[KeyClass, ...], key: KeyClass) -> tuple[KeyClass, ...]:
    return tuple(replace(one, slices=True) if one is key else one for one in keys)


def _some(terms: list[Term]) -> tuple[Term, ...]:
    return tuple(term for term in terms if term.diagram.start)

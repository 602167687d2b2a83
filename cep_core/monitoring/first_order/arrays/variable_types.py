"""The types of all variables of a formula, bound ones included: from the log's columns, and from terms.

A variable that only event types without columns bind has no rows, and counts as an integer.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pyarrow as pa

from cep_core.events.logs.point_log import PointLog
from cep_core.events.schema import AttributeType
from cep_core.language.first_order.bind.declarations import is_built_in
from cep_core.language.temporal.formulas import Aggregation, Comparison, Formula, Matches, Predicate
from cep_core.language.temporal.terms import Term, Variable
from cep_core.language.temporal.walk import terms_of, variables_of, walk
from cep_core.monitoring.first_order.arrays.scan import attributes_of
from cep_core.monitoring.first_order.arrays.values import type_of

_RESULTS = {"CNT": AttributeType.INT, "AVG": AttributeType.FLOAT, "MED": AttributeType.FLOAT}
"""The types of aggregations; others have the type of their item."""


def variable_types(formula: Formula, log: PointLog, known: Mapping[str, AttributeType]) -> dict[str, AttributeType]:
    """`known`, and the types of all other variables that the formula and the log tell."""
    types = dict(known)
    parts = list(walk(formula))
    before = -1
    while before < len(types):  # a type passes at least one part a round
        before = len(types)
        for part in parts:
            for name, kind in _types_in(part, log, types):
                types.setdefault(name, kind)
    for part in parts:
        for term in terms_of(part):
            types.update((name, AttributeType.INT) for name in variables_of(term) if name not in types)
    return types


def _types_in(part: Formula, log: PointLog, types: Mapping[str, AttributeType]) -> Iterator[tuple[str, AttributeType]]:
    match part:
        case Predicate() if is_built_in(part):
            yield from ((name, AttributeType.INT) for term in part.arguments for name in variables_of(term))
        case Predicate() if part.event_type in log.events:
            events = log.events[part.event_type]
            for attribute, term in zip(attributes_of(part, events), part.arguments, strict=True):
                if isinstance(term, Variable):
                    yield term.name, _of_arrow(events.columns[attribute].type)
        case Comparison(operator="="):
            yield from _equated(part.left, part.right, types)
            yield from _equated(part.right, part.left, types)
        case Matches():
            for text in (part.text, *part.groups):
                if isinstance(text, Variable):
                    yield text.name, AttributeType.STRING
        case Aggregation() if part.function in _RESULTS:
            yield part.result.name, _RESULTS[part.function]
        case Aggregation() if part.item.name in types:
            yield part.result.name, types[part.item.name]
        case _:
            pass


def _equated(target: Term, term: Term, types: Mapping[str, AttributeType]) -> Iterator[tuple[str, AttributeType]]:
    if isinstance(target, Variable) and all(name in types for name in variables_of(term)):
        yield target.name, type_of(term, types)


def _of_arrow(kind: pa.DataType) -> AttributeType:
    if pa.types.is_floating(kind):
        return AttributeType.FLOAT
    if pa.types.is_integer(kind) or pa.types.is_boolean(kind):
        return AttributeType.INT
    return AttributeType.STRING

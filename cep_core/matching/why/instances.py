"""Fills a condition with the values of one match: `b[i].x > b[i-1].x` becomes `31 > 15`, `44 > 31`.

This is plain Python that follows the definition in docs/semantics.md 3, one match at a time. Explanations use it, and
tests compare the engine with it. Cost: some microseconds for each event that the condition runs through.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product

import numpy as np
import pyarrow as pa

from cep_core.aggregates.registry import NAMED
from cep_core.language.patterns.query import EdgePredicate
from cep_core.language.patterns.text.printing import print_expression
from cep_core.language.patterns.tree import Expression, IsNull, Literal, PrefixAggregate, Reference, Span, Which
from cep_core.language.patterns.values.expressions import column, holds
from cep_core.language.patterns.walk import rewrite, variables_of, walk
from cep_core.matching.judging.folds import folded
from cep_core.matching.judging.quantities import looks_back, running_variables

Bound = Mapping[str, Sequence[int]]
"""The rows of each variable's events, in time order."""


Found = tuple[pa.Array, tuple[int, ...]]
"""An array with one value, and the rows from which the value comes."""


@dataclass(frozen=True)
class Instance:
    """A condition applied to certain events: its text with their values, whether it is true, and their rows."""

    text: str
    holds: bool
    rows: tuple[int, ...]


def instances(condition: Expression, events: pa.Table, bound: Bound, lists: frozenset[str]) -> Iterator[Instance]:
    """The instances of a condition on one match: one, or one for each event of a list that it runs through.

    `lists`: the variables that hold lists. A condition that mentions an absent variable has no instances, unless it
    tests with IS NULL whether a variable is bound. A condition that refers to earlier events of a list has no
    instance for the first event of the list.
    """
    tests_absence = any(isinstance(part, IsNull) and part.variable is not None for part in walk(condition))
    if not tests_absence and not all(bound.get(name) for name in variables_of(condition)):
        return
    running = running_variables(condition, lists)
    after_first = any(looks_back(part) for part in walk(condition))
    for places in product(*(range(len(bound.get(name, ()))) for name in running)):
        at = dict(zip(running, places, strict=True))
        if not (after_first and 0 in places):
            yield _instance(condition, events, partial(_value, events, bound, at))


def neighbours(predicate: EdgePredicate, events: pa.Table, source: int, target: int) -> Instance:
    """The edge predicate applied to two events, given by row."""
    same = predicate.source == predicate.target

    def value(part: Expression) -> Found | None:
        if not isinstance(part, Reference):
            return None
        row = source if (part.which is Which.PREVIOUS if same else part.variable == predicate.source) else target
        return column(events.slice(row, 1), part.attribute), (row,)

    return _instance(predicate.expression, events, value)


def _instance(condition: Expression, events: pa.Table, value: Callable[[Expression], Found | None]) -> Instance:
    columns: list[pa.Array] = []
    rows: list[int] = []

    def as_column(part: Expression) -> Expression:
        located = value(part)
        if located is None:
            return part
        columns.append(located[0])
        rows.extend(located[1])
        reference = Reference("", f"c{len(columns) - 1}", Which.EACH, part.at)
        return IsNull(reference, None, part.at) if isinstance(part, IsNull) else reference

    def as_literal(part: Expression) -> Expression:
        located = None if isinstance(part, IsNull) else value(part)
        return part if located is None else Literal(located[0][0].as_py(), part.at)

    plain = rewrite(condition, as_column)
    table = pa.table([*columns, pa.nulls(1)], names=[*(f"c{k}" for k in range(len(columns))), "none"])
    text = print_expression(rewrite(condition, as_literal))
    return Instance(text, bool(holds(plain, table)[0]), tuple(rows))


def _value(events: pa.Table, bound: Bound, at: Mapping[str, int], part: Expression) -> Found | None:
    """The value of a part that refers to events; None for other parts."""
    match part:
        case IsNull(operand=None, variable=str(name)):
            rows = tuple(bound.get(name, ()))
            return pa.array([1 if rows else None], pa.int64()), rows
        case Reference():
            row = _row(part, bound[part.variable], at.get(part.variable))
            values = column(events.slice(row or 0, 1), part.attribute)
            return (pa.nulls(1, values.type), ()) if row is None else (values, (row,))
        case PrefixAggregate():
            return _aggregate(part, events, bound[part.variable], at.get(part.variable))
    return None


def _row(part: Reference, rows: Sequence[int], place: int | None) -> int | None:
    """The row of the event that a reference names; None past the end of a list."""
    match part.which:
        case Which.LAST:
            return rows[-1]
        case Which.AT:
            return rows[part.index - 1] if part.index <= len(rows) else None
        case Which.PREVIOUS:
            return rows[(place or 0) - 1]
        case _:
            return rows[place or 0]


def _aggregate(part: PrefixAggregate, events: pa.Table, rows: Sequence[int], place: int | None) -> Found:
    ends: dict[Span, int | None] = {
        Span.ALL: len(rows),
        Span.BEFORE: place,
        Span.UP_TO: None if place is None else place + 1,
    }
    prefix = tuple(rows[: ends[part.span]])
    values = column(events.take(pa.array(prefix, pa.int64())), part.attribute or "seq")
    if part.defined is not None:
        return folded(part.defined, part.function, values, np.array([0]), np.array([len(prefix)])), prefix
    return NAMED[part.function].running(values, np.array([0, len(prefix)]), before=False)[-1:], prefix

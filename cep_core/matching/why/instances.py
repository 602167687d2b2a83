"""A condition with the values of one match in its place: `b[i].x > b[i-1].x` becomes `31 > 15`, `44 > 31`.

By the definition of docs/semantics.md 3 and in plain Python, one match at a time: for explanations, and for tests to
hold the engine against. Cost: the events that the condition runs through, some microseconds each.
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
"""The rows of each variable's events, in the order of time."""


Found = tuple[pa.Array, tuple[int, ...]]
"""An array of one value, and the rows that it comes from."""


@dataclass(frozen=True)
class Instance:
    """A condition of certain events: with their values in place, whether it is true, and their rows."""

    text: str
    holds: bool
    rows: tuple[int, ...]


def instances(condition: Expression, events: pa.Table, bound: Bound, lists: frozenset[str]) -> Iterator[Instance]:
    """What the condition says of a match: one instance, or one for each event of a list that it runs through.

    `lists`: the variables that hold lists. Nothing where it mentions an absent variable without asking whether it is
    there, and nothing for the first event where it looks back.
    """
    asks = any(isinstance(part, IsNull) and part.variable is not None for part in walk(condition))
    if not asks and not all(bound.get(name) for name in variables_of(condition)):
        return
    running = running_variables(condition, lists)
    after_first = any(looks_back(part) for part in walk(condition))
    for places in product(*(range(len(bound.get(name, ()))) for name in running)):
        at = dict(zip(running, places, strict=True))
        if not (after_first and 0 in places):
            yield _instance(condition, events, partial(_value, events, bound, at))


def neighbours(predicate: EdgePredicate, events: pa.Table, source: int, target: int) -> Instance:
    """What an edge predicate says of two events, by row."""
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
        found = value(part)
        if found is None:
            return part
        columns.append(found[0])
        rows.extend(found[1])
        reference = Reference("", f"c{len(columns) - 1}", Which.EACH, part.at)
        return IsNull(reference, None, part.at) if isinstance(part, IsNull) else reference

    def as_literal(part: Expression) -> Expression:
        found = None if isinstance(part, IsNull) else value(part)
        return part if found is None else Literal(found[0][0].as_py(), part.at)

    plain = rewrite(condition, as_column)
    table = pa.table([*columns, pa.nulls(1)], names=[*(f"c{k}" for k in range(len(columns))), "none"])
    text = print_expression(rewrite(condition, as_literal))
    return Instance(text, bool(holds(plain, table)[0]), tuple(rows))


def _value(events: pa.Table, bound: Bound, at: Mapping[str, int], part: Expression) -> Found | None:
    """The value of a part that is about events, else None."""
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
    """The row that a reference means; None past the end of a list."""
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
    some = tuple(rows[: ends[part.span]])
    values = column(events.take(pa.array(some, pa.int64())), part.attribute or "seq")
    if part.defined is not None:
        return folded(part.defined, part.function, values, np.array([0]), np.array([len(some)])), some
    return NAMED[part.function].running(values, np.array([0, len(some)]), before=False)[-1:], some

"""Binds the items of RETURN: aggregation or matching, columns and their names (`docs/language.md` 1, Results)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from cep_core.aggregates.registry import OVER_TRENDS, over_trends
from cep_core.language.hints import did_you_mean
from cep_core.language.patterns.bind.scope import NameScope
from cep_core.language.patterns.query import ReturnItem
from cep_core.language.patterns.syntax import Item, TrendAggregate
from cep_core.language.patterns.text.printing import print_expression
from cep_core.language.patterns.tree import Expression, PrefixAggregate, Reference, Span, Which
from cep_core.language.patterns.walk import walk


def is_aggregation(items: Sequence[Item]) -> bool:
    """Whether the query aggregates over all trends."""
    return any(isinstance(item.value, TrendAggregate) for item in items)


def return_items(items: Sequence[Item], group_by: tuple[str, ...], scope: NameScope) -> tuple[ReturnItem, ...]:
    """The bound items. Reports items about single matches among aggregates, and attributes that are not grouped."""
    aggregation = is_aggregation(items)
    bound_items: list[ReturnItem] = []
    for item in items:
        if isinstance(item.value, TrendAggregate):
            bound_item = _over_trends(item, item.value, scope)
        elif aggregation:
            bound_item = _grouped(item, item.value, group_by, scope)
        else:
            bound_item = _of_a_match(item, item.value, scope)
        if bound_item is not None:
            bound_items.append(bound_item)
    return tuple(bound_items)


def _over_trends(item: Item, aggregate: TrendAggregate, scope: NameScope) -> ReturnItem | None:
    target, kind = aggregate.target, over_trends(aggregate.function, aggregate.target)
    if target is None:
        return ReturnItem(item.alias or kind.column_name("", None), item.at, aggregate=kind)
    positive = [variable for variable in scope.variables.values() if not variable.negated]
    chosen = [variable for variable in positive if variable.event_type == target]
    chosen = chosen or [v for v in positive if v.name in (target, f"{target}_right")]
    if not chosen:
        if target in scope.variables or any(v.event_type == target for v in scope.variables.values()):
            scope.report(f"'{target}' is negated: no trend contains it", aggregate.at, "")
        else:
            scope.report(
                f"unknown variable or event type '{target}'", aggregate.at, did_you_mean(target, scope.variables)
            )
        return None
    names = tuple(variable.name for variable in chosen)
    column = item.alias or kind.column_name(target, aggregate.attribute)
    if aggregate.attribute is None:
        return ReturnItem(column, item.at, aggregate=kind, variables=names)
    attribute_type = scope.attribute(chosen[0], aggregate.attribute, aggregate.at)
    if attribute_type is None:
        return None
    if attribute_type not in kind.takes.types:
        message = f"{kind.name} over all trends takes {kind.takes.noun}, '{aggregate.attribute}' is {attribute_type}"
        scope.report(message, aggregate.at, kind.hint)
        return None
    return ReturnItem(
        column, item.at, aggregate=kind, variables=names, argument=aggregate.attribute, type=attribute_type
    )


def _grouped(item: Item, value: Expression, group_by: tuple[str, ...], scope: NameScope) -> ReturnItem | None:
    if not isinstance(value, Reference) or value.which is not Which.EACH:
        names = ", ".join(OVER_TRENDS).upper()
        hint = f"use {names} of all trends, or a matching query without them"
        scope.report("an aggregation returns groups and aggregates over all trends only", item.at, hint)
        return None
    if value.attribute not in group_by:
        hint = did_you_mean(value.attribute, group_by) or f"add GROUP-BY {value.attribute}"
        scope.report(f"'{value.attribute}' is not grouped", item.at, hint)
        return None
    holders = [scope.attribute_type(variable, value.attribute) for variable in scope.variables.values()]
    kind = next((holder for holder in holders if holder is not None), None)
    return ReturnItem(item.alias or value.attribute, item.at, attribute=value.attribute, type=kind)


def _of_a_match(item: Item, value: Expression, scope: NameScope) -> ReturnItem | None:
    readings = scope.readings(value)
    if not readings:
        return None
    expression = readings[0]
    for part in walk(expression):
        if isinstance(part, PrefixAggregate) and part.span is not Span.ALL:
            scope.report("a prefix has no meaning in RETURN", part.at, f"write {part.function}({part.variable}[].x)")
        if isinstance(part, Reference):
            _check_single(part, scope)
    column = item.alias or column_name(expression)
    return ReturnItem(column, item.at, expression=expression, type=scope.type_of(expression))


def _check_single(part: Reference, scope: NameScope) -> None:
    variable = scope.variables[part.variable]
    name = part.variable
    if variable.negated:
        scope.report(f"'{name}' is negated: a match has none", part.at, "")
    elif part.which in (Which.PREVIOUS, Which.NEXT_NEIGHBOUR, Which.PREVIOUS_NEIGHBOUR):
        scope.report(
            "RETURN knows the whole match, not one step of it", part.at, f"write {name}[last].{part.attribute}"
        )
    elif variable.kleene and part.which is Which.EACH:
        hint = f"write {name}[1].{part.attribute}, {name}[last].{part.attribute} or max({name}[].{part.attribute})"
        scope.report(f"'{name}' is a list of events", part.at, hint)


def column_name(expression: Expression) -> str:
    """A column name made from the text of an expression.

    >>> from cep_core.language.errors import Position
    >>> column_name(PrefixAggregate("avg", "b", Span.ALL, "period", Position(1, 1)))
    'avg_b_period'
    """
    return re.sub(r"\W+", "_", print_expression(expression)).strip("_")

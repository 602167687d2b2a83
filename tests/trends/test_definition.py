"""The engine returns the same as the definition, which enumerates trends, for random queries and logs."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import pyarrow as pa
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cep_core.aggregates.sum import Sum
from cep_core.events.schema import Ties
from cep_core.language.patterns.bind.binding import bind
from cep_core.language.patterns.query import Query
from cep_core.trends import reference
from cep_core.trends.evaluator import TrendEvaluator
from tests.trends.random_logs import logs, partial_schemas, rows_of, schema_of
from tests.trends.random_queries import queries
from tests.trends.written_patterns import ANY_FORBIDDEN, EXCUSES, MORE, NEGATIONS, PAIRS

TIES = st.sampled_from(list(Ties))


def expected(query: Query, log: pa.Table) -> list[dict[str, Any]]:
    """The rows of the reference, in the form of the result."""
    return rows_from(query, reference.aggregate(query, rows_of(log)))


def rows_from(query: Query, totals: Mapping[tuple[Any, ...], Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The aggregates of each (group..., window start) as rows."""
    rows = []
    for *group, start in sorted(totals, key=lambda key: (key[-1], [(value is None, value) for value in key[:-1]])):
        values = totals[*group, start]
        row: dict[str, Any] = dict(zip(query.group_by, group, strict=True))
        row |= {
            "window_start": start,
            "window_end": start + query.window.size,
            "certain": start + query.window.size - 1,
        }
        for item in query.returns:
            value = values.get(item.column)
            if isinstance(value, Fraction):
                whole = item.aggregate == Sum() and item.type is not None and item.type.value == "int"
                value = int(value) if whole else rounded(value)
            row[item.column] = value
        rows.append(row)
    return [comparable(row) for row in rows]


def rounded(value: Fraction) -> float | None:
    """The nearest double; None if out of range."""
    try:
        return value.numerator / value.denominator
    except OverflowError:
        return None


def comparable(row: Mapping[str, Any]) -> dict[str, Any]:
    """The row with every NaN replaced by a value that equals itself."""
    return {name: "NaN" if isinstance(value, float) and math.isnan(value) else value for name, value in row.items()}


def shown(result: pa.Table, query: Query) -> list[dict[str, Any]]:
    """The rows of the result, without the columns for the size of numbers."""
    names = [*query.group_by, "window_start", "window_end", *(item.column for item in query.returns), "certain"]
    return [comparable(row) for row in result.select(names).to_pylist()]


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(queries(), logs(), TIES)
def test_engine_is_the_definition(text: str, log: pa.Table, ties: Ties) -> None:
    """Rows, groups, windows, order and every aggregate agree. Averages and float sums are rounded once."""
    query = bind(text, schema_of(log, ties))
    evaluator = TrendEvaluator(query)
    result = evaluator.merge(evaluator.evaluate(log))
    assert result.schema.names == [*evaluator.schema.names, "certain"]
    assert shown(result, query) == expected(query, log)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(queries(NEGATIONS + EXCUSES), logs(most=10), TIES, st.data())
def test_negation_is_the_definition(text: str, log: pa.Table, ties: Ties, data: st.DataObject) -> None:
    """The same for negations only. Their types may lack part of the key; then events count in every partition."""
    query = bind(text, data.draw(partial_schemas(log, ties)))
    evaluator = TrendEvaluator(query)
    assert shown(evaluator.merge(evaluator.evaluate(log)), query) == expected(query, log)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(queries(ANY_FORBIDDEN), logs(most=9), TIES)
def test_any_order_inside_a_negation_is_the_definition(text: str, log: pa.Table, ties: Ties) -> None:
    """Events of a forbidden ANY may be concurrent. Events that follow them may not be concurrent with them."""
    query = bind(text, schema_of(log, ties))
    evaluator = TrendEvaluator(query)
    assert shown(evaluator.merge(evaluator.evaluate(log)), query) == expected(query, log)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(queries(PAIRS), logs(most=7), TIES)
def test_pairs_are_the_definition(text: str, log: pa.Table, ties: Ties) -> None:
    """The same for AND only. Sides may use one name for different types, or forbid it under different conditions."""
    query = bind(text, schema_of(log, ties))
    evaluator = TrendEvaluator(query)
    assert shown(evaluator.merge(evaluator.evaluate(log)), query) == expected(query, log)


@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(queries(MORE), logs(most=7), TIES)
def test_repetition_and_choice_are_the_definition(text: str, log: pa.Table, ties: Ties) -> None:
    """The same for bounded repetition, OR with shared variables, AND, and ANY. Every binding counts once."""
    query = bind(text, schema_of(log, ties))
    evaluator = TrendEvaluator(query)
    assert shown(evaluator.merge(evaluator.evaluate(log)), query) == expected(query, log)

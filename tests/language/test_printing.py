"""Parsing what was printed gives the tree again."""

from __future__ import annotations

from hypothesis import given

from cep_core.language.patterns.syntax import WrittenQuery
from cep_core.language.patterns.text.parsing import parse, parse_condition, parse_pattern
from cep_core.language.patterns.text.printing import print_expression, print_pattern, print_query
from cep_core.language.patterns.tree import Expression, Pattern
from tests.language.strategies import expressions, patterns, queries


@given(patterns())
def test_patterns_survive_printing(pattern: Pattern) -> None:
    """parse_pattern(print_pattern(p)) = p."""
    assert parse_pattern(print_pattern(pattern)) == pattern


@given(expressions())
def test_expressions_survive_printing(expression: Expression) -> None:
    """parse_condition(print_expression(e)) = e."""
    assert parse_condition(print_expression(expression)) == expression


@given(queries())
def test_queries_survive_printing(query: WrittenQuery) -> None:
    """parse(print_query(q)) = q."""
    assert parse(print_query(query)) == query

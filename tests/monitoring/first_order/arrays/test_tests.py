"""Filters and assignments against the same tests on single rows."""

from __future__ import annotations

import operator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cep_core.events.schema import AttributeType
from cep_core.language.temporal.formulas import Comparison, Matches, Not, Truth
from cep_core.language.temporal.terms import Arithmetic, Call, Constant, Regexp, Term, Variable
from cep_core.monitoring.first_order.arrays.errors import EvaluationError
from cep_core.monitoring.first_order.arrays.tests import assigned, filtered, matched
from tests.monitoring.first_order.valuations import Satisfactions, Value, relation_of, satisfactions, setting_of

INT, FLOAT, STRING = AttributeType.INT, AttributeType.FLOAT, AttributeType.STRING
X, Y = Variable("x"), Variable("y")
COMPARED: dict[str, Any] = {
    "=": operator.eq,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "SUBSTRING": lambda a, b: a in b,
}
VALUES: dict[AttributeType, st.SearchStrategy[Any]] = {
    INT: st.sampled_from([-(2**63), -1, 0, 1, 2, 2**63 - 1]),
    FLOAT: st.sampled_from([float("-inf"), -1.5, 0.0, -0.0, 5e-324, 1.5, float("inf")]),
    STRING: st.text("abB é\U0001f600", max_size=3),
}


@st.composite
def cases(draw: st.DrawFn) -> tuple[AttributeType, Satisfactions, Comparison]:
    kind = draw(st.sampled_from(list(VALUES)))
    values = VALUES[kind]
    held = draw(st.sets(st.tuples(st.integers(0, 6), st.tuples(values, values)), max_size=12))
    names = [*COMPARED] if kind is STRING else [name for name in COMPARED if name != "SUBSTRING"]
    left: Term = draw(st.sampled_from([X, Y]) | values.map(Constant))
    return kind, held, Comparison(draw(st.sampled_from(names)), left, draw(st.sampled_from([X, Y])))


@given(cases(), st.booleans())
def test_comparisons_keep_the_rows_that_pass(
    case: tuple[AttributeType, Satisfactions, Comparison], negated: bool
) -> None:
    kind, held, test = case
    types = {"x": kind, "y": kind}
    setting = setting_of(types)

    def side(term: Term, row: tuple[Value, ...]) -> Value:
        assert isinstance(term, Variable | Constant)
        return row["xy".index(term.name)] if isinstance(term, Variable) else term.value

    expected = {
        (point, row)
        for point, row in held
        if COMPARED[test.operator](side(test.left, row), side(test.right, row)) is not negated
    }
    kept = filtered(relation_of(held, setting), Not(test) if negated else test, setting)
    assert satisfactions(kept, setting, types) == expected


def test_numbers_are_in_one_total_order() -> None:
    """NaN equals itself and is above all others, so that NOT x < y and x >= y are the same."""
    nan = float("nan")
    setting = setting_of({"x": FLOAT, "y": FLOAT})
    pairs = [(nan, nan), (nan, float("inf")), (1.0, nan), (0.0, -0.0)]
    relation = relation_of(enumerate(pairs), setting)
    passing = {
        name: filtered(relation, Comparison(name, X, Y), setting).begin.tolist() for name in ("=", "<", "<=", ">", ">=")
    }
    assert passing == {"=": [0, 3], "<": [2], "<=": [0, 2, 3], ">": [1], ">=": [0, 1, 3]}


def test_assignment_adds_a_column() -> None:
    types = {"x": INT, "y": INT}
    setting = setting_of(types)
    relation = relation_of([(0, (10, 3)), (1, (10, 3)), (4, (1, 2))], setting)
    wider = assigned(relation, "z", Arithmetic("/", X, Y), setting)
    assert satisfactions(wider, setting, {**types, "z": INT}) == {(0, (10, 3, 3)), (1, (10, 3, 3)), (4, (1, 2, 0))}
    text = assigned(relation, "z", Call("i2s", X), setting)
    assert satisfactions(text, setting, {**types, "z": STRING}) == {
        (0, (10, 3, "10")),
        (1, (10, 3, "10")),
        (4, (1, 2, "1")),
    }


def test_a_relation_without_variables_is_kept_or_not() -> None:
    setting = setting_of({})
    relation = relation_of([(0, ()), (1, ())], setting)
    assert satisfactions(filtered(relation, Comparison("<", Constant(1), Constant(2)), setting), setting, {}) == {
        (0, ()),
        (1, ()),
    }
    assert filtered(relation, Not(Truth(True)), setting).rows == 0
    assert assigned(relation, "x", Constant(5), setting).columns[0].tolist() == [5]


TEXTS = ["ab", "aabc", "xyz", "zab", "zzzab"]
"""The first argument's texts of MonPoly's own tests."""


@pytest.mark.parametrize(
    ("pattern", "groups", "expected"),
    [
        ("ab", (), {("ab",), ("aabc",), ("zab",), ("zzzab",)}),
        (r"\(a\)*b", (), {("ab",), ("aabc",), ("zab",), ("zzzab",)}),
        (r"\(z\)*ab", (None,), {("ab",), ("aabc",), ("zab",), ("zzzab",)}),
        (r"\(z\)*ab", (Y,), {("zab", "z"), ("zzzab", "z")}),
        (r"\(z\)*\(a+\)b", (Y, Variable("z")), {("zab", "z", "a"), ("zzzab", "z", "a")}),
        (r"\(a\)\(a*\)b", (Y, Y), {("aabc", "a")}),
        (r"\(z*\)ab", (Constant("zzz"),), {("zzzab",)}),
        (r"\(x\|z\).*\(b\|z\)", (Y, None), {("xyz", "x"), ("zab", "z"), ("zzzab", "z")}),
    ],
)
def test_matches_binds_groups(pattern: str, groups: tuple[Term | None, ...], expected: set[tuple[str, ...]]) -> None:
    setting = setting_of({"x": STRING})
    relation = relation_of([(point, (text,)) for point, text in enumerate(TEXTS)], setting)
    wider, flags = matched(relation, Matches(X, Regexp(pattern), groups), setting)
    satisfied = satisfactions(wider, setting, dict.fromkeys(wider.variables, STRING))
    assert {row for _, row in satisfied} == expected
    assert [TEXTS[point] for point in range(5) if flags[point]] == [row[0] for _, row in sorted(satisfied)]


def test_matches_as_a_filter() -> None:
    types = {"x": STRING, "y": STRING}
    setting = setting_of(types)
    held = {(0, ("zab", "zzz")), (1, ("zzzab", "zzz")), (2, ("b", ""))}
    test = Matches(X, Regexp(r"\(z*\)ab"), (Y,))
    relation = relation_of(held, setting)
    assert satisfactions(filtered(relation, test, setting), setting, types) == {(1, ("zzzab", "zzz"))}
    assert satisfactions(filtered(relation, Not(test), setting), setting, types) == held - {(1, ("zzzab", "zzz"))}
    by_text = Matches(X, Call("s2r", Y))
    assert filtered(relation, by_text, setting).begin.tolist() == [1, 2]


@pytest.mark.parametrize(
    ("pattern", "message"),
    [(r"\(a", "no regular expression: .*not closed"), ("ab", 'group 1 is asked for, but "ab" has 0')],
)
def test_a_wrong_expression_is_an_error_of_its_row(pattern: str, message: str) -> None:
    setting = setting_of({"x": STRING}, [7])
    relation = relation_of([(0, ("ab",))], setting)
    with pytest.raises(EvaluationError, match=message + '.* at @7 with x = "ab"'):
        filtered(relation, Matches(X, Regexp(pattern), (X,)), setting)

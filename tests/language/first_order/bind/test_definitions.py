"""LET: unfolding keeps the meaning, equal calls are equal trees, and no name is captured (checklist B2)."""

from __future__ import annotations

import pytest

from cep_core.language.errors import QueryError
from cep_core.language.first_order.bind import unfolding
from cep_core.language.temporal.formulas import And
from tests.language.first_order.bound_policies import bound, shown


@pytest.mark.parametrize(
    ("text", "core"),
    [
        ("LET A(x) = P(x) IN A(y)", "P(y)"),
        ("LET A(x) = EXISTS y. R(x, y) IN A(y)", "EXISTS y_2. R(y, y_2)"),
        ("LET A(x, y) = R(y, x) IN A(u, v) AND A(v, u)", "R(v, u) AND R(u, v)"),
        ("LET A(x, y) = R(x, y) IN A(z, z)", "R(z, z)"),
        ("LET A(x, y) = R(x, y) IN A(z, 3)", "R(z, 3)"),
        ("LET A(x, y) = R(x, y) IN A(z, _)", "EXISTS y_2. R(z, y_2)"),
        ("LET A(x, y) = R(x, y) IN A(y=z)", "EXISTS x_2. R(x_2, z)"),
        ("LET P(x) = Q(x) IN P(x) AND W(y)", "Q(x) AND W(y)"),
        ("LET P(x) = P(x) IN P(x)", "P(x)"),
        ("LET A(x) = P(x) IN LET A(x) = Q(x) IN A(x)", "Q(x)"),
        ("LET A(x) = P(x) IN LET B(x) = A(x) AND Q(x) IN B(y) OR A(y)", "(P(y) AND Q(y)) OR P(y)"),
        ("LET A(x) = P(x) IN LET A(x, y) = R(x, y) IN A(z) AND A(z, y)", "P(z) AND R(z, y)"),
        ("LET a(s) = s <- SUM x P(x) IN a(5)", "EXISTS s. ((s <- SUM x P(x)) AND s = 5)"),
        ("LET a(s) = s <- SUM x P(x) IN a(2 + 3)", "EXISTS s_2. ((s_2 <- SUM x P(x)) AND s_2 = 2 + 3)"),
        (
            "LET a(s, g) = s <- SUM x; g R(g, x) IN a(v, v)",
            "EXISTS s, g. ((s <- SUM x; g R(g, x)) AND s = v AND g = v)",
        ),
        ("LET unused(x) = P(x) IN Q(y)", "Q(y)"),
    ],
)
def test_calls_become_definitions(text: str, core: str) -> None:
    shape = shown(bound(text, rewrite=False).core)
    assert shape == core


def test_equal_calls_are_one_tree() -> None:
    core = bound("LET A(x) = EXISTS y. R(x, y) IN A(u) AND (ONCE A(u)) AND A(v)", rewrite=False).core
    assert shown(core) == "(EXISTS y. R(u, y)) AND (ONCE EXISTS y. R(u, y)) AND (EXISTS y_2. R(v, y_2))"
    assert isinstance(core, And)


def test_the_policy_keeps_the_definitions() -> None:
    policy = bound("LET late(t) = EXISTS d. Departure(tail=t, delay=d) AND d > 15 IN late(x)")
    assert shown(policy.formula) == "LET late(t) = (EXISTS d. (Departure(tail=t, delay=d) AND d > 15)) IN late(x)"


def test_definitions_that_double_again_and_again_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unfolding, "MOST_PARTS", 500)
    lets = ["LET A0(x) = P(x)", *(f"LET A{n}(x) = A{n - 1}(x) AND A{n - 1}(x)" for n in range(1, 60))]
    with pytest.raises(QueryError, match="makes the formula longer than 500 parts"):
        bound(" IN ".join([*lets, "A59(x)"]))


def test_copies_of_a_bound_variable_have_its_type() -> None:
    policy = bound("LET A(x) = EXISTS w. Weather(origin=x, wind=w) IN A(u) AND A(v)")
    assert {name: kind.value for name, kind in policy.types.items()} == {
        "u": "string",
        "w": "float",
        "v": "string",
        "w_2": "float",
    }

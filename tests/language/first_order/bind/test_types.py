"""One type for each variable, as MonPoly infers them, and faults that name the term."""

from __future__ import annotations

import pytest

from cep_core.language.errors import QueryError
from tests.language.first_order.bound_policies import bound


@pytest.mark.parametrize(
    ("text", "types"),
    [
        ("x = 0", "x: int"),
        ("x = 0.1", "x: float"),
        ('x = "a"', "x: string"),
        ("F(x) AND y = x + 1.0", "x: float, y: float"),
        ("R(y, z) AND x = y MOD z", "y: int, z: int, x: int"),
        ("P(y) AND x = i2f(y)", "y: int, x: float"),
        ("F(y) AND x = DAY_OF_MONTH(y) AND z = FORMAT_DATE(y)", "y: float, x: int, z: string"),
        ('W(x) AND x MATCHES r"a\\(b\\)" (g)', "x: string, g: string"),
        ("R(a, b) AND tpts(x, y)", "a: int, b: int, x: int, y: int"),
        ("(EXISTS x. P(x)) AND F(x)", "x: float"),
        ("F(x) AND (EXISTS x. Q(x) AND W(y) AND P(z)) AND x = i2f(z)", "x: float, y: string, z: int"),
        ("x <- CNT y W(y)", "x: int"),
        ("x <- SUM y F(y)", "x: float"),
        ("x <- AVG y P(y)", "x: float"),
        ("x <- MED y P(y)", "x: float"),
        ("x <- MAX y W(y)", "x: string"),
        ("x <- MIN y P(y) AND W(x)", "x: int"),
        ("r <- CNT y; x R(x, y) AND W(r)", "r: int, x: int"),
        ("LET g(x, y) = P(x) AND x = y IN g(b, 1)", "b: int"),
        ("m <- MAX c c <- CNT x P(x)", "m: int"),
        ("Departure(_, _, d, c)", "d: int, c: int"),
        ("W(v) AND Departure(tail=t, seq=s, ts=u)", "v: string, t: string, s: int, u: int"),
    ],
)
def test_free_variables_have_types(text: str, types: str) -> None:
    assert ", ".join(f"{name}: {kind.value}" for name, kind in bound(text).variables.items()) == types


@pytest.mark.parametrize(
    ("text", "column", "message", "hint"),
    [
        ("(r <- AVG x (W(x)))", 11, "'x' is a string, but AVG takes numbers", "'x' is a string as argument x of W"),
        ("(r <- SUM x ; x (W(x)))", 11, "'x' is a string, but SUM takes numbers", "'x' is a string as argument x of W"),
        ("F(1)", 3, "1 is an int, but argument x of F is a float", "write 1.0"),
        ("P(x) AND F(x)", 12, "'x' is an int, but argument x of F is a float", "'x' is an int as argument x of P"),
        ('P(x) AND x = "a"', 14, "\"a\" is a string, but 'x' is an int", ""),
        ("F(x) AND x MOD 2 = 1", 10, "'x' is a float, but MOD takes integers", "'x' is a float as argument x of F"),
        ("P(x) AND x + 0.5 = 1.0", 14, "0.5 is a float, but 'x' is an int", "i2f(...) makes a float of an int"),
        ("W(x) AND y = -x", 15, "'x' is a string, but a sign stands before a number", "'x' is a string"),
        ('P(x) AND x SUBSTRING "a"', 10, "'x' is an int, but SUBSTRING compares strings", ""),
        ('W(x) AND x MATCHES "a"', 20, '"a" is a string, but MATCHES takes a regexp on its right', ""),
        ("F(y) AND x = i2f(y)", 18, "'y' is a float, but i2f takes an int", ""),
        ("P(x) AND (EXISTS x. W(x) AND x = 1)", 34, "1 is an int, but 'x' is a string", ""),
        ('LET g(x) = P(x) IN a = "s" AND g(a)', 24, "\"s\" is a string, but 'a' is an int", ""),
        ("LET g(x) = P(x) IN W(a) AND g(a)", 31, "'a' is a string, but g's parameter 'x' is an int", "'a' is a string"),
    ],
)
def test_a_contradiction_is_told_where_it_is(text: str, column: int, message: str, hint: str) -> None:
    with pytest.raises(QueryError) as refused:
        bound(text)
    assert (refused.value.message, refused.value.column) == (message, column)
    assert refused.value.hint.startswith(hint)


def test_types_are_faults_before_safety() -> None:
    with pytest.raises(QueryError) as refused:
        bound("NOT F(1)")
    assert type(refused.value) is QueryError

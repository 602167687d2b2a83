"""Terms over columns against Python's own arithmetic, with the ends of int64; conversions with MonPoly's formats."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cep_core.events.schema import AttributeType
from cep_core.language.errors import Position
from cep_core.language.temporal.terms import Arithmetic, Call, Constant, Minus, Regexp, Term, Variable
from cep_core.monitoring.first_order.arrays.errors import EvaluationError
from cep_core.monitoring.first_order.arrays.values import type_of, values_of
from tests.monitoring.first_order.valuations import Value, relation_of, setting_of

INT, FLOAT, STRING = AttributeType.INT, AttributeType.FLOAT, AttributeType.STRING
LOWEST, HIGHEST = -(2**63), 2**63 - 1
EDGES = [LOWEST, LOWEST + 1, -(2**32), -7, -2, -1, 0, 1, 2, 3, 7, 2**31, 2**32 - 1, 3037000500, HIGHEST - 1, HIGHEST]
X, Y = Variable("x"), Variable("y")

integers = st.sampled_from(EDGES) | st.integers(LOWEST, HIGHEST)


def truncated(left: int, right: int) -> int:
    return abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)


EXACT: dict[str, Any] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": truncated,
    "MOD": lambda a, b: a - b * truncated(a, b),
}


def value_in(term: Term, row: dict[str, Value]) -> Value:
    """The value of a term on one row."""
    types = {name: {int: INT, float: FLOAT, str: STRING}[type(value)] for name, value in row.items()}
    setting = setting_of(types)
    column = values_of(term, relation_of([(3, tuple(row.values()))], setting), setting)
    assert type_of(term, types) is FLOAT if column.dtype == np.float64 else True
    return setting.texts.text(int(column[0])) if type_of(term, types) is STRING else column[0].item()


@given(st.sampled_from(sorted(EXACT)), st.lists(st.tuples(integers, integers), min_size=1, max_size=8, unique=True))
def test_integers_are_exact_or_an_error(operator: str, pairs: list[tuple[int, int]]) -> None:
    """The error names the earliest row whose result does not exist."""
    setting = setting_of({"x": INT, "y": INT}, range(1000, 1100))
    relation = relation_of(enumerate(pairs), setting)
    term = Arithmetic(operator, X, Y, Position(1, 5))
    exact = [EXACT[operator](a, b) if b or operator not in ("/", "MOD") else None for a, b in pairs]
    lost = [row for row, value in enumerate(exact) if value is None or not LOWEST <= value <= HIGHEST]
    if not lost:
        assert values_of(term, relation, setting).tolist() == exact
        return
    with pytest.raises(EvaluationError) as caught:
        values_of(term, relation, setting)
    assert (caught.value.at, caught.value.stamp) == (Position(1, 5), 1000 + lost[0])
    assert caught.value.values == dict(zip("xy", pairs[lost[0]], strict=True))


@pytest.mark.parametrize("left", EDGES)
@pytest.mark.parametrize("right", EDGES)
def test_products_and_quotients_at_the_ends(left: int, right: int) -> None:
    for operator, compute in EXACT.items():
        exact = compute(left, right) if right or operator not in ("/", "MOD") else None
        if exact is not None and LOWEST <= exact <= HIGHEST:
            assert value_in(Arithmetic(operator, X, Y), {"x": left, "y": right}) == exact
        else:
            with pytest.raises(EvaluationError, match="division by zero" if exact is None else "does not fit"):
                value_in(Arithmetic(operator, X, Y), {"x": left, "y": right})


def test_an_error_shows_place_stamp_and_values() -> None:
    with pytest.raises(EvaluationError) as caught:
        value_in(Arithmetic("/", X, Y, Position(1, 9, 5)), {"x": 10, "y": 0, "who": "ann"})
    assert str(caught.value) == '<query>:1:9: 10 / 0 is a division by zero, at @3 with x = 10, y = 0, who = "ann"'
    assert str(caught.value.of_text("S(x) AND x / y = 1", "p.mfotl")).splitlines()[1:] == [
        "    S(x) AND x / y = 1",
        "            ^^^^^",
    ]
    with pytest.raises(EvaluationError, match=r"-\(-9223372036854775808\) does not fit 64 bits"):
        value_in(Minus(X), {"x": LOWEST})


def test_an_error_of_no_row_is_none() -> None:
    setting = setting_of({"x": INT})
    assert values_of(Arithmetic("/", X, Constant(0)), relation_of([], setting), setting).tolist() == []


def test_floats_follow_ieee() -> None:
    assert value_in(Arithmetic("/", X, Y), {"x": 1.0, "y": 0.0}) == float("inf")
    assert value_in(Arithmetic("*", X, Constant(1e308)), {"x": -1e308}) == float("-inf")
    assert value_in(Minus(Arithmetic("-", X, Constant(0.5))), {"x": 2.0}) == -1.5


@pytest.mark.parametrize(
    ("function", "argument", "value"),
    [
        ("i2s", -42, "-42"),
        ("i2s", 987654321, "987654321"),
        ("s2i", "-42", -42),
        ("s2i", "98754321", 98754321),
        ("s2i", "+1.1", 0),
        ("f2s", -42.0, "-42."),
        ("f2s", 1.1, "1.1"),
        ("f2s", 9.87654321e30, "9.87654321e+30"),
        ("f2s", -0.0, "0."),
        ("s2f", "+1.1", 1.1),
        ("s2f", "9.87654321e30", 9.87654321e30),
        ("s2f", "abc", 0.0),
        ("s2f", "-inf", float("-inf")),
        ("s2f", "1_0.5", 10.5),
        *(("s2f", text, 0.0) for text in (" 1", "1 ", "1\n", "\u0661", "1e", ".", "0x", "0x1.p", "")),
        ("f2i", -7.9, -7),
        ("f2i", 7.9, 7),
        ("i2f", 3, 3.0),
        ("s2r", "a*b", "a*b"),
        ("YEAR", 951782400.0, 2000),
        ("MONTH", 951782400.0, 2),
        ("DAY_OF_MONTH", 951782400.0, 29),
        ("FORMAT_DATE", 951782400.0, "2000-02-29"),
        ("FORMAT_DATE", 951868799.5, "2000-02-29"),
        ("FORMAT_DATE", -0.5, "1969-12-31"),
        ("FORMAT_DATE", 4102444800.0 + 86400, "2100-01-02"),
    ],
)
def test_conversions(function: str, argument: Value, value: Value) -> None:
    assert value_in(Call(function, X), {"x": argument}) == value


@pytest.mark.parametrize(
    ("function", "argument", "message"),
    [
        ("f2i", 2.0**63, r"f2i\(9.223372036854776e\+18\) does not fit 64 bits"),
        ("f2i", float("nan"), r"f2i\(nan\) does not fit"),
        ("s2i", "9223372036854775808", r's2i\("9223372036854775808"\) does not fit'),
        ("YEAR", float("inf"), r"YEAR\(inf\) is no date"),
    ],
)
def test_conversions_without_a_result(function: str, argument: Value, message: str) -> None:
    with pytest.raises(EvaluationError, match=message):
        value_in(Call(function, X), {"x": argument})


@given(st.floats(-6e10, 2.5e11))
def test_dates_are_those_of_the_calendar(seconds: float) -> None:
    from datetime import UTC, datetime, timedelta

    moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=float(np.floor(seconds)))
    assert value_in(Call("FORMAT_DATE", X), {"x": seconds}) == f"{moment:%Y-%m-%d}".zfill(10)
    parts = [value_in(Call(name, X), {"x": seconds}) for name in ("YEAR", "MONTH", "DAY_OF_MONTH")]
    assert parts == [moment.year, moment.month, moment.day]


def test_each_distinct_value_is_converted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    from cep_core.monitoring.first_order.arrays import conversions

    calls: list[float] = []
    monkeypatch.setattr(conversions, "float_text", lambda value: calls.append(value) or str(value))
    setting = setting_of({"x": FLOAT})
    relation = relation_of([(point, (float(point % 3),)) for point in range(60)], setting)
    values_of(Call("f2s", X), relation, setting)
    assert sorted(calls) == [0.0, 1.0, 2.0]


def test_constants() -> None:
    assert value_in(Constant("a"), {"x": 1}) == "a"
    assert value_in(Call("r2s", Regexp("a*")), {"x": 1}) == "a*"
    assert value_in(Arithmetic("+", Constant(2), Constant(3)), {}) == 5

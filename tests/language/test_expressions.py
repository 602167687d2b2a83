"""Column evaluation equals row-by-row evaluation in three-valued logic."""

from __future__ import annotations

import math
import re
from collections.abc import Callable

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cep_core.language.errors import Position
from cep_core.language.patterns.text.parsing import parse_condition
from cep_core.language.patterns.tree import (
    Arithmetic,
    Between,
    Comparison,
    Expression,
    In,
    IsNull,
    Like,
    Literal,
    Logical,
    Negation,
    Negative,
    Reference,
    Which,
)
from cep_core.language.patterns.values.expressions import evaluate, holds
from tests import ends

AT = Position(1, 1)
Value = int | float | str | bool | None


def _reference(names: tuple[str, ...]) -> st.SearchStrategy[Expression]:
    return st.builds(Reference, st.just("a"), st.sampled_from(names), st.just(Which.EACH), st.just(AT))


def _literal(values: st.SearchStrategy[Value]) -> st.SearchStrategy[Literal]:
    return st.builds(Literal, values, st.just(AT))


INTEGERS = st.one_of(st.integers(-3, 3), st.sampled_from(ends.WHOLE))
FLOATS = st.sampled_from((0.0, 1.5, -2.0, *ends.REAL))
TEXTS = st.sampled_from(("", "a", "ab", "b%", "a_"))


def numbers() -> st.SearchStrategy[Expression]:
    leaves = st.one_of(
        _reference(("i", "j", "f")), _literal(st.one_of(INTEGERS, st.sampled_from((0.5, 2.0)), st.none()))
    )
    return st.recursive(
        leaves,
        lambda smaller: st.one_of(
            st.builds(Arithmetic, st.sampled_from("+-*/%"), smaller, smaller, st.just(AT)),
            st.builds(Negative, smaller, st.just(AT)),
        ),
        max_leaves=4,
    )


def conditions() -> st.SearchStrategy[Expression]:
    operators = st.sampled_from(("=", "!=", "<", "<=", ">", ">="))
    texts = st.one_of(_reference(("s",)), _literal(st.one_of(TEXTS, st.none())))
    leaves = st.one_of(
        st.builds(Comparison, operators, numbers(), numbers(), st.just(AT)),
        st.builds(Comparison, operators, texts, texts, st.just(AT)),
        st.builds(Between, numbers(), numbers(), numbers(), st.just(AT)),
        st.builds(
            In,
            _reference(("i",)),
            st.lists(_literal(st.one_of(INTEGERS, st.none())), min_size=1, max_size=3).map(tuple),
            st.just(AT),
        ),
        st.builds(Like, _reference(("s",)), st.sampled_from(("a%", "%", "_", "b\\%", "")), st.just(AT)),
        st.builds(IsNull, st.one_of(_reference(("i", "s")), numbers()), st.none(), st.just(AT)),
        _reference(("b",)),
        _literal(st.one_of(st.booleans(), st.none())),
    )
    return st.recursive(
        leaves,
        lambda smaller: st.one_of(
            st.builds(
                Logical,
                st.sampled_from(("and", "or")),
                st.lists(smaller, min_size=2, max_size=3).map(tuple),
                st.just(AT),
            ),
            st.builds(Negation, smaller, st.just(AT)),
        ),
        max_leaves=4,
    )


ROWS = st.lists(
    st.fixed_dictionaries(
        {
            "i": st.one_of(INTEGERS, st.none()),
            "j": st.one_of(INTEGERS, st.none()),
            "f": st.one_of(FLOATS, st.none()),
            "s": st.one_of(TEXTS, st.none()),
            "b": st.one_of(st.booleans(), st.none()),
        }
    ),
    max_size=5,
)
SCHEMA = pa.schema({"i": pa.int64(), "j": pa.int64(), "f": pa.float64(), "s": pa.string(), "b": pa.bool_()})


@given(conditions(), ROWS)
def test_conditions_in_columns_are_conditions_row_by_row(condition: Expression, rows: list[dict[str, Value]]) -> None:
    """Comparison, arithmetic and logic of whole columns follow SQL on each row; only truth passes."""
    table = pa.Table.from_pylist(rows, SCHEMA)
    expected = [_value(condition, row) for row in rows]
    assert evaluate(condition, table).to_pylist() == expected
    assert holds(condition, table).tolist() == [value is True for value in expected]


@given(numbers(), ROWS)
def test_arithmetic_in_columns_is_arithmetic_row_by_row(number: Expression, rows: list[dict[str, Value]]) -> None:
    """Integers never wrap: beyond 64 bits, and divided by zero, there is no value."""
    table = pa.Table.from_pylist(rows, SCHEMA)
    expected = [_value(number, row) for row in rows]
    values = evaluate(number, table).to_pylist()
    assert [repr(value) for value in values] == [repr(value) for value in expected]


@pytest.mark.parametrize("stored", [pa.int32(), pa.uint8(), pa.int64()])
def test_narrow_integers_are_read_as_64_bits(stored: pa.DataType) -> None:
    """100 * 100 does not wrap in a column of bytes."""
    table = pa.table({"x": pa.array([100], stored)})
    assert evaluate(parse_condition("x * x = 10000"), table).to_pylist() == [True]


@pytest.mark.parametrize("text", ["NULL LIKE 'a%'", "NULL = 1", "-NULL > 1", "NULL IN (1)", "NOT (NULL AND TRUE)"])
def test_null_constants_are_unknown(text: str) -> None:
    """NULL written out has no type, and no answer."""
    assert evaluate(parse_condition(text), pa.table({"x": [1, 2]})).to_pylist() == [None, None]


def test_dictionaries_and_large_strings_are_text() -> None:
    """How a column is encoded does not matter."""
    for values in (pa.array(["ab", None]).dictionary_encode(), pa.array(["ab", None], pa.large_string())):
        table = pa.table({"s": values})
        assert evaluate(parse_condition("s LIKE 'a%'"), table).to_pylist() == [True, None]


@pytest.mark.parametrize(
    ("operator", "truths"),
    [
        ("=", [False, False, True]),
        ("!=", [True, True, False]),
        ("<", [False, True, False]),
        ("<=", [False, True, True]),
        (">", [True, False, False]),
        (">=", [True, False, True]),
    ],
)
def test_nan_equals_itself_and_exceeds_everything(operator: str, truths: list[bool]) -> None:
    """As in Spark: NaN against infinity, infinity against NaN, NaN against NaN."""
    table = pa.table({"x": [math.nan, math.inf, math.nan], "y": [math.inf, math.nan, math.nan]})
    assert evaluate(parse_condition(f"x {operator} y"), table).to_pylist() == truths


# ---------------------------------------------------------------- row by row


def _value(expression: Expression, row: dict[str, Value]) -> Value:
    match expression:
        case Literal():
            return expression.value
        case Reference():
            return row[expression.attribute]
        case Negative():
            return _arithmetic("-", 0, _value(expression.operand, row))
        case Arithmetic():
            return _arithmetic(expression.operator, _value(expression.left, row), _value(expression.right, row))
        case Comparison():
            return _compare(expression.operator, _value(expression.left, row), _value(expression.right, row))
        case Between():
            value = _value(expression.operand, row)
            above = _compare(">=", value, _value(expression.low, row))
            return _all([above, _compare("<=", value, _value(expression.high, row))])
        case In():
            value = _value(expression.operand, row)
            return _not(_all([_not(_compare("=", value, constant.value)) for constant in expression.values]))
        case Like():
            text = _value(expression.operand, row)
            return None if text is None else re.fullmatch(_regex(expression.pattern), str(text)) is not None
        case IsNull():
            assert expression.operand is not None
            return _value(expression.operand, row) is None
        case Negation():
            return _not(_value(expression.operand, row))
        case Logical():
            values = [_value(operand, row) for operand in expression.operands]
            return _all(values) if expression.operator == "and" else _not(_all([_not(value) for value in values]))
    raise AssertionError(expression)


def _arithmetic(operator: str, left: Value, right: Value) -> Value:
    if left is None or right is None:
        return None
    assert not isinstance(left, str)
    assert not isinstance(right, str)
    whole = isinstance(left, int) and isinstance(right, int)
    if operator == "/":
        return None if right == 0 else float(left) / float(right)
    if operator == "%":
        if right == 0:
            return None
        if whole:
            return int(math.copysign(1, left)) * (abs(int(left)) % abs(int(right)))
        return math.nan if math.isinf(left) else math.fmod(left, right)
    compute: dict[str, Callable[[int | float, int | float], int | float]] = {
        "+": lambda a, b: a + b,
        "-": lambda a, b: a - b,
        "*": lambda a, b: a * b,
    }
    if not whole:
        return compute[operator](float(left), float(right))
    result = compute[operator](left, right)
    return result if -(2**63) <= result < 2**63 else None


def _compare(operator: str, left: Value, right: Value) -> bool | None:
    if left is None or right is None:
        return None
    if isinstance(left, float) or isinstance(right, float):
        assert not isinstance(left, str)
        assert not isinstance(right, str)
    left_key, right_key = (left != left, left), (right != right, right)
    less = left_key[0] < right_key[0] if left_key[0] or right_key[0] else left < right
    same = left_key[0] == right_key[0] if left_key[0] or right_key[0] else left == right
    return {"=": same, "!=": not same, "<": less, "<=": less or same, ">": not (less or same), ">=": not less}[operator]


def _all(values: list[Value]) -> bool | None:
    if any(value is False for value in values):
        return False
    return None if any(value is None for value in values) else True


def _not(value: Value) -> bool | None:
    return None if value is None else not value


def _regex(pattern: str) -> str:
    pieces = re.findall(r"\\.|.", pattern)
    return "".join({"%": ".*", "_": "."}.get(piece, re.escape(piece[-1])) for piece in pieces)

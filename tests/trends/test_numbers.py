"""Counts and sums of any size, exactly (docs/architecture.md, Numbers)."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cep_core.events.schema import Attribute, AttributeType, LogSchema
from cep_core.events.table import log_schema_of
from cep_core.language.patterns.bind.binding import bind
from cep_core.numbers.integer_columns import decimals, digits, doubles, logarithms, quotients, signs
from cep_core.numbers.integers import Integers
from cep_core.trends.evaluator import TrendEvaluator

BIG = st.integers(-(2**200), 2**200) | st.integers(-(2**64), 2**64) | st.integers(-5, 5)


def run(n: int, text: str, *, exact: bool = True, **attributes: Any) -> dict[str, Any]:
    """The only row of a query over n events of type A, one event each second."""
    columns = {"event_type": ["A"] * n, "ts": pa.array(np.arange(n)), "seq": pa.array(np.arange(n))}
    log = pa.table({**columns, **attributes})
    evaluator = TrendEvaluator(bind(text, log_schema_of(log)), exact=exact)
    [row] = evaluator.merge(evaluator.evaluate(log)).to_pylist()
    return row


@pytest.mark.parametrize("n", [1, 61, 62, 63, 64, 126, 127, 128, 129, 200, 1200])
def test_two_to_the_n(n: int) -> None:
    """A+ on n events has 2^n - 1 trends: a DECIMAL up to 38 digits; always the size and all digits."""
    row = run(n, "RETURN COUNT(*), COUNT(A) PATTERN A+ WITHIN 10000")
    for name, value in (("count", 2**n - 1), ("count_A", n * 2 ** (n - 1))):
        assert row[name] == (Decimal(value) if value < 10**38 else None)
        assert row[f"{name}_exact"] == str(value)
        assert row[f"{name}_log10"] == pytest.approx(math.log10(value), abs=1e-9)


def test_sums_cancel_exactly() -> None:
    """Huge summands of both signs cancel. A sum too large for DECIMAL still has its sign and all digits."""
    row = run(200, "RETURN SUM(A.x), AVG(A.x) PATTERN A+ WITHIN 10000", x=[10**17, -(10**17)] * 100)
    assert (row["sum_A_x"], row["sum_A_x_log10"], row["sum_A_x_sign"], row["avg_A_x"]) == (Decimal(0), None, 0, 0.0)
    row = run(200, "RETURN SUM(A.x), AVG(A.x) PATTERN A+ WITHIN 10000", x=[-(2**63)] * 200)
    value = -(2**63) * 200 * 2**199
    assert (row["sum_A_x"], row["sum_A_x_sign"], row["sum_A_x_exact"]) == (None, -1, str(value))
    assert row["avg_A_x"] == -(2.0**63)


def test_averages_beyond_the_range_of_doubles() -> None:
    """Counts and sums beyond 1e308 still have an average. A float sum is then null, but it has its size."""
    text = "RETURN COUNT(*), SUM(A.x), AVG(A.x), AVG(A.y), SUM(A.y) PATTERN A+ WITHIN 10000"
    row = run(1100, text, x=[7] * 1100, y=[0.1] * 1100, exact=False)
    assert (row["count"], row["sum_A_x"], row["avg_A_x"], row["avg_A_y"], row["sum_A_y"]) == (
        None,
        None,
        7.0,
        0.1,
        None,
    )
    assert row["sum_A_y_log10"] == pytest.approx(math.log10(110 * 2**1099), abs=1e-9)
    assert row["sum_A_y_sign"] == 1
    assert "count_exact" not in row


def test_no_known_value() -> None:
    """MIN, MAX, AVG and SUM over no occurrence are null."""
    text = "RETURN SUM(A.x), AVG(A.x), MIN(A.x), MAX(A.x) PATTERN A+ WITHIN 10"
    row = run(2, text, x=pa.array([None, None], pa.int64()))
    assert (row["sum_A_x"], row["avg_A_x"], row["min_A_x"], row["max_A_x"]) == (None, None, None, None)


def test_extremes_of_the_type() -> None:
    """The largest and smallest integers and doubles are values like any other."""
    text = "RETURN MIN(A.x), MAX(A.x), MIN(A.y), MAX(A.y) PATTERN A+ WITHIN 10"
    row = run(2, text, x=[2**63 - 1, -(2**63)], y=[math.inf, -math.inf])
    assert (row["min_A_x"], row["max_A_x"]) == (-(2**63), 2**63 - 1)
    assert (row["min_A_y"], row["max_A_y"]) == (-math.inf, math.inf)
    row = run(1, text, x=[2**63 - 1], y=[-0.0])
    assert (row["min_A_x"], row["max_A_x"], row["min_A_y"]) == (2**63 - 1, 2**63 - 1, 0.0)


def test_what_is_not_finite() -> None:
    """As in SQL: infinities add up; NaN is the greatest value, and a sum with NaN is NaN. Neither has a size."""
    text = "RETURN SUM(A.y), AVG(A.y), MIN(A.y), MAX(A.y) PATTERN A+ WITHIN 10"
    inf, nan = math.inf, math.nan
    for values, total, sign in (
        ([1.0, inf], inf, 1),
        ([-inf, 2.0], -inf, -1),
        ([inf, -inf], nan, None),
        ([nan, 1.0], nan, None),
    ):
        row = run(2, text, y=values)
        assert [row["sum_A_y"], row["avg_A_y"]] == pytest.approx([total, total], nan_ok=True)
        assert (row["sum_A_y_log10"], row["avg_A_y_log10"], row["sum_A_y_sign"]) == (None, None, sign)
        assert row["min_A_y"] == min(values, key=lambda v: (math.isnan(v), v))
        assert row["max_A_y"] == pytest.approx(max(values, key=lambda v: (math.isnan(v), v)), nan_ok=True)


def test_integers_stored_for_doubles() -> None:
    """A column of integers may hold an attribute that is declared to be a double."""
    log = pa.table({"event_type": ["A"] * 2, "ts": [1, 2], "seq": [0, 1], "y": [1, 2]})
    schema = LogSchema({"A": {"y": Attribute("y", AttributeType.FLOAT)}})
    evaluator = TrendEvaluator(bind("RETURN SUM(A.y), MAX(A.y) PATTERN A+ WITHIN 10", schema))
    [row] = evaluator.merge(evaluator.evaluate(log)).to_pylist()
    assert (row["sum_A_y"], row["max_A_y"]) == (6.0, 2.0)


@settings(max_examples=100, deadline=None)
@given(st.lists(BIG, max_size=8), st.integers(0, 1100))
def test_columns_are_the_integers(values: list[int], shift: int) -> None:
    """Every column form of exact integers agrees with Python's integers."""
    column = Integers.of(values)
    shifts = np.full(len(values), shift)
    assert column.to_list() == values
    assert Integers.from_arrow(*column.to_arrow()).to_list() == values
    assert decimals(column).to_pylist() == [Decimal(v) if abs(v) < 10**38 else None for v in values]
    assert digits(column).to_pylist() == [str(v) for v in values]
    assert signs(column).to_pylist() == [(v > 0) - (v < 0) for v in values]
    for logarithm, v in zip(logarithms(column, shifts).to_pylist(), values, strict=True):
        assert logarithm == (None if v == 0 else pytest.approx(math.log10(abs(v)) - shift * math.log10(2), abs=1e-9))
    assert doubles(column, shifts).to_pylist() == [v / 2**shift for v in values]
    assert column.shifted(shifts % 70).to_list() == [v << (shift % 70) for v in values]
    assert column.nonzero().tolist() == [v != 0 for v in values]


@settings(max_examples=100, deadline=None)
@given(st.lists(BIG, max_size=8), st.integers(0, 1100), st.integers(0, 70))
def test_the_size_of_a_fraction_is_that_of_its_value(values: list[int], shift: int, more: int) -> None:
    """The size does not depend on how a slice wrote a fraction, to the last bit: 3 / 2 is 6 / 4."""
    shifts = np.full(len(values), shift)
    sizes = logarithms(Integers.of(values), shifts)
    assert logarithms(Integers.of([value << more for value in values]), shifts + more) == sizes


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(BIG, st.integers(0, 2)), max_size=8), st.lists(BIG.map(abs), min_size=8, max_size=8))
def test_arithmetic_is_exact(rows: list[tuple[int, int]], divisors: list[int]) -> None:
    """Sums by group, differences, chosen rows and quotients."""
    values = [value for value, _ in rows]
    column = Integers.of(values)
    groups = np.array([group for _, group in rows], dtype=np.int64)
    assert column.sum_by(groups, 3).to_list() == [sum(v for v, g in rows if g == group) for group in range(3)]
    assert column.minus(column.take(np.arange(len(rows))[::-1])).to_list() == [
        a - b for a, b in zip(values, values[::-1], strict=True)
    ]
    below = divisors[: len(rows)]
    quotient = quotients(column, Integers.of(below), np.zeros(len(rows), dtype=np.int64)).to_pylist()
    assert quotient == [a / b if b else None for a, b in zip(values, below, strict=True)]

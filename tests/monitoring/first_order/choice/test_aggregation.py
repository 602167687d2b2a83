"""Aggregations by a sweep against the definition: at each point, over the valuations that hold there."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cep_core.events.schema import AttributeType
from cep_core.language.errors import Position
from cep_core.language.temporal.formulas import Aggregation, Truth
from cep_core.language.temporal.terms import Variable
from cep_core.monitoring.first_order.arrays.errors import EvaluationError
from cep_core.monitoring.first_order.choice.aggregation import aggregated
from tests.monitoring.first_order.valuations import (
    Satisfactions,
    Valuation,
    Value,
    relation_of,
    satisfactions,
    setting_of,
)

INT, FLOAT, STRING = AttributeType.INT, AttributeType.FLOAT, AttributeType.STRING
POINTS = 12
LOWEST, HIGHEST = -(2**63), 2**63 - 1
INTEGERS = [LOWEST, -(2**62), -3, -1, 0, 1, 2, 3, 2**53 + 1, 2**62, 2**62 + 1, HIGHEST]
FLOATS = [-1.7e308, -1e308, -1.0, -0.1, -1e-308, -5e-324, 0.0, -0.0, 5e-324, 1e-308, 0.1, 0.2, 0.3, 1.0, 1e16, 1e308]


def rounded(value: Fraction) -> float:
    try:
        return float(value)
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")


def defined(function: str, items: list[Any]) -> Any:
    """The result over a bag of values that is not empty."""
    items = sorted(items)
    exact = [Fraction(item) for item in items] if not isinstance(items[0], str) else []
    whole = isinstance(items[0], int)
    match function:
        case "CNT":
            return len(items)
        case "SUM":
            return sum(items) if whole else rounded(sum(exact, Fraction()))
        case "AVG":
            return rounded(sum(exact, Fraction()) / len(items))
        case "MIN":
            return items[0]
        case "MAX":
            return items[-1]
    return rounded((exact[(len(items) - 1) // 2] + exact[len(items) // 2]) / 2)


def expected(held: Satisfactions, kind: AttributeType, function: str, keys: tuple[int, ...]) -> Satisfactions:
    """Without groups the result is 0, or the empty text, where nothing holds."""
    bags: dict[tuple[int, Valuation], list[Value]] = defaultdict(list)
    for point, row in held:
        bags[point, tuple(row[key] for key in keys)].append(row[0])
    of_nothing = "" if kind is STRING and function in ("MIN", "MAX") else 0
    empty = {(point, (of_nothing,)) for point in range(POINTS) if not keys and (point, ()) not in bags}
    return empty | {(point, (defined(function, bag), *key)) for (point, key), bag in bags.items()}


def runs(values: st.SearchStrategy[Any]) -> st.SearchStrategy[Satisfactions]:
    """Many overlapping runs of valuations (item, x, y)."""
    row = st.tuples(values, st.sampled_from(["a", "b"]), st.integers(0, 1))
    run = st.tuples(row, st.integers(0, POINTS - 1), st.integers(1, POINTS))
    return st.lists(run, max_size=14).map(
        lambda drawn: {(p, row) for row, begin, length in drawn for p in range(begin, min(begin + length, POINTS))}
    )


def check(held: Satisfactions, kind: AttributeType, function: str, keys: tuple[int, ...]) -> None:
    types = {"v": kind, "x": STRING, "y": INT}
    setting = setting_of(types, range(100, 100 + POINTS))
    names = tuple(types)
    aggregation = Aggregation(
        Variable("r"), function, Variable("v"), tuple(Variable(names[key]) for key in keys), Truth(True), Position(1, 1)
    )
    wanted = expected(held, kind, function, keys)
    if kind is INT and function == "SUM" and any(not LOWEST <= int(row[0]) <= HIGHEST for _, row in wanted):
        first = min(point for point, row in wanted if not LOWEST <= int(row[0]) <= HIGHEST)
        with pytest.raises(EvaluationError, match=r"the SUM of \d+ values of v does not fit 64 bits") as caught:
            aggregated(relation_of(held, setting), aggregation, setting)
        assert caught.value.stamp == 100 + first
        assert set(caught.value.values) == {names[key] for key in keys}
        return
    result = INT if function == "CNT" else FLOAT if function in ("AVG", "MED") else kind
    relation = aggregated(relation_of(held, setting), aggregation, setting)
    assert relation.variables == ("r", *(names[key] for key in keys))
    if result is FLOAT:
        assert relation.columns[0].dtype == np.float64
    assert satisfactions(relation, setting, {"r": result, **types}) == wanted


KEYS = st.sampled_from([(), (1,), (2,), (1, 2), (2, 1), (0,), (1, 0)])


@given(runs(st.sampled_from(INTEGERS)), st.sampled_from(["CNT", "SUM", "AVG", "MIN", "MAX", "MED"]), KEYS)
def test_integers(held: Satisfactions, function: str, keys: tuple[int, ...]) -> None:
    check(held, INT, function, keys)


@given(
    runs(st.sampled_from(FLOATS) | st.floats(allow_nan=False, allow_infinity=False)),
    st.sampled_from(["CNT", "SUM", "AVG", "MIN", "MAX", "MED"]),
    KEYS,
)
def test_floats(held: Satisfactions, function: str, keys: tuple[int, ...]) -> None:
    check({(point, (row[0] + 0.0, *row[1:])) for point, row in held}, FLOAT, function, keys)  # type: ignore[operator]


@given(runs(st.text("abé\U0001f600", max_size=2)), st.sampled_from(["CNT", "MIN", "MAX"]), KEYS)
def test_texts(held: Satisfactions, function: str, keys: tuple[int, ...]) -> None:
    check(held, STRING, function, keys)


@settings(max_examples=20)
@given(st.lists(st.sampled_from(FLOATS) | st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=40))
def test_what_was_taken_away_leaves_no_trace(items: list[float]) -> None:
    """Each point has another window of the values, so that every value is entered and taken away between the others."""
    held: Satisfactions = {
        (p, (items[i] + 0.0, str(i), 0)) for i in range(len(items)) for p in range(i, min(i + 4, POINTS))
    }
    for function in ("SUM", "AVG"):
        check(held, FLOAT, function, ())


@pytest.mark.parametrize(
    ("items", "total"),
    [
        ([1e308, 1e308, -1e308], 1e308),
        ([1e308, 1e-308, -1e308], 1e-308),
        ([1e308, 1e308], float("inf")),
        ([-1.7e308, -1.7e308], float("-inf")),
        ([0.1] * 10, 1.0),
        ([float("inf"), 1.0], float("inf")),
        ([float("inf"), 1.0, float("-inf")], float("nan")),
        ([float("nan"), 1.0], float("nan")),
        ([5e-324, 5e-324], 1e-323),
    ],
)
def test_sums_of_floats_are_rounded_once(items: list[float], total: float) -> None:
    setting = setting_of({"v": FLOAT, "k": INT}, range(3))
    relation = relation_of([(1, (item, key)) for key, item in enumerate(items)], setting)
    aggregation = Aggregation(Variable("r"), "SUM", Variable("v"), (), Truth(True))
    result = aggregated(relation, aggregation, setting)
    np.testing.assert_array_equal(result.columns[0], [0.0, total, 0.0])
    assert (result.begin.tolist(), result.end.tolist()) == ([0, 1, 2], [1, 2, 3])


def test_the_average_of_sums_beyond_the_largest_double() -> None:
    setting = setting_of({"v": FLOAT, "k": INT}, range(1))
    relation = relation_of([(0, (1.5e308, key)) for key in range(7)], setting)
    aggregation = Aggregation(Variable("r"), "AVG", Variable("v"), (), Truth(True))
    assert aggregated(relation, aggregation, setting).columns[0].tolist() == [1.5e308]


def test_the_mean_of_two_large_doubles() -> None:
    setting = setting_of({"v": FLOAT}, range(1))
    relation = relation_of([(0, (1.5e308,)), (0, (1.7e308,))], setting)
    aggregation = Aggregation(Variable("r"), "MED", Variable("v"), (), Truth(True))
    assert aggregated(relation, aggregation, setting).columns[0].tolist() == [1.6e308]


@pytest.mark.parametrize("function", ["CNT", "SUM", "AVG", "MIN", "MAX", "MED"])
@pytest.mark.parametrize("kind", [INT, FLOAT])
def test_nothing_holds(function: str, kind: AttributeType) -> None:
    """Without groups the result is 0 at all points, in one run, as in MonPoly; with groups nothing has a row."""
    check(set(), kind, function, (1,))
    setting = setting_of({"v": kind}, range(5))
    aggregation = Aggregation(Variable("r"), function, Variable("v"), (), Truth(True))
    relation = aggregated(relation_of([], setting), aggregation, setting)
    assert (relation.columns[0].tolist(), relation.begin.tolist(), relation.end.tolist()) == ([0], [0], [5])
    no_points = setting_of({"v": kind}, [])
    assert aggregated(relation_of([], no_points), aggregation, no_points).rows == 0


def test_nothing_depends_on_the_lengths_of_runs() -> None:
    """A run of 2^30 points is one step."""
    setting = setting_of({"v": INT}, [0])
    long = relation_of([(0, (5,))], setting)
    long.end[0] = 1 << 30
    aggregation = Aggregation(Variable("r"), "MED", Variable("v"), (), Truth(True))
    result = aggregated(long, aggregation, setting)
    assert (result.begin.tolist(), result.end.tolist(), result.columns[0].tolist()) == ([0], [1 << 30], [5.0])


def test_nan_is_the_greatest_number_and_one_group() -> None:
    nan = float("nan")
    setting = setting_of({"v": FLOAT, "k": FLOAT}, range(1))
    relation = relation_of([(0, (1.0, nan)), (0, (nan, nan)), (0, (float("inf"), nan))], setting)
    results = {
        name: aggregated(
            relation, Aggregation(Variable("r"), name, Variable("v"), (Variable("k"),), Truth(True)), setting
        )
        for name in ("CNT", "MIN", "MAX", "MED")
    }
    assert {name: str(result.columns[0].tolist()) for name, result in results.items()} == {
        "CNT": "[3]",
        "MIN": "[1.0]",
        "MAX": "[nan]",
        "MED": "[inf]",
    }

"""STDDEV is the population's standard deviation, exact until it is rounded once, over all trends and inside matches."""

from __future__ import annotations

import itertools
import statistics
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cep_core as cep
from cep_core.aggregates.registry import NAMED
from cep_core.aggregates.stddev import root
from cep_core.events.schema import AttributeType
from cep_core.language.errors import QueryError
from cep_core.language.patterns.bind.inference import schema_mentioned_by
from cep_core.language.patterns.text.parsing import parse
from tests.ends import WHOLE

STDDEV = NAMED["stddev"]
NUMBERS = st.integers(-4, 4) | st.sampled_from(WHOLE)


def log_of(values: list[int | None] | list[float], kind: str = "A") -> pa.Table:
    """An event for each value."""
    return pa.table({"event_type": [kind] * len(values), "ts": range(len(values)), "x": values})


def over_trends(pattern: str, log: pa.Table) -> list[float | None]:
    """STDDEV(A.x) of each window."""
    deviations: list[float | None] = cep.aggregate(f"RETURN STDDEV(A.x) PATTERN {pattern}", log)[
        "stddev_A_x"
    ].to_pylist()
    return deviations


@settings(max_examples=200)
@given(st.lists(NUMBERS, min_size=1, max_size=9))
def test_the_definition_is_that_of_the_standard_library(values: list[int]) -> None:
    """Rounded once, also at the ends of 64 bits."""
    assert STDDEV.define([None, *values]) == statistics.pstdev(values)


@settings(max_examples=60)
@given(st.lists(st.none() | NUMBERS, min_size=1, max_size=6))
def test_single_events(values: list[int | None]) -> None:
    """Trends of one event each: the values themselves, without NULLs; over none of them NULL."""
    log = log_of(values).set_column(2, "x", pa.array(values, pa.int64()))
    assert over_trends("A WITHIN 100", log) == [STDDEV.define(values)]


@settings(max_examples=200)
@given(st.lists(st.lists(st.none() | NUMBERS, max_size=6), min_size=1, max_size=3), st.booleans())
def test_beginnings_of_lists(lists: list[list[int | None]], before: bool) -> None:
    """Inside a match, over every beginning of a list."""
    offsets = np.array([0, *itertools.accumulate(map(len, lists))])
    values = pa.array([value for numbers in lists for value in numbers], pa.int64())
    expected = [STDDEV.define(numbers[: k + (not before)]) for numbers in lists for k in range(len(numbers))]
    assert STDDEV.running(values, offsets, before=before).to_pylist() == expected


def test_more_trends_than_a_double_counts() -> None:
    """Each of 1,100 events is in 2**1099 trends: the deviation is that of the values."""
    values = [(7 * k) % 1009 - 500 for k in range(1100)]
    assert over_trends("A+ WITHIN 10000", log_of(values)) == [statistics.pstdev(values)]


def test_one_event_and_none_known() -> None:
    assert over_trends("A WITHIN 10", log_of([5])) == [0.0]
    unknown = log_of([1]).set_column(2, "x", pa.array([None], pa.int64()))
    result = cep.aggregate("RETURN STDDEV(A.x) PATTERN A WITHIN 10", unknown)
    assert result.select(["stddev_A_x", "stddev_A_x_log10"]).to_pylist() == [
        {"stddev_A_x": None, "stddev_A_x_log10": None}
    ]


def test_inside_a_match() -> None:
    """As an item of RETURN, and as a condition over what came before."""
    log = pa.table({"event_type": list("ABBB"), "ts": range(4), "x": [0, 2, 4, 9]})
    query = "PATTERN SEQ(A a, B+ b[]) WHERE b[i].x > 4 * stddev(b[..i-1].x) WITHIN 9 RETURN stddev(b[].x) AS spread"
    matches = cep.match(query, log).select(["b", "spread"]).to_pylist()
    assert {tuple(row["b"]): row["spread"] for row in matches} == {
        (1,): 0.0,
        (2,): 0.0,
        (3,): 0.0,
        (1, 2): 1.0,
        (1, 3): 3.5,
        (2, 3): 2.5,
        (1, 2, 3): statistics.pstdev([2, 4, 9]),
    }


@pytest.mark.parametrize(
    ("query", "column", "message"),
    [
        ("RETURN STDDEV(A.x) PATTERN A+ WITHIN 9", 8, "stddev over all trends takes integers, 'x' is float"),
        ("PATTERN A+ a[] WITHIN 9 RETURN stddev(a[].x)", 32, "stddev takes integers, 'x' is float"),
    ],
)
def test_floats_are_refused_by_name(query: str, column: int, message: str) -> None:
    """With the place and what to write instead, before any event is read."""
    with pytest.raises(QueryError) as refusal:
        (cep.aggregate if query.startswith("RETURN") else cep.match)(query, log_of([1.5]))
    assert (refusal.value.message, refusal.value.column) == (message, column)
    assert "integers of a smaller unit" in refusal.value.hint


def test_without_a_schema_the_attribute_is_an_integer() -> None:
    """`explain` takes for granted what the query needs, whatever else it does with the attribute."""
    schema = schema_mentioned_by(parse("RETURN AVG(A.x), STDDEV(A.x), MAX(A.x) PATTERN A+ WHERE A.x > 1.5 WITHIN 9"))
    assert schema.columns["x"].type is AttributeType.INT
    assert cep.explain("RETURN STDDEV(A.x) PATTERN A+ WITHIN 9").to_dict()


def test_roots_next_to_the_middle_of_two_doubles() -> None:
    """The square of a middle, and a little less and more: the root falls on the side that integers tell."""
    below, above = float(2**53 - 2), float(2**53 - 1)
    middle, tiny = Fraction(2 * int(below) + 1, 2), Fraction(1, 2**200)
    assert root(middle**2 - tiny) == below
    assert root(middle**2 + tiny) == above
    assert root(middle**2) == below  # ties to even

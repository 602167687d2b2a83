"""Comparing the ranks of two vertices gives the same as comparing their values."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cep_core.trends.arrays.ranks import compare

OPERATORS = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
INTS = st.integers(-3, 3) | st.sampled_from([2**63 - 1, -(2**63), 2**62, 10**6])
FLOATS = st.sampled_from([-0.0, 0.0, 1.5, -1.5, float("inf"), float("-inf"), 5e-324]) | st.floats(-3, 3)
TEXTS = st.sampled_from(["", "a", "ab", "b", "é", "Z"])


@pytest.mark.parametrize("values", [(INTS, pa.int64()), (FLOATS, pa.float64()), (TEXTS, pa.string())])
@settings(max_examples=100, deadline=None)
@given(data=st.data(), symbols=st.lists(st.sampled_from(sorted(OPERATORS)), min_size=1, max_size=4))
def test_ranks_are_the_comparisons(
    values: tuple[st.SearchStrategy[Any], pa.DataType], data: st.DataObject, symbols: list[str]
) -> None:
    """For every pair in a partition, with nulls; ranked by counting or by sorting; one comparison or several."""
    elements, kind = values
    n = data.draw(st.integers(0, 8))
    columns = st.lists(st.none() | elements, min_size=n, max_size=n)
    sides = [(data.draw(columns), data.draw(columns)) for _ in symbols]
    partition = np.array(sorted(data.draw(st.lists(st.integers(0, 2), min_size=n, max_size=n))), dtype=np.int64)
    states = np.array(data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n)), dtype=np.uint64)
    compared = [
        (op, pa.array(left, kind), pa.array(right, kind)) for op, (left, right) in zip(symbols, sides, strict=True)
    ]
    edges = compare([(0, 1, compared)], states, partition, 3)
    for i in range(n):
        for j in range(n):
            if partition[i] != partition[j] or not int(states[i]) & 1 or not int(states[j]) & 2:
                continue
            precedes = [
                (edges.rank[i, c] == edges.bound[j, c] if edges.equal[c] else edges.rank[i, c] <= edges.bound[j, c])
                and edges.rank[i, c] > 0
                and all(
                    0 < edges.other_rank[i, o] <= edges.other_bound[j, o]
                    for o in range(edges.first_other[c], edges.first_other[c + 1])
                )
                for c in range(len(edges.source))
            ]
            no_nulls = all(left[i] is not None and right[j] is not None for left, right in sides)
            expected = no_nulls and all(
                OPERATORS[op](left[i], right[j]) for op, (left, right) in zip(symbols, sides, strict=True)
            )
            assert sum(precedes) == int(expected)
    assert (edges.rank <= edges.ranks[partition][:, np.newaxis]).all()


def test_nan_is_the_greatest_value() -> None:
    """As in SQL, NaN equals itself and is greater than infinity."""
    values = pa.array([float("inf"), float("nan"), -float("nan")])
    edges = [(0, 1, [(symbol, values, values)]) for symbol in ("<", "=")]
    ranked = compare(edges, np.array([3] * 3, dtype=np.uint64), np.zeros(3, dtype=np.int64), 1)
    assert ranked.rank[:, 0].tolist() == [1, 2, 2]
    assert ranked.bound.T.tolist() == [[0, 1, 1], [1, 2, 2]]


def test_large_integers_against_doubles() -> None:
    """Integers are not rounded to doubles before the comparison."""
    for integer, holds in ((2**60, True), (2**60 + 1, False), (2**60 - 1, False)):
        compared = ("=", pa.array([integer], pa.int64()), pa.array([2.0**60], pa.float64()))
        ranked = compare([(0, 1, [compared])], np.array([3], dtype=np.uint64), np.zeros(1, dtype=np.int64), 1)
        assert (ranked.rank[0, 0] == ranked.bound[0, 0] == 1) == holds

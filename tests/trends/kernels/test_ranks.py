"""Ranks say of two vertices what the comparison says of their values."""

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
    """For every pair in a partition, nulls included; by counting and by sorting alike; one comparison or several."""
    one, kind = values
    n = data.draw(st.integers(0, 8))
    columns = st.lists(st.none() | one, min_size=n, max_size=n)
    sides = [(data.draw(columns), data.draw(columns)) for _ in symbols]
    partition = np.array(sorted(data.draw(st.lists(st.integers(0, 2), min_size=n, max_size=n))), dtype=np.int64)
    states = np.array(data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n)), dtype=np.uint64)
    compared = [
        (op, pa.array(left, kind), pa.array(right, kind)) for op, (left, right) in zip(symbols, sides, strict=True)
    ]
    found = compare([(0, 1, compared)], states, partition, 3)
    for i in range(n):
        for j in range(n):
            if partition[i] != partition[j] or not int(states[i]) & 1 or not int(states[j]) & 2:
                continue
            precedes = [
                (found.rank[i, c] == found.bound[j, c] if found.equal[c] else found.rank[i, c] <= found.bound[j, c])
                and found.rank[i, c] > 0
                and all(
                    0 < found.other_rank[i, o] <= found.other_bound[j, o]
                    for o in range(found.first_other[c], found.first_other[c + 1])
                )
                for c in range(len(found.source))
            ]
            known = all(left[i] is not None and right[j] is not None for left, right in sides)
            wanted = known and all(
                OPERATORS[op](left[i], right[j]) for op, (left, right) in zip(symbols, sides, strict=True)
            )
            assert sum(precedes) == int(wanted)
    assert (found.rank <= found.ranks[partition][:, np.newaxis]).all()


def test_nan_is_the_greatest_value() -> None:
    """As SQL orders it: equal to itself, greater than infinity."""
    values = pa.array([float("inf"), float("nan"), -float("nan")])
    edges = [(0, 1, [(symbol, values, values)]) for symbol in ("<", "=")]
    found = compare(edges, np.array([3] * 3, dtype=np.uint64), np.zeros(3, dtype=np.int64), 1)
    assert found.rank[:, 0].tolist() == [1, 2, 2]
    assert found.bound.T.tolist() == [[0, 1, 1], [1, 2, 2]]


def test_large_integers_against_doubles() -> None:
    """No integer is rounded to a double first."""
    for integer, holds in ((2**60, True), (2**60 + 1, False), (2**60 - 1, False)):
        compared = ("=", pa.array([integer], pa.int64()), pa.array([2.0**60], pa.float64()))
        found = compare([(0, 1, [compared])], np.array([3], dtype=np.uint64), np.zeros(1, dtype=np.int64), 1)
        assert (found.rank[0, 0] == found.bound[0, 0] == 1) == holds

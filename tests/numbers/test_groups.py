"""Rows of equal values are numbered as sorting the different rows numbers them."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from cep_core.numbers.groups import group_rows

NUMBERS = st.one_of(st.integers(-2, 2), st.sampled_from([-(2**61), 2**61]))


@given(st.integers(1, 3).flatmap(lambda columns: st.lists(st.tuples(*[NUMBERS] * columns))), st.booleans())
def test_groups_are_in_the_order_of_the_columns(rows: list[tuple[int, ...]], ascending: bool) -> None:
    rows = sorted(rows) if ascending else rows
    columns = [np.array(column, np.int64) for column in zip(*rows, strict=True)] or [np.zeros(0, np.int64)]
    different = sorted(set(rows))
    groups, firsts = group_rows(columns)
    assert groups.tolist() == [different.index(row) for row in rows]
    assert firsts.tolist() == [rows.index(row) for row in different]
    assert groups.dtype == firsts.dtype == np.int64

"""The marked rows of a column are those that NumPy finds, however many there are."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from cep_core.candidates.marked_rows import NEARLY_NONE, marked, marked_rows


@given(st.lists(st.integers(0, 255), max_size=40), st.integers(0, 4 * NEARLY_NONE), st.integers(0, 3))
def test_marked_rows_are_those_of_numpy(some: list[int], others: int, begin: int) -> None:
    """With many rows that are not marked, with none, with all marked; of a part of a column, too."""
    column = np.array([*some, *[0] * others], np.uint8)[begin:]
    expected = np.flatnonzero(column)
    assert marked_rows(column != 0).tolist() == expected.tolist()
    rows, bytes = marked(column)
    if rows is None:
        assert column.all()
        rows = np.arange(len(column))
    assert rows.dtype == np.int64
    assert (rows.tolist(), bytes.tolist()) == (expected.tolist(), column[expected].tolist())
    assert column.tolist() == [*some, *[0] * others][begin:]

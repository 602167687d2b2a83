"""The tables of an interval, where they are made without a look at the stamps."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from cep_core.language.temporal.interval import ANY_TIME
from cep_core.monitoring.first_order.kernels.windows import next_runs, runs_of, window_tables
from cep_core.monitoring.first_order.operators.timeline import Timeline

UNBOUNDED = np.uint64(0), np.uint64(0), False


@given(st.lists(st.integers(-(2**62), 2**62), max_size=9).map(sorted), st.booleans())
def test_tables_of_all_the_past_are_those_of_any_interval(stamps: list[int], closing: bool) -> None:
    far = len(stamps) - 1 if closing else -1
    own = np.array(stamps, np.int64)
    earliest, latest, seeing = window_tables(own, far, UNBOUNDED)
    made = Timeline(own, far).window(ANY_TIME)
    expected = earliest, latest, next_runs(seeing), *runs_of(seeing)
    for table, wanted in zip((made.earliest, made.latest, *made.seeing), expected, strict=True):
        assert table.dtype == wanted.dtype
        assert table.tolist() == wanted.tolist()

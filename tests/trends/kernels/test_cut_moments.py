"""Kernels of cuts against their definitions."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from cep_core.trends.arrays.negated_walk import since_last
from cep_core.trends.arrays.window_vertices import list_windows


@given(st.lists(st.lists(st.tuples(st.integers(0, 4), st.booleans()), max_size=9), max_size=3))
def test_the_last_event_of_an_earlier_tick_cuts(partitions: list[list[tuple[int, bool]]]) -> None:
    """Of each vertex: the tick of the last cutting vertex with a smaller tick, else the partition's first vertex."""
    vertices = [vertex for own in partitions for vertex in sorted(own)]
    tick = np.array([at for at, _ in vertices], np.int64)
    ends = np.array([is_end for _, is_end in vertices], np.bool_)
    offsets = np.cumsum([0, *map(len, partitions)])
    expected = []
    for begin, stop in pairwise(offsets):
        for i in range(begin, stop):
            before = [tick[j] for j in range(begin, i) if ends[j] and tick[j] < tick[i]]
            expected.append(next((j for j in range(begin, stop) if before and tick[j] == before[-1]), begin))
    assert since_last(ends, tick, offsets).tolist() == expected


@given(
    st.lists(st.one_of(st.integers(-(2**62), 2**62 - 1), st.integers(-50, 50)), min_size=1, max_size=9),
    st.lists(st.tuples(st.integers(-50, 50), st.integers(-1, 1)), max_size=5),
    st.one_of(st.integers(1, 400), st.integers(2**40, 2**61)),
)
def test_windows_one_after_another_are_numbered_by_exact_quotients(
    moments: list[int], at_borders: list[tuple[int, int]], size: int
) -> None:
    """Also where a double cannot hold a moment, and beside borders."""
    borders = [k * size + beside for k, beside in at_borders]
    ts = np.array(sorted([*moments, *(moment for moment in borders if -(2**62) <= moment < 2**62)]), np.int64)
    windows = list_windows(ts, np.array([0, len(ts)]), size, size)
    assert windows.index.tolist() == sorted({moment // size for moment in ts.tolist()})


def test_a_product_below_its_quotient() -> None:
    """Of doubles, 49 * (1 / 49) is less than 1."""
    ts = np.array([48, 49, 98], np.int64)
    assert list_windows(ts, np.array([0, 3]), 49, 49).index.tolist() == [0, 1, 2]

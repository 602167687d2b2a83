"""The windows of a slice are those of the definition."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from cep_core.trends.arrays.window_vertices import list_windows

MOMENTS = st.lists(st.one_of(st.integers(-9, 9), st.integers(-9, 9).map(lambda k: 50 * k)), max_size=60)


@given(
    st.lists(MOMENTS, max_size=3),
    st.integers(1, 40),
    st.one_of(st.none(), st.integers(1, 60)),
    st.one_of(st.none(), st.tuples(st.integers(-60, 60), st.integers(0, 90)).map(lambda day: (day[0], sum(day)))),
)
def test_windows_are_those_that_hold_a_vertex(
    moments: list[list[int]], size: int, slide: int | None, days: tuple[int, int] | None
) -> None:
    """Also with gaps between windows, with long runs of vertices in one window, and with days that own only some.

    Without a slide they stand one after another.
    """
    slide = slide or size
    partitions = [sorted(part) for part in moments]
    ts = np.array([t for part in partitions for t in part], dtype=np.int64)
    offsets = np.cumsum([0, *map(len, partitions)])
    listed = list_windows(ts, offsets, size, slide, days)
    expected = []
    for number, (begin, part) in enumerate(zip(offsets.tolist(), partitions, strict=False)):
        for k in range((min(part, default=0) - size) // slide, max(part, default=0) // slide + 1):
            held = [begin + i for i, t in enumerate(part) if k * slide <= t < k * slide + size]
            if held and (days is None or days[0] <= k * slide + size - 1 < days[1]):
                expected.append((k, number, held[0], held[-1] + 1))
    of_window = (listed.index, listed.partition, listed.first[listed.range], listed.last[listed.range])
    assert list(zip(*(column.tolist() for column in of_window), strict=True)) == expected
    opens = [w for w, row in enumerate(expected) if w == 0 or row[1:] != expected[w - 1][1:]]
    assert listed.opener.tolist() == opens
    assert listed.ranges.partition.tolist() == [expected[w][1] for w in opens]

"""Log-time ranges (row S34): what they own, how far back they read, what they cost."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cep_core.language.evaluator import Reach
from cep_core.slicing import cut, read_from, shares_read
from cep_core.slicing.ranges import BEGINNING


def stepwise(moment: int, reach: Reach, stamps: list[int]) -> int:
    """The definition, one step at a time, over all integers that might matter."""
    assert reach.time is not None
    for _ in range(reach.points):
        earlier = [stamp for stamp in stamps if stamp < moment - reach.time]
        if not earlier:
            return BEGINNING
        moment = max(earlier)
    moment -= reach.time
    if reach.events:
        earlier = [stamp for stamp in stamps if stamp < moment]
        if len(earlier) < reach.events:
            return BEGINNING
        moment = min(moment, earlier[-reach.events])
    return moment


@given(
    st.lists(st.integers(0, 30), max_size=12).map(sorted),
    st.integers(0, 35),
    st.builds(Reach, st.integers(0, 6), st.integers(0, 3), st.integers(0, 3)),
)
@settings(deadline=None)
def test_reading_back_time_then_points_then_events(stamps: list[int], moment: int, reach: Reach) -> None:
    """docs/semantics.md 2: (T, n) is back T, one time-point, n times over, then T once more; then over events."""
    assert read_from(moment, reach, np.array(stamps, np.int64)) == stepwise(moment, reach, stamps)


def test_an_unbounded_past_reads_from_the_beginning() -> None:
    """Unbounded log time, or fewer time-points than the reach, reads everything."""
    assert read_from(5, Reach(time=None)) == BEGINNING
    assert read_from(5, Reach(points=1), np.array([5, 6])) == BEGINNING


def test_reaches_over_points_need_the_stamps() -> None:
    """Without the time-stamps such a reach cannot be resolved."""
    with pytest.raises(ValueError, match="time-stamps"):
        read_from(5, Reach(points=1))


@given(st.integers(-50, 50), st.integers(1, 60), st.integers(1, 9), st.integers(0, 20))
@settings(deadline=None)
def test_ranges_tile_the_interval(start: int, length: int, count: int, reach: int) -> None:
    """S34: adjacent, none empty, together exactly the interval; each reads back the reach."""
    count = min(count, length)
    ranges = cut((start, start + length), count, Reach(time=reach))
    edges = [start, *(range_.end for range_ in ranges)]
    assert [range_.start for range_ in ranges] == edges[:-1]
    assert edges[-1] == start + length
    assert all(range_.start < range_.end and range_.reads_from == range_.start - reach for range_ in ranges)


def test_more_ranges_than_moments_are_refused() -> None:
    """A range must own at least one moment."""
    with pytest.raises(ValueError, match="into 3 ranges"):
        cut((0, 2), 3, Reach())


@pytest.mark.parametrize(("reach", "count"), [(0, 4), (6, 4), (24, 2), (48, 24)])
def test_equal_ranges_read_equal_shares(reach: int, count: int) -> None:
    """docs/semantics.md 6: (D/r + R) / (D + R); counted in events where the stamps are known."""
    ranges = cut((0, 24), count, Reach(time=reach))
    expected = [(24 / count + reach) / (24 + reach)] * count
    assert shares_read(ranges) == pytest.approx(expected)
    even = np.repeat(np.arange(-reach, 24), 5)
    assert shares_read(ranges, even) == pytest.approx(expected)


def test_bursts_are_weighed() -> None:
    """With all events in one range, time ranges do not help, and the shares say so."""
    ranges = cut((0, 24), 4, Reach(time=1))
    assert shares_read(ranges, np.full(100, 3)).tolist() == [1.0, 0.0, 0.0, 0.0]
    assert shares_read(ranges, np.array([], np.int64)).tolist() == shares_read(ranges).tolist()


@given(st.lists(st.integers(-30, 30), min_size=1).map(sorted), st.integers(1, 24), st.integers(0, 40))
def test_shares_are_those_of_the_events_in_reach(stamps: list[int], count: int, reach: int) -> None:
    """Event by event; together they are the copies of an event."""
    ranges = cut((0, 24), count, Reach(time=reach))
    inside = [stamp for stamp in stamps if -reach <= stamp < 24]
    read = [sum(each.reads_from <= stamp < each.end for stamp in inside) for each in ranges]
    expected = [events / len(inside) for events in read] if inside and count > 1 else [1.0] * count
    assert shares_read(ranges, np.array(stamps)) == pytest.approx(expected)

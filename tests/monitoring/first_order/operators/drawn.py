"""Hypothesis strategies of stamps, intervals and satisfactions for the tests of operators."""

from __future__ import annotations

from hypothesis import strategies as st

from cep_core.events.schema import AttributeType
from cep_core.language.temporal.interval import Interval
from cep_core.monitoring.first_order.operators.timeline import Timeline
from tests.monitoring.first_order.valuations import Satisfactions, setting_of

POINTS = 9
ENDS = (-(2**63), -(2**63) + 2, -1, 0, 3, 2**63 - 2, 2**63 - 1)
VALUES = (-(2**63), 0, 2**63 - 1)
KINDS = dict.fromkeys("xyzw", AttributeType.INT)


@st.composite
def timelines(draw: st.DrawFn) -> Timeline:
    """Stamps close to each other, or at the ends of the integers; perhaps with a last point that is far."""
    near = st.integers(0, 12)
    stamps = sorted(
        draw(st.lists(draw(st.sampled_from([near, st.sampled_from(ENDS)])), min_size=POINTS, max_size=POINTS))
    )
    setting = setting_of({}, stamps)
    return Timeline(setting.stamps, draw(st.sampled_from([-1, POINTS - 1])))


@st.composite
def intervals(draw: st.DrawFn) -> Interval:
    low = draw(st.sampled_from([0, 0, 1, 2, 5, 2**63]))
    return Interval(low, draw(st.sampled_from([None, low, low + 1, low + 3, low + 8, low - 1, 2**64 - 1])))


def satisfactions_of(variables: str, dense: bool = False) -> st.SearchStrategy[Satisfactions]:
    """Sets of points and valuations; if `dense`, values are few, so that runs are long and rows meet."""
    value = st.just(0) if dense else st.sampled_from(VALUES)
    return st.sets(st.tuples(st.integers(0, POINTS - 1), st.tuples(*[value] * len(variables))), max_size=30)


def apart(line: Timeline, first: int, second: int) -> float:
    """The time between two points."""
    if first != second and line.far in (first, second):
        return float("inf")
    return abs(int(line.stamps[first]) - int(line.stamps[second]))


def within(line: Timeline, interval: Interval, first: int, second: int) -> bool:
    difference = apart(line, first, second)
    return interval.low <= difference and (interval.high is None or difference <= interval.high)

"""Past and future reach by operator, and of policies."""

from __future__ import annotations

import pytest

from cep_core.language.first_order.facts.reach import certain_after, reach_of
from tests.language.first_order.bound_policies import bound


@pytest.mark.parametrize(
    ("text", "time", "points", "after"),
    [
        ("P(x)", 0, 0, 0),
        ("ONCE[2,9] P(x)", 9, 0, 0),
        ("ONCE[0,9] ONCE[0,5] P(x)", 14, 0, 0),
        ("ONCE P(x)", None, 0, 0),
        ("PREV P(x)", 0, 1, 0),
        ("PREV[0,7] P(x)", 7, 0, 0),
        ("PREV PREV ONCE[0,3] P(x)", 3, 2, 0),
        ("P(x) SINCE[1,4] (PREV Q(x))", 4, 1, 0),
        ("NEXT[0,3] P(x)", 3, 0, 3),
        ("NEXT P(x)", None, 0, None),
        ("EVENTUALLY[2,5] P(x)", 5, 0, 5),
        ("P(x) UNTIL[0,5] (Q(x) UNTIL[2,6] P(x))", 11, 0, 11),
        ("PREV[3,10] EVENTUALLY[0,5] P(x)", 12, 0, 2),
        ("ONCE[8,9] EVENTUALLY[0,5] P(x)", 9, 0, 0),
        ("EVENTUALLY[0,5] ONCE[0,20] P(x)", 25, 0, 5),
        ("P(x) AND NOT ONCE[0,5] NOT Q(x)", 5, 0, 0),
        ("LET A(x) = ONCE[0,4] P(x) IN ONCE[0,3] A(y)", 7, 0, 0),
        ("LET A(x) = ONCE[0,4] P(x) IN Q(y)", 0, 0, 0),
        ("c <- CNT y ONCE[0,4] P(y)", 4, 0, 0),
        ("Q(x) AND ALWAYS[0,6] P(x)", 6, 0, 6),
    ],
)
def test_reach(text: str, time: int | None, points: int, after: int | None) -> None:
    policy = bound(text)
    reach = reach_of(policy)
    assert (reach.time, reach.points, reach.events) == (time, points, 0)
    assert certain_after(policy) == after


def test_points_of_sub_logs_bound_nothing() -> None:
    """The previous event of one aircraft may be a year ago, though the log had a point a second ago."""
    assert reach_of(bound("-- for each: x\nP(x) AND PREV[0,7] R(x, y)")).time == 7
    assert reach_of(bound("-- for each: x\nP(z) AND PREV P(z)")).time is None

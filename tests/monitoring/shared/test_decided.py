"""Which points are decided: the rules of `docs/semantics.md` 5, and every extension of small logs (F7, F8, S8)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cep_core.language.temporal.formulas import (
    Always,
    And,
    Eventually,
    Exists,
    Formula,
    Historically,
    Let,
    Next,
    Not,
    Once,
    Or,
    Predicate,
    Prev,
    Release,
    Since,
    Trigger,
    Truth,
    Until,
)
from cep_core.language.temporal.interval import ANY_TIME, Interval
from cep_core.language.temporal.walk import operands
from cep_core.monitoring.first_order.reference import satisfactions
from cep_core.monitoring.shared.decided import decided_points
from cep_core.testing.logs import Points, log_of
from tests.monitoring.first_order.writing import atom, conjunction, up_to

P, Q = Predicate("P"), Predicate("Q")
ENDS = [-(2**63), -(2**63) + 1, -1, 0, 1, 2**63 - 2, 2**63 - 1]


def decided(formula: Formula, stamps: Sequence[int], *, closed: bool = False) -> int:
    return decided_points(formula, np.array(stamps, np.int64), closed=closed)


@pytest.mark.parametrize(
    ("formula", "count"),
    [
        (P, 5),
        (Since(ANY_TIME, P, Q), 5),
        (Prev(ANY_TIME, Once(up_to(3), P)), 5),
        (Next(ANY_TIME, P), 4),
        (
            Next(up_to(0), Next(ANY_TIME, P)),
            4,
        ),  # the last gap is not in the interval; at the last point nothing is known
        (Next(ANY_TIME, Next(ANY_TIME, P)), 3),
        (Eventually(up_to(3), P), 3),  # 3 + 3 < 7, but 4 + 3 is not
        (Until(up_to(2, 1), P, Q), 4),
        (Eventually(ANY_TIME, P), 0),
        (Once(up_to(9, 4), Eventually(up_to(3), P)), 5),
        (Since(up_to(9, 4), Eventually(up_to(3), P), Q), 3),
        (Let("D", (), Next(ANY_TIME, P), And(Predicate("D"), Q)), 4),
        (Let("D", (), Next(ANY_TIME, P), Q), 5),
    ],
)
def test_examples(formula: Formula, count: int) -> None:
    stamps = [0, 3, 3, 4, 7]
    assert decided(formula, stamps) == count
    assert decided(formula, stamps, closed=True) == 5
    assert decided(formula, []) == 0


def star() -> Formula:
    past = Once(Interval(0, 9), atom("P", "a", "b"))
    return conjunction(past, atom("Q", "a", "c"), Eventually(Interval(0, 9), atom("R", "a", "d")))


def test_star_is_told_once_a_stamp_at_least_ten_later_is_in() -> None:
    """F8. The interval [0,10) is [0,9] in whole stamps."""
    assert [decided(star(), [5, 5, 14]), decided(star(), [5, 5, 15])] == [0, 2]


intervals = st.builds(
    lambda low, length: Interval(low, None if length is None else low + length),
    st.integers(0, 3),
    st.none() | st.integers(0, 4),
)
bounded = intervals.filter(lambda interval: interval.is_bounded)


def grown(parts: st.SearchStrategy[Formula]) -> st.SearchStrategy[Formula]:
    return st.one_of(
        st.builds(Not, parts),
        st.builds(And, parts, parts),
        st.builds(Or, parts, parts),
        st.builds(Prev, intervals, parts),
        st.builds(Next, intervals, parts),
        st.builds(Once, intervals, parts),
        st.builds(Historically, intervals, parts),
        st.builds(Since, intervals, parts, parts),
        st.builds(Trigger, intervals, parts, parts),
        st.builds(Eventually, bounded, parts),
        st.builds(Always, bounded, parts),
        st.builds(Until, bounded, parts, parts),
        st.builds(Release, bounded, parts, parts),
        st.builds(lambda definition, body: Let("P", (), definition, body), parts, parts),
        st.builds(lambda body: Exists(("x",), body), parts),
    )


formulas = st.recursive(st.sampled_from([P, Q, Truth(True)]), grown, max_leaves=4)


Scope = Mapping[str, tuple[Formula, "Scope"]]
"""The definitions of LETs by name, each with those that it sees itself."""


def by_rule(formula: Formula, stamps: Sequence[int], point: int, scope: Scope) -> bool:
    """The rules, word for word."""

    def known(part: Formula, places: Iterable[int]) -> bool:
        return all(by_rule(part, stamps, place, scope) for place in places)

    def apart(place: int) -> int:
        return abs(stamps[place] - stamps[point])

    parts = operands(formula)
    match formula:
        case Predicate():
            return formula.event_type not in scope or by_rule(
                scope[formula.event_type][0], stamps, point, scope[formula.event_type][1]
            )
        case Let():
            return by_rule(formula.body, stamps, point, {**scope, formula.name: (formula.definition, scope)})
        case Prev():
            return point == 0 or apart(point - 1) not in formula.interval or known(formula.body, [point - 1])
        case Next() if point + 1 == len(stamps):
            return False
        case Next():
            return apart(point + 1) not in formula.interval or known(formula.body, [point + 1])
        case Once() | Historically() | Since() | Trigger():
            reached = [place for place in range(point + 1) if apart(place) in formula.interval]
            after = range(reached[0] + 1, point + 1) if reached else []
            return known(parts[-1], reached) and (len(parts) == 1 or known(parts[0], after))
        case Eventually() | Always() | Until() | Release():
            high = formula.interval.high
            ahead = [place for place in range(point, len(stamps)) if high is not None and apart(place) <= high]
            return high is not None and point + len(ahead) < len(stamps) and all(known(part, ahead) for part in parts)
    return all(known(part, [point]) for part in parts)


stamp_lists = st.one_of(st.lists(st.integers(0, 9), max_size=7), st.lists(st.sampled_from(ENDS), max_size=5)).map(
    sorted
)


@given(formulas, stamp_lists)
def test_the_rules_are_followed_to_the_ends_of_stamps(formula: Formula, stamps: list[int]) -> None:
    flags = [by_rule(formula, stamps, point, {}) for point in range(len(stamps))]
    assert decided(formula, stamps) == (flags.index(False) if False in flags else len(flags))


def test_intervals_may_reach_further_than_all_stamps() -> None:
    stamps = [ENDS[0], ENDS[-1]]
    assert decided(Eventually(Interval(0, 2**64 - 2), P), stamps) == 1
    assert decided(Eventually(Interval(0, 2**64 - 1), P), stamps) == 0
    assert decided(Eventually(Interval(2**70, 2**71), P), stamps) == 0
    assert decided(Once(Interval(2**64 - 1, 2**70), Next(ANY_TIME, Next(ANY_TIME, P))), stamps) == 1
    assert decided(Once(Interval(2**70, None), Next(ANY_TIME, P)), stamps) == 2
    assert decided(Prev(Interval(2**64, None), Next(ANY_TIME, Next(ANY_TIME, P))), stamps) == 2


# ---------------------------------------------------------------- against extensions

events = st.sets(st.sampled_from("PQ")).map(lambda names: [(name,) for name in sorted(names)])
later = st.lists(st.tuples(st.integers(0, 6), events), max_size=3)


def at_stamps(first: int, points: Iterable[tuple[int, list[tuple[str]]]]) -> list[tuple[int, list[tuple[str]]]]:
    """Points from gaps."""
    stamps = accumulate((gap for gap, _ in points), initial=first)
    return [(stamp, names) for stamp, (_, names) in zip(list(stamps)[1:], points, strict=True)]


def points_before(formula: Formula, points: Points, count: int) -> set[int]:
    return {point for point, _ in satisfactions(formula, log_of(points)) if point < count}


@given(formulas, later, later, later)
def test_what_is_decided_holds_on_every_extension(
    formula: Formula,
    known: list[tuple[int, list[tuple[str]]]],
    later_first: list[tuple[int, list[tuple[str]]]],
    two: list[tuple[int, list[tuple[str]]]],
) -> None:
    """F7: what is reported of a prefix stays, whichever points follow."""
    prefix = at_stamps(0, known)
    last = prefix[-1][0] if prefix else 0
    count = decided(formula, [stamp for stamp, _ in prefix])
    first, second = ([*prefix, *at_stamps(last, points)] for points in (later_first, two))
    assert (
        points_before(formula, prefix, count)
        == points_before(formula, first, count)
        == points_before(formula, second, count)
    )
    assert count <= decided(formula, [stamp for stamp, _ in first])


@pytest.mark.parametrize(
    "formula",
    [
        P,
        Prev(up_to(2), P),
        Next(up_to(3, 1), P),
        Since(up_to(3, 1), P, Q),
        Eventually(up_to(2), P),
        Eventually(up_to(3, 2), P),
        Until(up_to(2, 1), P, Q),
        Until(up_to(0), P, Q),
        Always(up_to(2), P),
        Next(ANY_TIME, Eventually(up_to(1), P)),
        Since(up_to(3), Not(P), Next(ANY_TIME, Q)),
    ],
)
def test_no_undecided_point_could_be_told_earlier(formula: Formula) -> None:
    """F8: the first undecided point has a log with these stamps of which two extensions disagree there."""
    for gaps in product([0, 1, 3], repeat=2):
        stamps = [0, gaps[0], sum(gaps)]
        count = decided(formula, stamps)
        assert count == len(stamps) or any(disagree(formula, stamps, count, names) for names in product(SOME, repeat=3))


SOME: list[list[tuple[str]]] = [[("P",), ("Q",)], [("P",)], []]


def disagree(formula: Formula, stamps: list[int], point: int, names: Sequence[list[tuple[str]]]) -> bool:
    """Whether two extensions of a log have other verdicts at a point."""
    known = list(zip(stamps, names, strict=True))
    more = ([(gap, first), (1, second)] for gap in range(4) for first, second in product(SOME, repeat=2))
    verdicts = set()
    for points in more:
        verdicts.add(point in points_before(formula, [*known, *at_stamps(stamps[-1], points)], len(stamps)))
        if len(verdicts) == 2:
            return True
    return False


def test_one_slice_tells_no_more_than_the_log() -> None:
    """S8: P(x) AND EVENTUALLY[0,5] Q(x). Told as soon as its Q comes, x = 1 would be early in the whole log alone."""
    formula = And(atom("P", "x"), Eventually(up_to(5), atom("Q", "x")))
    log: Points = [(0, [("P", 1), ("P", 2)]), (1, [("Q", 1)])]
    slices: list[Points] = [[(0, [("P", 1)]), (1, [("Q", 1)])], [(0, [("P", 2)]), (1, [])]]
    assert {decided(formula, [stamp for stamp, _ in points]) for points in [log, *slices]} == {0}

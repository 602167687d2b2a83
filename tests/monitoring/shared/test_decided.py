"""Which points are decided: the rules of `docs/semantics.md` 5, and every extension of small logs (F7, F8, S8)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

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
from tests.monitoring.first_order.writing import atom, both, up_to, without

P, Q, R = Predicate("P"), Predicate("Q"), Predicate("R")
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
        (Next(up_to(0), Next(ANY_TIME, P)), 4),  # the last gap is not in the interval; at the last point nothing is known
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
    return both(past, atom("Q", "a", "c"), Eventually(Interval(0, 9), atom("R", "a", "d")))


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
gaps = st.lists(st.integers(0, 4), min_size=1, max_size=6)


def by_rule(formula: Formula, stamps: Sequence[int], point: int, definitions: dict[str, Formula]) -> bool:
    """The rules, word for word. LETs are looked up by name; these formulas name each of them apart."""
    if isinstance(formula, Predicate):
        return formula.event_type not in definitions or by_rule(
            definitions[formula.event_type], stamps, point, {}
        )
    if isinstance(formula, Let):
        return by_rule(formula.body, stamps, point, {formula.name: formula.definition})

    def known(part: Formula, places: Sequence[int]) -> bool:
        return all(by_rule(part, stamps, place, definitions) for place in places)

    parts = operands(formula)
    match formula:
        case Prev():
            inside = point > 0 and stamps[point] - stamps[point - 1] in formula.interval
            return not inside or known(formula.body, [point - 1])
        case Next():
            if point + 1 == len(stamps):
                return False
            return stamps[point + 1] - stamps[point] not in formula.interval or known(formula.body, [point + 1])
        case Once() | Historically() | Since() | Trigger():
            reached = [place for place in range(point + 1) if stamps[point] - stamps[place] in formula.interval]
            after = range(reached[0] + 1, point + 1) if reached else []
            return known(parts[-1], reached) and (len(parts) == 1 or known(parts[0], after))
        case Eventually() | Always() | Until() | Release():
            last = formula.interval.high
            ahead = [] if last is None else [k for k in range(point, len(stamps)) if stamps[k] - stamps[point] <= last]
            return last is not None and point + len(ahead) < len(stamps) and all(known(part, ahead) for part in parts)
    return all(by_rule(part, stamps, point, definitions) for part in parts)


@given(formulas, st.one_of(st.lists(st.integers(0, 9), max_size=7), st.lists(st.sampled_from(ENDS), max_size=5)))
def test_the_rules_are_followed_to_the_ends_of_stamps(formula: Formula, times: list[int]) -> None:
    formula = without_nested_lets(formula)
    stamps = sorted(times)
    flags = [by_rule(formula, stamps, point, {}) for point in range(len(stamps))]
    assert decided(formula, stamps) == (flags.index(False) if False in flags else len(flags))


def without_nested_lets(formula: Formula) -> Formula:
    from cep_core.language.temporal.walk import with_operands

    if isinstance(formula, Let):
        return Let("D", (), bare(formula.definition), bare(formula.body))
    return with_operands(formula, without_nested_lets)


def bare(formula: Formula) -> Formula:
    from cep_core.language.temporal.walk import with_operands

    return bare(formula.body) if isinstance(formula, Let) else with_operands(formula, bare)

"""The propositional reference on examples that were worked out by hand."""

from __future__ import annotations

import pytest

from cep_core.language.temporal.formulas import (
    Always,
    Equiv,
    Eventually,
    Exists,
    Formula,
    Historically,
    Implies,
    Next,
    Not,
    Once,
    Predicate,
    Prev,
    Release,
    Since,
    Trigger,
    Truth,
    Until,
)
from cep_core.language.temporal.interval import ANY_TIME, Interval
from cep_core.monitoring.propositional.reference import truth
from cep_core.testing.traces import trace_of_points

P, Q = Predicate("p"), Predicate("q")
# Two points at 1, an empty one at 4, one at 9.
LOG = [(1, "p"), (1, "q"), (4, ""), (9, "p")]

EXAMPLES: list[tuple[Formula, str]] = [
    (P, "1001"),
    (Truth(True), "1111"),
    (Implies(P, Q), "0110"),
    (Equiv(P, Q), "0010"),
    # The time between neighbours counts; the empty point after the log is beyond every finite interval.
    (Prev(ANY_TIME, P), "0100"),
    (Prev(Interval(1), P), "0000"),
    (Prev(Interval(3, 3), Q), "0010"),
    (Next(Interval(0, 0), Q), "1000"),
    (Next(Interval(5, 7), P), "0010"),
    (Next(Interval(5), Not(P)), "0001"),
    (Next(Interval(5, 10**30), Not(P)), "0000"),
    (Once(Interval(3, 8), P), "0011"),
    (Once(Interval(4, 7), P), "0000"),
    (Historically(Interval(0, 3), Not(P)), "0000"),
    (Historically(Interval(1, 5), Not(P)), "1101"),
    (Eventually(Interval(0, 0), Q), "1100"),
    (Eventually(Interval(5, 8), P), "1110"),
    (Eventually(ANY_TIME, Not(P)), "1111"),
    (Always(Interval(0, 4), P), "0001"),
    (Always(Interval(1, 4), Not(P)), "1111"),
    (Since(ANY_TIME, Not(P), Q), "0110"),
    (Since(Interval(1), Not(P), Q), "0010"),
    (Until(Interval(0, 8), Not(Q), P), "1011"),
    (Until(Interval(1, 8), Not(Q), P), "0010"),
    (Until(Interval(1), Not(Q), Not(P)), "0011"),
    (Trigger(ANY_TIME, P, Not(Q)), "1001"),
    (Release(Interval(0, 3), Q, Not(Q)), "0011"),
]


@pytest.mark.parametrize(("formula", "expected"), EXAMPLES, ids=str)
def test_a_formula_at_each_point(formula: Formula, expected: str) -> None:
    assert "".join(str(int(holds)) for holds in truth(formula, trace_of_points(LOG))) == expected


def test_sub_logs_know_nothing_of_each_other() -> None:
    trace = trace_of_points([(5, "p")], [(5, "q"), (6, "")], [], [(1, "p")])
    assert truth(Once(ANY_TIME, P), trace).tolist() == [True, False, False, True]
    assert truth(Eventually(ANY_TIME, Q), trace).tolist() == [False, True, False, False]


def test_an_operator_of_first_order_policies_is_refused() -> None:
    with pytest.raises(TypeError, match="Exists is no part of a propositional formula"):
        truth(Exists(("x",), P), trace_of_points(LOG))

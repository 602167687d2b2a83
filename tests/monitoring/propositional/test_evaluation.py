"""The whole-log engine says what the definition says, on random formulas and traces (M2)."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from cep_core.language.temporal.formulas import Formula, Historically, Once, Predicate, Since
from cep_core.language.temporal.interval import Interval
from cep_core.monitoring.propositional.arrays.trace import Trace
from cep_core.monitoring.propositional.evaluation import truths, truths_of
from cep_core.monitoring.propositional.reference import truth
from cep_core.testing.propositional_formulas import propositional_formulas
from cep_core.testing.traces import drawn_traces, trace_of_points


@given(propositional_formulas(unbounded_future=True), drawn_traces(logs=3))
def test_the_engine_says_what_the_definition_says(formula: Formula, trace: Trace) -> None:
    assert truths(formula, trace).tolist() == truth(formula, trace).tolist()


@given(propositional_formulas(depth=2, unbounded_future=True), drawn_traces(ends=True, stamps=30, rate=1, logs=2))
def test_and_with_many_stamps_at_both_ends_of_time(formula: Formula, trace: Trace) -> None:
    assert truths(formula, trace).tolist() == truth(formula, trace).tolist()


NANOSECONDS = 10**18
P, Q = Predicate("p"), Predicate("q")


def test_sub_logs_whose_times_do_not_fit_together_are_evaluated_in_parts() -> None:
    log = [(-1 * NANOSECONDS, "p"), (0, "q"), (0, "pq"), (2 * NANOSECONDS, "r")]
    trace = trace_of_points(*[log] * 20, [], log[1:])
    formula = Since(Interval(2 * NANOSECONDS, 3 * NANOSECONDS), Predicate("q"), P)
    assert truths(formula, trace).tolist() == truth(formula, trace).tolist()
    soon = truths(Once(Interval(0, 2 * NANOSECONDS - 1), P), trace)
    assert soon.tolist() == [*[True, True, True, False] * 20, False, True, False]


def test_a_log_longer_than_64_bits_together_with_an_interval_is_refused() -> None:
    trace = trace_of_points([(-(2**63), "p"), (2**63 - 1, "q")])
    assert truths(Once(Interval(0, 2**32), P), trace).tolist() == [True, False]
    with pytest.raises(ValueError, match="an interval reaches over 9223372036854775808 units of time"):
        truths(Once(Interval(0, 2**63), P), trace)


def test_several_formulas_share_a_trace() -> None:
    trace = trace_of_points([(1, "p"), (2, "q")], [(1, "q")])
    truths = truths_of([P, Once(Interval(1, 1), P)], trace)
    np.testing.assert_array_equal(truths, [[True, False, False], [False, True, False]])


def test_a_formula_with_sugar_is_refused() -> None:
    with pytest.raises(TypeError, match="Historically is no operator of a propositional policy"):
        truths(Historically(Interval(0, 1), P), trace_of_points([(1, "p")]))

"""Laws of propositional policies: one-step recursion, what the future can change, and the first-order engine."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, event, given
from hypothesis import strategies as st

from cep_core.events.logs.point_log import PointLog, TypedEvents
from cep_core.language.temporal.formulas import Formula, Since, Until
from cep_core.language.temporal.interval import Interval
from cep_core.language.temporal.reach import future_reach
from cep_core.language.temporal.sugar import without_sugar
from cep_core.monitoring.first_order.evaluation import satisfied
from cep_core.monitoring.propositional.arrays.trace import Bits, Trace
from cep_core.monitoring.propositional.evaluation import truths, truths_of
from cep_core.testing.formulas import bounded_intervals, intervals
from cep_core.testing.propositional_formulas import propositional_formulas
from cep_core.testing.traces import drawn_traces

simple = propositional_formulas(depth=1)


def later(interval: Interval, time: int) -> Interval | None:
    """The interval as seen some time later; None if it has passed."""
    if interval.high is not None and time > interval.high:
        return None
    return Interval(max(0, interval.low - time), None if interval.high is None else interval.high - time)


@pytest.mark.parametrize("operator", [Since, Until])
@given(data=st.data())
def test_one_step_recursion(operator: type[Since] | type[Until], data: st.DataObject) -> None:
    """M3: at a neighbour the interval is shifted by the time between the points, cut at 0."""
    interval = data.draw(intervals if operator is Since else bounded_intervals)
    left, right = data.draw(simple), data.draw(simple)
    trace = data.draw(drawn_traces())
    whole, along, here = truths_of([operator(interval, left, right), left, right], trace)
    back = operator is Since
    for i in range(1, trace.points) if back else range(trace.points - 1):
        neighbour = i - 1 if back else i + 1
        shifted = later(interval, abs(int(trace.stamps[neighbour] - trace.stamps[i])))
        beyond = shifted is not None and along[i] and truths(operator(shifted, left, right), trace)[neighbour]
        assert whole[i] == ((0 in interval and here[i]) or beyond)


@given(propositional_formulas(depth=3), drawn_traces(rate=2), st.data())
def test_events_after_the_future_reach_do_not_matter(formula: Formula, trace: Trace, data: st.DataObject) -> None:
    """M5: points up to a stamp decide all verdicts whose reach ends there, whatever follows."""
    assume(trace.points)
    reach = future_reach(formula)
    assert reach is not None
    known = int(data.draw(st.sampled_from(trace.stamps.tolist())))
    end = int(np.searchsorted(trace.stamps, known, side="right"))
    tail = data.draw(drawn_traces(rate=2))
    stamps = tail.stamps - tail.stamps[:1] + known + 1 if tail.points else tail.stamps
    changed = Trace(
        np.concatenate([trace.stamps[:end], stamps]),
        {name: np.concatenate([holds[:end], tail.atoms[name]]) for name, holds in trace.atoms.items()},
        np.array([0, end + tail.points]),
    )
    sure = np.flatnonzero(trace.stamps[:end] + reach <= known)
    event("some verdicts are sure" if len(sure) else "no verdict is sure")
    assert truths(formula, trace)[sure].tolist() == truths(formula, changed)[sure].tolist()


def point_log(trace: Trace) -> PointLog:
    """The events of a trace: types without attributes."""
    return PointLog(trace.stamps, {name: TypedEvents(np.flatnonzero(of), {}) for name, of in trace.atoms.items()})


def first_order_truths(formula: Formula, trace: Trace) -> Bits:
    """Where the first-order engine says that a closed formula holds."""
    relation, _ = satisfied(formula, point_log(trace), {})
    assert relation.variables == ()
    holds = np.zeros(trace.points, np.bool_)
    for begin, end in zip(relation.begin, relation.end, strict=True):
        holds[begin:end] = True
    return holds


@given(propositional_formulas(sugar=True), drawn_traces(rate=2))
def test_the_first_order_engine_says_the_same_of_events_without_attributes(formula: Formula, trace: Trace) -> None:
    core = without_sugar(formula)
    assert first_order_truths(core, trace).tolist() == truths(core, trace).tolist()

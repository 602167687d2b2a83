"""The kernels on traces of several words: runs that cross words, borders inside words, dense and sparse columns."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from cep_core.language.temporal.formulas import Eventually, Formula, Next, Not, Once, Predicate, Prev, Since, Until
from cep_core.language.temporal.interval import Interval
from cep_core.monitoring.propositional.arrays.trace import Trace
from cep_core.monitoring.propositional.evaluation import truths
from cep_core.monitoring.propositional.reference import truth

P, Q = Predicate("p"), Predicate("q")
INTERVALS = st.builds(
    lambda low, length: Interval(low, None if length is None else low + length),
    st.sampled_from([0, 0, 1, 5, 40]),
    st.sampled_from([None, 0, 3, 30, 200]),
)
OPERATORS: dict[str, Callable[[Interval], Formula]] = {
    "since": lambda interval: Since(interval, P, Q),
    "until": lambda interval: Until(interval, P, Q),
    "once": lambda interval: Once(interval, Q),
    "eventually": lambda interval: Eventually(interval, Q),
    "previous": lambda interval: Prev(interval, Not(Q)),
    "next": lambda interval: Next(interval, Not(Q)),
}


@st.composite
def long_traces(draw: st.DrawFn) -> Trace:
    """About 300 points of 1 to 40 sub-logs, some without points."""
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    shares = draw(st.tuples(st.sampled_from([0.9, 0.5, 0.99, 1.0]), st.sampled_from([0.1, 0.5, 0.01])))
    points = draw(st.sampled_from([300, 63, 64, 127]))
    logs = draw(st.sampled_from([1, 2, 40]))
    gaps = random.choice(draw(st.sampled_from([[0, 1], [0, 0, 0, 1], [1, 2, 100]])), points)
    borders = np.sort(random.integers(0, points + 1, logs - 1))
    starts = np.concatenate([[0], borders, [points]]).astype(np.int64)
    gaps[starts[:-1][starts[:-1] < points]] -= 1000  # stamps begin anew
    atoms = {name: random.random(points) < share for name, share in zip("pq", shares, strict=True)}
    return Trace(np.cumsum(gaps), atoms, starts)


@pytest.mark.parametrize("operator", OPERATORS.values(), ids=OPERATORS)
@given(interval=INTERVALS, trace=long_traces())
def test_an_operator_over_several_words(
    operator: Callable[[Interval], Formula], interval: Interval, trace: Trace
) -> None:
    formula = operator(interval)
    holds = truths(formula, trace)
    event("differs" if 0 < holds.sum() < len(holds) else "the same everywhere")
    assert holds.tolist() == truth(formula, trace).tolist()

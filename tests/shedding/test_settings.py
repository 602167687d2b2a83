"""With what a machine is tried: loads over the busiest span as well as over the interval, and bounds."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from cep_core.shedding.arrays.clock import arrivals
from cep_core.shedding.replaying import Experiment
from cep_core.shedding.shedders.pspice import PSpice
from tests.shedding.test_replaying import scenario_of
from tests.shedding.worlds import planted


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32), st.integers(1, 200))
def test_the_busiest_span_is_the_one_with_the_most_work(seed: int, span: int) -> None:
    """Against every span of that length that begins at a moment of the interval."""
    experiment = Experiment(scenario_of(seed, 60))
    scenario = experiment.scenario
    begin, end, busy = experiment.busiest(span)
    work = experiment.unshed.account.work

    def worked(since: int, until: int) -> int:
        return int(work[(scenario.ts >= since) & (scenario.ts < until)].sum())

    whole = scenario.end - scenario.begin
    assert scenario.begin <= begin < end <= scenario.end
    assert end - begin == min(span, whole)
    last = max(scenario.begin, scenario.end - span)
    assert worked(begin, end) == max(worked(b, b + span) for b in range(scenario.begin, last + 1))
    assert np.isclose(busy, worked(begin, end) / (end - begin) / (experiment.cost / whole))


def test_nothing_to_do_is_busiest_as_a_whole() -> None:
    """Without events, and over a span that is as long as the interval."""
    experiment = Experiment(replace(planted(1, 400), begin=400, end=500))
    assert experiment.busiest(10) == (400, 500, 1.0)
    whole = Experiment(planted(1, 400))
    assert whole.busiest(200) == whole.busiest(10_000) == (200, 400, 1.0)


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 2**32), st.sampled_from([10, 60, 200]))
def test_a_swept_bound_is_a_scenario_with_that_bound(seed: int, bound: int) -> None:
    """One model and one unshed run serve all bounds; the buffer keeps its proportion."""
    scenario = replace(scenario_of(seed, 150), bound=100, buffer=10)
    swept = Experiment(scenario).measure(PSpice(), 2.0, bound=bound)
    alone = Experiment(replace(scenario, bound=bound, buffer=bound // 10)).measure(PSpice(), 2.0)
    assert (swept.bound, swept.quality, swept.retrained) == (bound, alone.quality, alone.retrained)
    assert np.array_equal(swept.run.account.latency, alone.run.account.latency)


def test_a_load_over_the_busiest_span_is_a_load_over_the_interval() -> None:
    """Load 1 over a span: what arrives in it is its work."""
    experiment = Experiment(planted(3, 2_000))
    begin, end, busy = experiment.busiest(300)
    scenario = experiment.scenario
    arrival = arrivals(np.array([begin, end]), scenario.begin, scenario.end, experiment.cost, 1 / busy)
    inside = (scenario.ts >= begin) & (scenario.ts < end)
    assert abs(int(np.diff(arrival)[0]) - int(experiment.unshed.account.work[inside].sum())) <= 2

"""The bound of latencies: nothing is dropped below it, and it holds whenever the model's assumptions do."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from cep_core.shedding.arrays.costs import Costs, uniform_costs
from cep_core.shedding.arrays.rules import CHANCE, LOWEST, Rules, guarded
from cep_core.shedding.arrays.stream import Stream, stream_of
from cep_core.shedding.model.overload import Detector
from cep_core.shedding.model.regression import CONSTANT, LINEAR, Latency
from cep_core.shedding.operator_run import OperatorRun
from cep_core.shedding.replaying import Experiment
from cep_core.shedding.shedders.pspice import PSpice
from cep_core.shedding.shedders.trend_counts import TrendCounts
from tests.shedding.drawing import draw_world
from tests.shedding.worlds import planted, sequence


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32), st.integers(10, 60), st.sampled_from([2, 4, 9]))
def test_nothing_is_dropped_while_latency_stays_below_the_bound(seed, count, gap):
    """With exact f and g: a stream whose unshed latency, shedding's own included, stays below LB - b_s."""
    rng = np.random.default_rng(seed)
    letters = rng.choice(list("ABC"), count)
    costs = Costs(((3, 3),), event=2)
    stream = stream_of([sequence(letters, "AB", 8)], np.arange(count), costs)
    arrival = np.cumsum(rng.integers(0, 2 * gap, count))
    unshed = OperatorRun(stream, arrival)
    unshed.advance(count)
    meeting = unshed.account.met > 0
    assume(meeting.any())
    highest = int(unshed.account.latency[meeting].max())
    f, g = Latency(LINEAR, 2.0, 3.0), Latency(CONSTANT, 4.0, 0.0)
    detector = Detector(highest + 4 + 5, f, g, buffer=5)
    table = np.ones(2 * 3)
    rules = guarded(detector, LOWEST, 0)._replace(
        gain=table, price=table, table_at=np.array([0, 6]), bin=np.array([1]), rate=np.array([1.0])
    )
    run = OperatorRun(stream, arrival)
    run.advance(count, rules)
    assert run.account.dropped.sum() == 0
    tighter = OperatorRun(stream, arrival)
    tighter.advance(count, rules._replace(bound=highest + 4 + 4))
    assert tighter.account.dropped.sum() > 0, "and the bound is where it begins"


def evenly_priced(seed: int, count: int) -> tuple[Stream, Rules]:
    """Any patterns, every partial match costing 3, every event 2, shedding and windows nothing: f is exact, g is 0."""
    world = draw_world(seed, count)
    states = [pattern.machine.states for pattern in world.patterns]
    stream = stream_of(world.patterns, world.ts, uniform_costs(states, 3, event=2), ordered=world.ordered)
    rng, sizes = np.random.default_rng(seed), 4 * np.array(states)
    rules = guarded(Detector(0, Latency(LINEAR, 2.0, 3.0), Latency(CONSTANT, 0.0, 0.0)), LOWEST, 0)._replace(
        gain=rng.random(sizes.sum()),
        price=1 + rng.random(sizes.sum()),
        table_at=np.cumsum([0, *sizes]),
        bin=np.full(len(states), 3),
        rate=np.full(len(states), 0.7),
    )
    return stream, rules


@settings(max_examples=80, deadline=None)
@given(st.integers(0, 2**32), st.integers(1, 50), st.integers(1, 20))
def test_nothing_is_dropped_from_any_patterns_below_the_bound(seed, count, gap):
    """And something is at the bound."""
    stream, rules = evenly_priced(seed, count)
    arrival = np.cumsum(np.random.default_rng(seed).integers(0, 2 * gap, count))
    unshed = OperatorRun(stream, arrival)
    unshed.advance(count)
    account = unshed.account
    for everywhere in (True, False):
        known = account.held if everywhere else account.met
        assume((known > 0).any())
        foreseen = account.latency - account.work + 2 + 3 * known
        highest = int(foreseen[known > 0].max())
        for kind in (LOWEST, CHANCE):
            run = OperatorRun(stream, arrival)
            run.advance(count, rules._replace(bound=highest + 5, buffer=5, kind=kind, everywhere=everywhere))
            assert run.account.dropped.sum() == 0
        tighter = OperatorRun(stream, arrival)
        tighter.advance(count, rules._replace(bound=highest + 4, buffer=5, everywhere=everywhere))
        assert tighter.account.asked.sum() > 0
        assert tighter.account.dropped.sum() > 0


@settings(max_examples=80, deadline=None)
@given(st.integers(0, 2**32), st.integers(1, 50), st.integers(2, 60), st.integers(0, 6), st.booleans())
def test_bound_holds_for_any_patterns_whenever_the_models_assumptions_do(seed, count, bound, slack, everywhere):
    """f is no less than an event costs, g exact, and events alone keep up: each arrives when the one before is done."""
    stream, rules = evenly_priced(seed, count)
    arrival = np.cumsum(2 + np.random.default_rng(seed).integers(0, slack + 1, count))
    run = OperatorRun(stream, arrival)
    run.advance(count, rules._replace(bound=bound, everywhere=everywhere))
    assert run.account.latency.max() <= bound


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32), st.sampled_from([1.2, 1.6, 2.5]))
def test_bound_holds_whenever_the_models_assumptions_do(seed, load):
    """Equal costs, so that f and g are exact, and events that alone do not overload the operator."""
    experiment = Experiment(planted(seed, 2_000, per_match=50))
    for shedder in (PSpice(), PSpice(timeless=True), TrendCounts(), experiment.look_ahead, experiment.clairvoyant):
        assert experiment.model.held.processing == Latency(LINEAR, 20.0, 50.0)
        measured = experiment.measure(shedder, load)
        assert measured.quality.latencies[-1] <= experiment.scenario.bound
        assert measured.quality.late == 0


def test_l14_violations_fall_as_the_buffer_grows():
    """Costs differ by state, which f does not know, and the rate jumps."""
    late = []
    for buffer in (0, 2_000, 6_000, 12_000):
        scenario = planted(4, 6_000)
        scenario = replace(scenario, costs=Costs(((20, 80, 320),), event=20, lookup=1, drop=1), buffer=buffer)
        late.append(Experiment(scenario).measure(PSpice(), 2.0).quality.late)
    assert late[0] > 0
    assert late == sorted(late, reverse=True)
    assert late[-1] < late[0] / 2

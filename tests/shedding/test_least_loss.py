"""The least loss: no strategy that drops partial matches loses less, and it is not far from what one loses."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cep_core.shedding.arrays.rules import RECORD
from cep_core.shedding.arrays.stream import stream_of
from cep_core.shedding.hindsight.clairvoyance import Clairvoyance
from cep_core.shedding.hindsight.least_loss import busy_periods
from cep_core.shedding.operator_run import OperatorRun
from cep_core.shedding.replaying import Experiment, Scenario
from cep_core.shedding.shedders.chance import ByChance
from cep_core.shedding.shedders.nothing import Nothing
from cep_core.shedding.shedders.partition import ByPartition
from cep_core.shedding.shedders.pspice import PSpice
from cep_core.shedding.shedders.trend_counts import TrendCounts
from tests.shedding.drawing import draw_world
from tests.shedding.worlds import planted

STRATEGIES = (
    Nothing(),
    PSpice(),
    PSpice(timeless=True),
    ByPartition(),
    ByPartition(ByChance()),
    ByChance(),
    TrendCounts(),
    ByPartition(TrendCounts()),
)
"""All that drop partial matches."""


def drawn(seed: int, count: int, bound: int) -> Experiment:
    world = draw_world(seed, count)
    begin, end = int(world.ts[count // 3]), int(world.ts[-1]) + 1
    kind = np.zeros(count, np.int64)
    return Experiment(Scenario(world.patterns, world.ts, begin, end, world.costs, kind, bound, ordered=world.ordered))


def assert_none_loses_less(experiment: Experiment, load: float, bound: int) -> None:
    """Whoever was late had a looser bound: the latest answer's."""
    for shedder in (*STRATEGIES, experiment.look_ahead, experiment.clairvoyant):
        quality = experiment.measure(shedder, load, 3, bound=bound).quality
        kept = max(bound, quality.latencies[-1])
        assert quality.lost >= experiment.least_lost(load, bound=kept) - 1e-12, shedder.name


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32), st.integers(6, 60), st.integers(4, 80), st.sampled_from([1.1, 1.5, 2.0, 4.0]))
def test_no_strategy_loses_less(seed, count, bound, load):
    assert_none_loses_less(drawn(seed, count, bound), load, bound)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**32), st.sampled_from([1.2, 2.0, 4.0, 8.0]), st.sampled_from([4_000, 20_000]))
def test_no_strategy_loses_less_on_a_planted_chain(seed, load, bound):
    """Long enough that the bound says something."""
    assert_none_loses_less(Experiment(planted(seed, 2_000, alphabet="ABCD")), load, bound)


def test_the_least_loss_says_something():
    """Nothing where useful work alone fits, much of what the clairvoyant loses where it does not."""
    experiment = Experiment(planted(3, 4_000, alphabet="ABCD", size=20))
    lost = [
        (experiment.least_lost(load), experiment.measure(experiment.clairvoyant, load).quality.lost)
        for load in (1.05, 2.0, 4.0, 8.0)
    ]
    assert lost[0] == (0.0, 0.0)
    assert [least for least, _ in lost] == sorted(least for least, _ in lost)
    assert lost[-1][0] > 0.5 * lost[-1][1] > 0.1


def test_the_clairvoyant_loses_little_more_where_useful_work_is_too_much():
    """And keeps the bound; greedy look-ahead, which waits until the bound is in danger, loses more."""
    experiment = Experiment(planted(3, 4_000, alphabet="ABCD", size=20))
    clairvoyant, greedy = (
        experiment.measure(each, 2.0).quality for each in (experiment.clairvoyant, experiment.look_ahead)
    )
    assert clairvoyant.late == 0
    assert experiment.least_lost(2.0) <= clairvoyant.lost < greedy.lost


def test_what_is_not_wanted_needs_no_work():
    """Without any match nothing is useful; with those of one pattern only its partial matches are."""
    experiment = drawn(5, 60, 40)
    known = experiment.clairvoyant.known
    assert known.worth.sum() > 0
    none = known.keeping(np.zeros(len(known.match_pattern), np.bool_))
    assert none.worth.sum() == none.work.sum() == 0
    every = known.keeping(np.ones(len(known.match_pattern), np.bool_))
    assert every.work.tolist() == known.work.tolist()


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32), st.integers(1, 40), st.integers(0, 40))
def test_shares_add_up_to_the_useful_work(seed, count, stop):
    """Of a whole run and of any part of it; useful work is what the clairvoyant does."""
    world = draw_world(seed, count)
    stream = stream_of(world.patterns, world.ts, world.costs, ordered=world.ordered)
    whole, part = (OperatorRun(stream, np.zeros(count, np.int64), tracked=RECORD) for _ in range(2))
    whole.advance(count)
    part.advance(min(stop, count))
    known = Clairvoyance(whole)
    spent = part.spent_by_node()
    until = np.concatenate([spent, np.zeros(known.nodes - len(spent), np.int64)])
    nothing, everything = np.zeros(known.nodes, np.int64), whole.spent_by_node()
    early, late = known.shares(nothing, until), known.shares(until, everything)
    assert early.sum() == pytest.approx(np.minimum(until, known.useful).sum())
    assert (early + late).sum() == pytest.approx(known.useful.sum())
    assert np.allclose(early + late, known.shares(nothing, everything))


def test_a_busy_period_ends_with_its_latest_event():
    """Idle in between: two periods, of which the second is in time."""
    arrival = np.array([0, 0, 0, 100, 101])
    fixed, useful = np.full(5, 1), np.array([9, 9, 9, 9, 1])
    [period] = busy_periods(arrival, fixed, useful, 0, 20)
    assert (period.first, period.last, period.room) == (0, 2, 20 - 3)
    assert busy_periods(arrival, fixed, useful, 0, 30) == []
    assert [(p.first, p.last) for p in busy_periods(arrival, fixed, useful, 0, 9)] == [(0, 2), (3, 4)]

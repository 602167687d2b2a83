"""Whole experiments: what shedding loses, how it is trained, and that a run is a function of its seed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cep_core.language.patterns.query import Strategy
from cep_core.shedding.arrays.clock import arrivals
from cep_core.shedding.arrays.costs import Costs, uniform_costs
from cep_core.shedding.arrays.open_windows import WindowSpec
from cep_core.shedding.arrays.rules import WITHOUT
from cep_core.shedding.arrays.stream import Offered, stream_of
from cep_core.shedding.machine import Machine, Start
from cep_core.shedding.operator_run import OperatorRun
from cep_core.shedding.replaying import Experiment, Scenario
from cep_core.shedding.result_quality import quality_of
from cep_core.shedding.shedders.chance import ByChance
from cep_core.shedding.shedders.events import Events
from cep_core.shedding.shedders.nothing import Nothing
from cep_core.shedding.shedders.partition import ByPartition
from cep_core.shedding.shedders.pspice import PSpice
from cep_core.shedding.shedders.trend_counts import TrendCounts
from tests.shedding.drawing import draw_world
from tests.shedding.worlds import planted, sequence

SHEDDERS = (PSpice(), PSpice(timeless=True), ByPartition(), ByChance(), TrendCounts())


def test_l04_weighted_false_negatives():
    """Two patterns of weights 3 and 1; the shed run loses one match of the first and two of the second."""
    letters = np.array(list("ABABAB"))
    patterns = [sequence(letters, "AB", 3, weight=3.0), sequence(letters, "B", 3)]
    stream = stream_of(patterns, np.arange(6), uniform_costs([3, 2], 1))
    whole, part = OperatorRun(stream, np.arange(6)), OperatorRun(stream, np.arange(6))
    whole.advance(6)
    # Only the first two events: matches AB and B of three each.
    part.advance(2)
    quality = quality_of(part, whole, 100, [3.0, 1.0])
    assert (quality.matches, quality.missed, quality.invented) == ((3, 3), (2, 2), (0, 0))
    assert quality.false_negatives == 3 * 2 + 2
    assert quality.lost == 8 / 12


def scenario_of(seed: int, count: int) -> Scenario:
    world = draw_world(seed, count)
    kind = np.random.default_rng(seed).integers(0, 3, count)
    begin, end = int(world.ts[count // 3]), int(world.ts[-1]) + 1
    return Scenario(world.patterns, world.ts, begin, end, world.costs, kind, bound=60, ordered=world.ordered)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32), st.sampled_from([1.2, 2.0, 4.0]))
def test_l04_shed_matches_are_a_subset_of_the_unshed(seed, load):
    """For whatever drops partial matches, greedy look-ahead included."""
    experiment = Experiment(scenario_of(seed, 60))
    for shedder in (*SHEDDERS, experiment.look_ahead, experiment.clairvoyant):
        assert sum(experiment.measure(shedder, load).quality.invented) == 0


def test_loss_does_not_fall_with_load_on_a_planted_chain():
    """Mean over 20 seeds, not by more than 2 standard errors of the difference."""
    experiments = [Experiment(planted(seed, 4_000)) for seed in range(20)]
    for shedder in (*SHEDDERS, Events()):
        lost = np.array(
            [
                [experiment.measure(shedder, load, seed).quality.lost for load in (1.2, 1.6, 2.0)]
                for seed, experiment in enumerate(experiments)
            ]
        )
        gained = np.diff(lost, axis=1)
        errors = gained.std(axis=0, ddof=1) / np.sqrt(len(lost))
        assert (gained.mean(axis=0) >= -2 * errors).all()
        assert lost[:, -1].mean() > lost[:, 0].mean() > 0


def test_looking_ahead_loses_least_and_pspice_less_than_chance():
    lost = {}
    for seed in range(6):
        experiment = Experiment(planted(seed, 6_000, wanted="ABCD"))
        for shedder in (PSpice(), ByChance(), experiment.look_ahead):
            lost.setdefault(shedder.name, []).append(experiment.measure(shedder, 1.5, seed).quality.lost)
    means = {name: np.mean(values) for name, values in lost.items()}
    assert means["greedy look-ahead"] < means["pSPICE"] < means["PM-BL"]


def test_l18_pspice_without_time_is_pspice_where_time_is_constant():
    """Whatever the constant: the same drops, the same matches."""
    experiment = Experiment(planted(7, 6_000))
    without, with_time = (experiment.measure(PSpice(timeless=timeless), 1.5).run for timeless in (True, False))
    [table] = PSpice().tables(experiment.model)
    rules = PSpice().rules(experiment.model, experiment._detector(PSpice(), experiment.scenario.bound), 0)
    run = experiment._plainly.resumed(without.arrival)
    run.advance(len(experiment.scenario.ts), rules._replace(price=np.full(table.price.size, 7.0)))
    assert run.account.dropped.tolist() == without.account.dropped.tolist() != with_time.account.dropped.tolist()
    assert run.match_columns()[2].tolist() == without.match_columns()[2].tolist()


def test_l19_same_seed_same_bytes():
    def bytes_of(seed: int, shedder: object) -> bytes:
        measured = Experiment(planted(11, 4_000)).measure(shedder, 1.5, seed)
        account = measured.run.account
        return b"".join(
            column.tobytes() for column in (account.latency, account.dropped, *measured.run.match_columns())
        )

    for shedder in (*SHEDDERS, Events()):
        assert bytes_of(3, shedder) == bytes_of(3, shedder)
    assert bytes_of(3, ByChance()) != bytes_of(4, ByChance())


def test_l19_every_latency_is_stored_and_the_clock_pays_operator_windows_and_shedder():
    n = 400
    letters = np.random.default_rng(1).choice(list("AB"), n)
    costs = Costs(((7, 7),), event=2, window=3, lookup=1, sort=1, drop=4)
    stream = stream_of([sequence(letters, "AB", 30)], np.arange(n), costs)
    arrival = 40 * np.arange(n)
    experiment = Scenario([sequence(letters, "AB", 30)], np.arange(n), 0, n, costs, np.zeros(n, np.int64), 500)
    measured = Experiment(experiment).measure(PSpice(), 1.5)
    account, arrived = measured.run.account, measured.run.arrival
    now = 0
    for i in range(n):
        now = max(now, int(arrived[i])) + int(account.work[i]) + int(account.shed_work[i])
        assert account.latency[i] == now - arrived[i]
        met = int(account.met[i] - account.dropped[i])
        assert account.work[i] == 2 + 3 * int(letters[i] == "A") + 7 * met
        if account.dropped[i]:
            count = int(account.met[i])
            assert account.shed_work[i] == costs.sorting(count, int(account.dropped[i]))
    assert account.dropped.sum() > 0
    whole = OperatorRun(stream, arrival)
    whole.advance(n, WITHOUT)
    assert len(whole.account.latency) == n


def test_l19_trained_before_the_overload():
    """The model comes from the events before the judged ones alone."""
    scenario = planted(3, 4_000)
    other_scenario = planted(4, 4_000)
    half = len(scenario.ts) // 2
    fits = np.concatenate([scenario.patterns[0].fits[:half], other_scenario.patterns[0].fits[half:]])
    mixed = replace(scenario, patterns=[replace(scenario.patterns[0], fits=fits)])
    trained, two = Experiment(scenario).model.patterns[0], Experiment(mixed).model.patterns[0]
    assert np.array_equal(trained.observations.moves, two.observations.moves)


def test_load_is_the_unshed_cost_over_the_days_length():
    experiment = Experiment(planted(5, 3_000))
    scenario = experiment.scenario
    for load in (0.5, 1.0, 2.0):
        length = arrivals(np.array([scenario.end]), scenario.begin, scenario.end, experiment.cost, load)[0]
        assert experiment.cost / length == pytest.approx(load, rel=1e-6)


def test_a_change_of_the_stream_trains_the_model_anew():
    scenario = planted(6, 24_000, alphabet="ABCDEFGH")
    rng = np.random.default_rng(9)
    letters = rng.choice(list("ABC"), 24_000)
    changed = letters[:, None] == np.array(list("ABC"))[None, :]
    half = 12_000
    fits = np.concatenate([scenario.patterns[0].fits[:half], changed[half:]])
    drifting = replace(scenario, patterns=[replace(scenario.patterns[0], fits=fits)])
    assert Experiment(scenario).measure(PSpice(), 1.5).retrained == 0
    assert Experiment(drifting).measure(PSpice(), 1.5).retrained > 0


def test_an_empty_day_has_nothing_to_lose():
    empty = Offered("p", Machine(2, Strategy.NEXT, Start.AT_OPENING), WindowSpec(5), np.zeros((0, 2), bool))
    none = np.zeros(0, np.int64)
    experiment = Experiment(Scenario([empty], none, 0, 10, uniform_costs([3], 1), none, 100))
    for shedder in (*SHEDDERS, Nothing(), Events(), experiment.look_ahead, experiment.clairvoyant):
        assert experiment.measure(shedder, 1.4).quality.lost == 0
    assert experiment.least_lost(1.4) == experiment.useless_work == 0

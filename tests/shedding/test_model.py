"""The utility model: worked numbers of seq(A; B; C) with each letter in a third of the events, and laws."""

from __future__ import annotations

from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cep_core.shedding.arrays.costs import uniform_costs
from cep_core.shedding.arrays.open_windows import WindowSpec
from cep_core.shedding.arrays.stream import Offered, stream_of
from cep_core.shedding.model.chain import (
    between_rows,
    completion_and_time,
    multiplications,
    trend_counts,
)
from cep_core.shedding.model.observations import Observations, observed
from cep_core.shedding.model.utility import utility_tables
from cep_core.shedding.operator_run import OperatorRun
from cep_core.shedding.replaying import Experiment
from cep_core.shedding.shedders.pspice import PSpice
from cep_core.shedding.training.drift import deviation, has_drifted
from cep_core.shedding.training.operator_model import model_of
from tests.shedding.worlds import planted, sequence


def chain(p: float, steps: int = 3) -> np.ndarray:
    """Each event moves on with probability p."""
    matrix = np.diag([1 - p] * steps + [1.0])
    matrix[range(steps), range(1, steps + 1)] = p
    return matrix


def random_chain(seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    states = int(rng.integers(2, 6))
    matrix = rng.random((states, states)) ** 3
    matrix[-1] = np.eye(states)[-1]
    return matrix / matrix.sum(axis=1, keepdims=True), rng.integers(1, 20, (states, states)).astype(float)


def test_l05_transition_matrix_of_relative_frequencies_and_mean_times():
    seen = observed([(0, 0, 4), (0, 0, 6), (0, 1, 20), (1, 2, 7)], states=3)
    assert seen.count == 4
    assert np.allclose(seen.transitions(), [[2 / 3, 1 / 3, 0], [0, 0, 1], [0, 0, 1]])
    assert np.allclose(seen.transitions().sum(axis=1), 1)
    assert seen.rewards()[0, :2].tolist() == [5, 20]
    assert seen.rewards()[1, 2] == 7


def test_l05_planted_chain_is_recovered():
    letters = np.random.default_rng(3).choice(list("ABC"), 20_000)
    pattern = sequence(letters, "ABC", 30, opening=np.ones(len(letters), bool))
    run = OperatorRun(
        stream_of([pattern], np.arange(len(letters)), uniform_costs([4], 5)), np.zeros(len(letters), np.int64)
    )
    run.advance(len(letters))
    seen = run.observations(0)
    assert np.allclose(seen.transitions(), chain(1 / 3), atol=0.01)
    assert np.allclose(seen.rewards()[:3], 5)


@pytest.mark.parametrize(
    ("left", "expected"),
    [(1, [0, 0, 1 / 3]), (2, [0, 1 / 9, 5 / 9]), (3, [1 / 27, 7 / 27, 19 / 27]), (10, [0.7009, 0.8960, 0.9827])],
)
def test_l06_completion_probability(left, expected):
    probability, _ = completion_and_time(chain(1 / 3), np.ones((4, 4)), left, 1)
    assert np.allclose(probability[left, :3], expected, atol=5e-5)
    tail = [sum(comb(left, k) * (1 / 3) ** k * (2 / 3) ** (left - k) for k in range(3 - s, left + 1)) for s in range(3)]
    assert np.allclose(probability[left, :3], tail)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32), st.integers(1, 40), st.integers(1, 5))
def test_l06_l07_vectors_are_the_powers_and_the_simulation(seed, left, size):
    matrix, rewards = random_chain(seed)
    probability, time = completion_and_time(matrix, rewards, left, size)
    for row in range(left // size + 1):
        assert np.allclose(probability[row], np.linalg.matrix_power(matrix, row * size)[:, -1])
        expected = np.zeros(len(matrix))
        for j in range(row * size):
            reach = np.linalg.matrix_power(matrix, j)
            each = (matrix * rewards).sum(axis=1)
            each[-1] = 0
            expected += reach @ each
        assert np.allclose(time[row], expected)


def test_l07_remaining_processing_time():
    _, time = completion_and_time(chain(1 / 3), np.ones((4, 4)), 3, 1)
    assert np.allclose(time[3], [3, 26 / 9, 19 / 9, 0])
    assert time[0].tolist() == [0, 0, 0, 0]


def test_l07_remaining_time_is_that_of_a_simulation():
    rng = np.random.default_rng(5)
    runs, left = 40_000, 12
    state, spent = np.zeros(runs, int), np.zeros(runs)
    cost = np.array([1.0, 2.0, 5.0, 0.0])
    for _ in range(left):
        spent += cost[state]
        state = np.minimum(state + ((rng.random(runs) < 1 / 3) & (state < 3)), 3)
    _, time = completion_and_time(chain(1 / 3), np.repeat(cost[:, None], 4, axis=1), left, 1)
    assert time[left, 0] == pytest.approx(spent.mean(), rel=0.01)


def test_l08_every_second_row_is_kept_and_interpolated():
    probability, time = completion_and_time(chain(1 / 3), np.ones((4, 4)), 4, 2)
    assert probability.shape == (3, 4)
    assert between_rows(probability, 2, 0, 3) == pytest.approx((0 + 1 / 9) / 2)  # 1/18, exact 1/27
    exact, exact_time = completion_and_time(chain(1 / 3), np.ones((4, 4)), 4, 1)
    assert exact[3, 0] == pytest.approx(1 / 27)
    for state in range(4):
        assert between_rows(probability, 2, state, 3) == pytest.approx((exact[2, state] + exact[4, state]) / 2)
        assert between_rows(probability, 2, state, 1) == pytest.approx((exact[0, state] + exact[2, state]) / 2)
        assert between_rows(time, 2, state, 1) == pytest.approx(exact_time[2, state] / 2)
        assert between_rows(exact, 1, state, 3) == exact[3, state]


def test_l09_one_scale_for_all_patterns():
    """A pattern twice as slow is worth half as much; scaled on its own each would be worth the same."""
    probability, time = completion_and_time(chain(1 / 3), np.ones((4, 4)), 10, 1)
    fast, slow = utility_tables([probability] * 2, [time, 2 * time], [1.0, 1.0], [1, 1])
    assert fast.at(1, 7) == pytest.approx(2 * slow.at(1, 7))
    assert np.isfinite([fast.at(s, j) for s in range(3) for j in range(1, 11)]).all()


@settings(max_examples=60, deadline=None)
@given(st.floats(0.1, 9), st.floats(0.1, 1), st.floats(1, 50), st.floats(1.01, 3))
def test_l09_utility_grows_with_weight_and_probability_and_falls_with_time(weight, probability, time, factor):
    def utility(w: float, p: float, tau: float) -> float:
        further = np.array([[0.0, 1.0], [1.0, 1.0]]), np.array([[0.0, 0.0], [200.0, 0.0]])
        mine = np.array([[0.0, 1.0], [p, 1.0]]), np.array([[0.0, 0.0], [tau, 0.0]])
        return utility_tables([mine[0], further[0]], [mine[1], further[1]], [w, 1.0], [1, 1])[0].at(0, 1)

    base = utility(weight, probability, time)
    assert base == pytest.approx(weight * probability / (time / 200))
    assert utility(weight * factor, probability, time) > base > utility(weight, probability, time * factor)
    assert utility(weight, probability / factor, time) < base


def test_l10_look_up_is_the_formula():
    scenario = planted(1)
    costs = scenario.costs
    run = OperatorRun(
        stream_of(scenario.patterns, scenario.ts, costs, kind=scenario.kind), np.zeros(len(scenario.ts), np.int64)
    )
    run.advance(scenario.begin)
    model = model_of(run, scenario.patterns, costs, 8)
    [own] = model.patterns
    assert own.left == 60
    [table] = PSpice(bin_size=1).tables(model)
    seen = own.observations
    probability, time = completion_and_time(seen.transitions(), seen.rewards(), 60, 1)
    for state in range(3):
        for left in range(1, 61):
            expected = own.weight * probability[left, state] / (time[left, state] / time.max())
            assert table.at(state, left) == pytest.approx(expected)


def test_l10_events_left_in_a_time_window_are_rate_times_time_left():
    """Every instance of a window of 100 s meets the 5 events a minute of its own partition."""
    n = 6_000
    ts = np.arange(n, dtype=np.int64) * 3
    fits = np.zeros((n, 2), bool)
    fits[:, 0] = np.arange(n) % 7 == 0
    pattern = Offered(
        "p", sequence(np.array(["A"]), "AB", 1).machine, WindowSpec(100), fits, partition=np.arange(n) % 4
    )
    run = OperatorRun(stream_of([pattern], ts, uniform_costs([3], 1)), np.zeros(n, np.int64))
    run.advance(n)
    [own] = model_of(run, [pattern], uniform_costs([3], 1), 1).patterns
    assert own.rate == pytest.approx(1 / 12, rel=0.15)


def test_l11_deviation_of_two_matrices():
    assert deviation(chain(1 / 3), chain(1 / 2)) == pytest.approx(0.0104, abs=5e-5)


def test_l11_drift_fires_and_stationarity_does_not():
    def seen(p: float, seed: int) -> Observations:
        rng = np.random.default_rng(seed)
        moved = rng.random((3, 4000)) < p
        return observed([(s, s + int(m), 1) for s in range(3) for m in moved[s]], states=4)

    used = seen(1 / 3, 1).transitions()
    assert not any(has_drifted(used, seen(1 / 3, seed), 0.005) for seed in range(2, 12))
    assert all(has_drifted(used, seen(1 / 2, seed), 0.005) for seed in range(2, 12))


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32), st.integers(1, 8))
def test_trend_counts_are_the_expected_tree(seed, left):
    """Expected matches of a partial match that stays and branches, by summing over the first branching."""
    rng = np.random.default_rng(seed)
    births = np.triu(rng.random((4, 4)) * 0.5)
    births[-1] = 0
    cost = np.array([1.0, 2.0, 3.0, 0.0])

    def expected(state: int, events: int) -> tuple[float, float]:
        if state == 3:
            return 1.0, 0.0
        if events == 0:
            return 0.0, 0.0
        count, spent = expected(state, events - 1)
        spent += cost[state]
        for target in range(4):
            matches, price = expected(target, events - 1)
            count, spent = count + births[state, target] * matches, spent + births[state, target] * price
        return count, spent

    counts, costs = trend_counts(births, cost, min(left, 6), 1)
    for state in range(4):
        assert (counts[-1, state], costs[-1, state]) == pytest.approx(expected(state, min(left, 6)))


def test_trend_counts_without_branches_are_completion_and_time():
    matrix = chain(0.2)
    rewards = np.array([[3.0] * 4] * 4)
    counts, costs = trend_counts(matrix - np.eye(4), np.array([3.0, 3.0, 3.0, 0.0]), 20, 1)
    probability, time = completion_and_time(matrix, rewards, 20, 1)
    assert np.allclose(counts, probability)
    assert np.allclose(costs, time)


@pytest.mark.parametrize(("states", "left", "size"), [(2, 1, 1), (4, 9, 1), (5, 20, 3), (3, 7, 10)])
def test_xl8_building_a_model_takes_as_many_products_as_are_counted(states: int, left: int, size: int):
    """Each product reads one entry of the transition matrix, and nothing else does."""
    read = []

    class Counting:
        shape = (states, states)

        def __getitem__(self, place: tuple[int, int]) -> float:
            read.append(place)
            return 1 / states

    completion_and_time.py_func(Counting(), np.ones((states, states)), left, size)
    assert len(read) == multiplications(states, left, size)


def test_xl8_building_a_model_grows_with_the_window_and_the_states_squared():
    """Not with the number of events that train it, which only fill the matrix."""
    windows = [multiplications(11, left, 1) for left in (6_000, 12_000, 24_000)]
    assert windows[1] / windows[0] == pytest.approx(2, rel=1e-3)
    assert windows[2] / windows[0] == pytest.approx(4, rel=1e-3)
    assert multiplications(22, 6_000, 1) / windows[0] == pytest.approx(4.2, rel=1e-2)
    short, long = (Experiment(planted(1, count)).model for count in (4_000, 16_000))
    assert PSpice().building(short) == PSpice().building(long) > 0

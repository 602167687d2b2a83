"""The overload detector and its regressions, and which partial matches go."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cep_core.shedding.kernels.victims import by_chance, lowest
from cep_core.shedding.model.overload import Detector
from cep_core.shedding.model.regression import (
    CONSTANT,
    LINEAR,
    LINEARITHMIC,
    QUADRATIC,
    Latency,
    fit_latency,
    inverse,
    shape,
)

F, G = Latency(LINEAR, 10.0, 0.5), Latency(LINEAR, 0.0, 0.05)


def test_l12_worked_example():
    """l_p' = 1000 - 700 - 30 = 270, n' = 520, 80 go."""
    assert inverse(F.kind, F.base, F.slope, 270.0, 600) == 520
    assert Detector(1000, F, G).excess(700, 600) == 80


def test_l12_nothing_goes_while_the_bound_is_not_in_danger():
    assert Detector(1000, F, G).excess(1000 - 30 - 310, 600) == 0
    assert Detector(1000, F, G).excess(1000 - 30 - 309, 600) == 2


def test_l12_everything_goes_if_even_an_empty_operator_is_late():
    assert Detector(1000, F, G).excess(965, 600) == 600
    assert Detector(1000, F, G).excess(5000, 600) == 600


def test_l14_safety_buffer_counts_in_the_test_and_in_the_amount():
    assert Detector(1000, F, G, buffer=50).excess(700, 600) == 80 + 100
    assert Detector(1000, F, G, buffer=50).excess(620, 600) == 20
    assert Detector(1000, F, G).excess(620, 600) == 0


@given(st.integers(0, 2000), st.integers(1, 900), st.integers(0, 200), st.floats(0, 3), st.floats(0.01, 3))
def test_l12_what_stays_is_the_most_that_keeps_the_bound(queued, count, buffer, base, slope):
    f = Latency(LINEAR, base, slope)
    detector = Detector(1000, f, G, buffer)
    stays = count - detector.excess(queued, count)
    left = 1000 - buffer - queued - G(count)
    assert stays == 0 or f(stays) <= left + 1e-9
    assert stays == count or f(stays + 1) > left - 1e-9


@pytest.mark.parametrize(
    ("kind", "latency"),
    [
        (CONSTANT, lambda n: 0 * n + 40),
        (LINEAR, lambda n: 40 + 7 * n),
        (LINEARITHMIC, lambda n: 3 + 2 * np.array([shape(LINEARITHMIC, int(k)) for k in n])),
        (QUADRATIC, lambda n: 5 + n * n),
    ],
)
def test_l13_lowest_held_out_error_wins(kind, latency):
    counts = np.arange(0, 400, 3)
    fitted = fit_latency(counts, latency(counts))
    assert fitted.kind == kind
    assert [round(fitted(int(n))) for n in counts] == latency(counts).tolist()


def test_l13_noise_does_not_buy_a_richer_function():
    rng = np.random.default_rng(1)
    counts = rng.integers(0, 500, 900)
    fitted = fit_latency(counts, 1000 + 20 * counts + rng.integers(-30, 31, 900))
    assert fitted.kind == LINEAR
    assert fitted.slope == pytest.approx(20, rel=0.01)


@given(st.lists(st.tuples(st.integers(0, 300), st.integers(0, 10**6)), max_size=40))
def test_l13_f_is_monotone_so_that_it_has_an_inverse(samples):
    columns = np.array(samples, np.int64).reshape(-1, 2)
    fitted = fit_latency(columns[:, 0], columns[:, 1])
    values = [fitted(n) for n in range(300)]
    assert values == sorted(values)
    for latency in (0.0, values[0], values[100], values[-1] + 1):
        most = inverse(fitted.kind, fitted.base, fitted.slope, latency, 299)
        assert most == max((n for n in range(300) if values[n] <= latency), default=0)


@given(st.lists(st.integers(0, 6), max_size=60), st.integers(0, 70))
def test_l15_exactly_as_many_and_nothing_kept_ranks_below_a_drop(utilities, number):
    goes = lowest(np.array(utilities, np.float64), number)
    assert goes.sum() == min(number, len(utilities))
    kept = [u for u, gone in zip(utilities, goes, strict=True) if not gone]
    gone = [u for u, gone in zip(utilities, goes, strict=True) if gone]
    assert not kept or not gone or min(kept) >= max(gone)
    ranked = sorted(range(len(utilities)), key=lambda r: (utilities[r], r))
    assert np.flatnonzero(goes).tolist() == sorted(ranked[:number]), "of equal ones the oldest"


def test_l15_a_strictly_lower_one_goes_before_a_tie():
    assert lowest(np.array([5.0, 5.0, 5.0, 1.0]), 2).tolist() == [True, False, False, True]


def test_l16_bernoulli_is_seeded_and_drops_as_many_on_average():
    drawn = [by_chance(200, 50, seed, event).sum() for seed in range(5) for event in range(200)]
    assert np.mean(drawn) == pytest.approx(50, abs=1)
    assert np.std(drawn) == pytest.approx(np.sqrt(200 * 0.25 * 0.75), rel=0.1)
    assert by_chance(200, 50, 1, 2).tolist() == by_chance(200, 50, 1, 2).tolist()
    assert by_chance(200, 50, 1, 2).tolist() != by_chance(200, 50, 2, 2).tolist()

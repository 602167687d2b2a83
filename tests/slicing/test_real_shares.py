"""The lower bound with real-valued shares (row S15)."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cep_core.language.evaluator import Atom
from cep_core.slicing import optimize_shares
from cep_core.slicing.real_shares import lower_bound
from cep_core.slicing.shares import cost, rates_of
from tests.slicing.paper import LINEAR, STAR, TRIANGLE, atom
from tests.slicing.test_shares import queries


@pytest.mark.parametrize("slices", [2, 16, 64, 1000])
def test_closed_forms(slices: int) -> None:
    """S15, Example 4: 1/p for the star, p^(-2/3) for the triangle, 1/sqrt(p) for two unrelated types."""
    assert lower_bound(STAR, ("x1", "x2", "x3", "x4"), slices) == pytest.approx(1 / slices)
    assert lower_bound(TRIANGLE, ("x1", "x2", "x3"), slices) == pytest.approx(slices ** (-2 / 3))
    apart = [atom("P", "x"), atom("Q", "y")]
    rates = {"P": 100, "Q": 100}
    assert lower_bound(apart, "xy", slices, rates) == pytest.approx(slices**-0.5)


def test_integer_shares_reach_the_bound_where_the_root_is_whole() -> None:
    """S15: 1/16 both on 64 slices; 1/6 against .1575 on 16."""
    for slices, reached in ((64, 1 / 16), (16, 1 / 6)):
        shares = optimize_shares(TRIANGLE, ("x1", "x2", "x3"), slices)[frozenset()]
        reached_cost = float(cost(TRIANGLE, ("x1", "x2", "x3"), rates_of(TRIANGLE, None), shares)) / 3
        assert reached_cost == pytest.approx(reached)
        assert lower_bound(TRIANGLE, ("x1", "x2", "x3"), slices) <= reached_cost + 1e-12


@given(queries, st.integers(1, 20), st.lists(st.integers(0, 9), min_size=3, max_size=3))
@settings(deadline=None)
def test_no_integer_shares_are_below_it(atoms: list[Atom], slices: int, rates: list[int]) -> None:
    """S15: it bounds every integer vector's cost from below."""
    by_type = dict(zip("PQR", rates, strict=True))
    weights = rates_of(atoms, by_type)
    total = float(sum(weights))
    best = optimize_shares(atoms, "xyz", slices, by_type)[frozenset()]
    least = lower_bound(atoms, "xyz", slices, by_type)
    assert 0 <= least <= (float(cost(atoms, "xyz", weights, best)) / total if total else 0) + 1e-12


@pytest.mark.parametrize("rates", [(1, 1, 1), (1, 50, 50), (3, 2, 7)])
def test_it_is_the_minimum_over_a_fine_grid(rates: tuple[int, int, int]) -> None:
    """The bound is tight: a grid over the logarithms of the shares comes as close as its width allows."""
    budget, steps = np.log(16), 40
    best = np.inf
    for parts in product(range(steps + 1), repeat=2):
        if sum(parts) <= steps:
            logs = np.array([*parts, steps - sum(parts)]) / steps * budget
            x2, x3, rest = np.exp(logs)
            share = {"x1": 1.0, "x2": x2, "x3": x3, "x4": rest}
            costs = (
                rate / np.prod([share[v] for _, v in atom_.variables])
                for rate, atom_ in zip(rates, LINEAR, strict=True)
            )
            best = min(best, sum(costs) / sum(rates))
    bound = lower_bound(LINEAR, ("x1", "x2", "x3", "x4"), 16, dict(zip("PQR", rates, strict=True)))
    assert bound <= best + 1e-12
    assert bound == pytest.approx(best, rel=0.02)

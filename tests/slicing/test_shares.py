"""Algorithm 2: optimal shares (rows S14, S18, S24-S27, X2 and X3 of the papers' feature list)."""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Callable
from fractions import Fraction
from itertools import product
from math import prod
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cep_core.language.evaluator import Atom
from cep_core.slicing import optimize_shares
from cep_core.slicing.shares import cost, rates_of, searched
from tests.counts import few
from tests.slicing.paper import LINEAR, STAR, TRIANGLE, atom

CASES = json.loads(Path(__file__).with_name("optimal_shares.json").read_text())
NONE: frozenset[str] = frozenset()


@pytest.mark.parametrize("case", CASES, ids=[case["case"] for case in CASES])
def test_known_optima_are_found(case: dict[str, Any]) -> None:
    """S25: shares that the paper prints or that its authors' implementation expects."""
    atoms = [Atom(name, tuple((f"a{i}", variable) for i, variable in enumerate(own))) for name, own in case["atoms"]]
    shares = optimize_shares(atoms, case["variables"], case["slices"], case["rates"], case["heavy_variables"])
    if "at_least" in case:
        assert prod(shares[NONE]) >= case["at_least"]
        return
    expected = {frozenset(filter(None, key.split(","))): tuple(shares) for key, shares in case["shares"].items()}
    if case.get("any_order"):
        assert sorted(shares[NONE]) == sorted(expected[NONE])
    else:
        assert shares == expected


def test_example_5_heavy_sets_of_the_triangle() -> None:
    """S18, Example 5: shares of each heavy set on 64 slices."""
    shares = optimize_shares(TRIANGLE, ("x1", "x2", "x3"), 64, heavy=("x1", "x2", "x3"))
    assert shares[NONE] == (4, 4, 4)
    assert shares[frozenset({"x1"})] == (1, 8, 8)
    assert shares[frozenset({"x1", "x2"})] == (1, 1, 64)
    assert shares[frozenset({"x1", "x2", "x3"})] == (1, 1, 1)
    assert len(shares) == 8


@pytest.mark.parametrize(
    ("atoms", "costs"),
    [(STAR, (0.25, 0.125, 0.0625)), (LINEAR, (5 / 12, 7 / 24, 3 / 16)), (TRIANGLE, (5 / 12, 0.25, 1 / 6))],
)
def test_costs_at_equal_rates(atoms: tuple[Atom, ...], costs: tuple[float, ...]) -> None:
    """X2: the predicted load of star, linear and triangle on 4, 8 and 16 slices."""
    variables = sorted({variable for atom_ in atoms for _, variable in atom_.variables})
    for slices, expected in zip((4, 8, 16), costs, strict=True):
        shares = optimize_shares(atoms, variables, slices)[NONE]
        assert float(cost(atoms, variables, rates_of(atoms, None), shares)) / 3 == pytest.approx(expected)


@pytest.mark.parametrize(
    ("atoms", "rates_of_types"), [(STAR, (0.25, 0.125)), (LINEAR, (0.25765, 0.1338)), (TRIANGLE, (0.2575, 0.13375))]
)
def test_rates_told_to_the_planner_help(atoms: tuple[Atom, ...], rates_of_types: tuple[float, float]) -> None:
    """X3: with rates .01, .495, .495 the load falls for linear and triangle, and stays for the star."""
    variables = sorted({variable for atom_ in atoms for _, variable in atom_.variables})
    rates = [Fraction("0.01"), Fraction("0.495"), Fraction("0.495")]
    for slices, expected in zip((4, 8), rates_of_types, strict=True):
        blind = cost(atoms, variables, rates, optimize_shares(atoms, variables, slices)[NONE])
        known = cost(atoms, variables, rates, optimize_shares(atoms, variables, slices, rates)[NONE])
        assert float(known) == pytest.approx(expected, abs=6e-4)
        assert known < blind or atoms is STAR


def test_ties_go_to_the_least_maximum_share_then_to_earlier_variables() -> None:
    """S25: linear on 8 slices: (1,4,2,1) and (1,2,4,1) cost the same, (1,8,1,1) more; P(x,y) on 16 gets (4,4)."""
    assert optimize_shares(LINEAR, ("x1", "x2", "x3", "x4"), 8)[NONE] == (1, 4, 2, 1)
    joint = (atom("P", "x", "y"),)
    assert optimize_shares(joint, ("x", "y"), 16)[NONE] == (4, 4)


def test_disjunctions_are_not_optimal() -> None:
    """S27: P(x,y) AND (Q(x) OR Q(y)) on 16 slices costs (4 + 1/2) / 16; its two disjuncts apart cost 1/16 each."""
    whole = (atom("P", "x", "y"), atom("Q", "x"), atom("Q", "y"))
    shares = optimize_shares(whole, ("x", "y"), 16)[NONE]
    assert shares == (4, 4)
    assert float(cost(whole, ("x", "y"), rates_of(whole, None), shares)) / 2 == pytest.approx((4 + 0.5) / 16)
    disjunction = (atom("P", "x", "y"), atom("Q", "x"))
    assert optimize_shares(disjunction, ("x", "y"), 16)[NONE] == (16, 1)


def test_all_atoms_with_a_shared_light_variable_cost_one_share() -> None:
    """S27: 1/p if every atom has the variable, more than that with a missing one."""
    assert cost(STAR, ("x1", "x2", "x3", "x4"), rates_of(STAR, None), (64, 1, 1, 1)) / 3 == Fraction(1, 64)
    assert cost(TRIANGLE, ("x1", "x2", "x3"), rates_of(TRIANGLE, None), (4, 4, 4)) / 3 == Fraction(1, 16)


def test_more_than_thirty_heavy_variables_are_refused() -> None:
    """S26: 2^31 heavy sets are an error, not an endless computation."""
    names = [f"x{i}" for i in range(31)]
    with pytest.raises(ValueError, match="at most 30"):
        optimize_shares([atom("P", "x0")], names, 2, heavy=names)


def test_no_slices_are_refused() -> None:
    """A number of slices below 1 is an error."""
    with pytest.raises(ValueError, match="at least 1"):
        optimize_shares(STAR, ("x1", "x2", "x3", "x4"), 0)


queries = st.lists(
    st.tuples(st.sampled_from("PQR"), st.lists(st.sampled_from("xyz"), max_size=3)), min_size=1, max_size=4
).map(lambda atoms: [atom(name, *own) for name, own in atoms])


@given(
    queries, st.integers(1, 20), st.lists(st.integers(0, 9), min_size=3, max_size=3), st.sets(st.sampled_from("xyz"))
)
@settings(deadline=None)
def test_shares_are_optimal(atoms: list[Atom], slices: int, rates: list[int], heavy: set[str]) -> None:
    """S25: no valid vector is better by cost, then by maximum share; valid: product at most p, 1 on H."""
    by_type = dict(zip("PQR", rates, strict=True))
    by_group = optimize_shares(atoms, "xyz", slices, by_type, heavy)
    weights = rates_of(atoms, by_type)
    for group, shares in by_group.items():
        valid = [
            vector
            for vector in product(range(1, slices + 1), repeat=3)
            if prod(vector) <= slices and all(vector["xyz".index(name)] == 1 for name in group)
        ]
        assert shares in valid
        ranks = {
            vector: (cost(atoms, "xyz", weights, vector), max(vector), prod(vector), [-share for share in vector])
            for vector in valid
        }
        assert shares == min(ranks, key=ranks.__getitem__)


wide_queries = st.lists(
    st.tuples(st.integers(0, 4), st.sets(st.sampled_from("uvwxyz"), max_size=4)), min_size=1, max_size=6
).map(lambda atoms: ([atom(f"P{place}", *sorted(own)) for place, (_, own) in enumerate(atoms)], [n for n, _ in atoms]))


@given(wide_queries, st.sampled_from([1, 7, 12, 16, 30]), st.sets(st.sampled_from("uvwxyz"), max_size=3))
@few(30)
def test_a_vector_that_won_against_more_is_not_searched_again(
    query: tuple[list[Atom], list[int]], slices: int, heavy: set[str]
) -> None:
    """S25: the best of a smaller heavy set is taken where it fits; it is what a search of its own finds."""
    atoms, numbers = query
    rates = [Fraction(number) for number in numbers]
    for group, shares in optimize_shares(atoms, "uvwxyz", slices, rates, heavy).items():
        assert shares == searched(atoms, "uvwxyz", slices, rates, group)[0]


@given(wide_queries, st.sampled_from([1, 2, 7, 12, 16, 30]), st.sets(st.sampled_from("uvwxyz"), max_size=2))
@settings(deadline=None)
def test_no_vector_ranks_before_the_one_found(
    query: tuple[list[Atom], list[int]], slices: int, heavy: set[str]
) -> None:
    """S25 for six variables: cost, maximum, product, then more for earlier variables; branches are cut rightly."""
    atoms, numbers = query
    rates = [Fraction(number) for number in numbers]
    shares, _ = searched(atoms, "uvwxyz", slices, rates, frozenset(heavy))
    ranks = {
        vector: (cost(atoms, "uvwxyz", rates, vector), max(vector), prod(vector), [-share for share in vector])
        for vector in vectors(6, slices)
        if all(vector["uvwxyz".index(name)] == 1 for name in heavy)
    }
    assert shares == min(ranks, key=ranks.__getitem__)


def vectors(count: int, slices: int) -> list[tuple[int, ...]]:
    """All vectors of positive integers whose product is at most `slices`."""
    if not count:
        return [()]
    return [(share, *rest) for share in range(1, slices + 1) for rest in vectors(count - 1, slices // share)]


NAMES = [f"x{number:02}" for number in range(20)]


def chain(count: int) -> list[Atom]:
    return [atom(f"P{number}", NAMES[number], NAMES[number + 1]) for number in range(count - 1)]


def cycle(count: int) -> list[Atom]:
    return [*chain(count), atom("P", NAMES[0], NAMES[count - 1])]


def pairs(count: int) -> list[Atom]:
    return [atom(f"P{number}", NAMES[number], NAMES[number + 1]) for number in range(0, count - 1, 2)]


def lattice(count: int) -> list[Atom]:
    return [*chain(count), *(atom(f"Q{number}", NAMES[number], NAMES[number + 5]) for number in range(count - 5))]


@pytest.mark.parametrize("shape", [chain, cycle, pairs, lattice])
@pytest.mark.parametrize("equal", [True, False])
def test_the_search_looks_at_few_vectors(shape: Callable[[int], list[Atom]], equal: bool) -> None:
    """S26: of the 24 million vectors of 20 variables on 256 slices fewer than 1 in 200 are begun, in little memory."""
    looked_at = []
    for count in (10, 20):
        atoms = shape(count)
        rates = [Fraction(1) if equal else Fraction(1 + place * 37 % 101) for place, _ in enumerate(atoms)]
        tracemalloc.start()
        looked_at.append(searched(atoms, NAMES[:count], 256, rates, frozenset())[1])
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert peak < 100_000_000
    assert looked_at[1] < 120_000
    assert looked_at[1] < 24 * looked_at[0]


@pytest.mark.parametrize("heavy_name", ["x01", "x08", "x18"])
def test_equal_costs_are_told_apart_early(heavy_name: str) -> None:
    """S26: at equal rates thousands of vectors cost the same; few are begun, wherever the chain is cut."""
    rates = [Fraction(1)] * 19
    assert max(searched(chain(20), NAMES, slices, rates, frozenset([heavy_name]))[1] for slices in (36, 51)) < 2_000

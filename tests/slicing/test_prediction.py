"""Predicted loads, replication and the bound (rows S15, S17, S21, S23, S24)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from cep_core.events.schema import AttributeType
from cep_core.language.evaluator import Atom
from cep_core.slicing import Cube, Plan, cubes_of, make_plan, split, statistics_of
from cep_core.slicing.hashing import seed_of
from cep_core.slicing.prediction import Predictor
from tests.slicing.paper import LINEAR, STAR, TRIANGLE, atom


def measured(plan: Plan, events: pa.Table) -> np.ndarray:
    return np.bincount(split(plan, events)[1], minlength=plan.slices) / statistics_of(events, plan.atoms).relevant


def uniform(count: int, kinds: str = "PQR", seed: int = 0) -> pa.Table:
    random = np.random.default_rng(seed)
    names = np.array(list(kinds))[random.integers(0, len(kinds), count)]
    return pa.table(
        {
            "event_type": names,
            "ts": range(count),
            "a": random.integers(0, 10**9, count),
            "b": random.integers(0, 10**9, count),
        }
    )


def test_plans_over_one_variable_are_predicted_exactly() -> None:
    """The values are hashed with the plan's own seeds: skewed, null and repeated values included."""
    random = np.random.default_rng(5)
    values = pa.array(random.zipf(1.5, 3000).clip(max=50), mask=random.random(3000) < 0.1)
    kinds = np.array(["P", "Q"])[random.integers(0, 2, 3000)]
    events = pa.table({"event_type": kinds, "ts": range(3000), "a": values, "b": values})
    own = (atom("P", "x"), Atom("Q", (("b", "x"),)))
    for heavy in ((), ("x",)):
        plan = make_plan({"q": own}, ["x"], statistics_of(events, own), 7, "seed", heavy=heavy)
        loads = measured(plan, events)
        assert Predictor(statistics_of(events, own)).cell_loads(plan) == pytest.approx(loads)
        assert plan.predicted is not None
        assert plan.predicted.maximum_load == pytest.approx(loads.max())
        assert plan.predicted.replication == pytest.approx(loads.sum())


@pytest.mark.parametrize("atoms", [STAR, LINEAR, TRIANGLE])
@pytest.mark.parametrize("slices", [4, 16, 64])
def test_maximum_load_is_near_the_bound_without_skew(atoms: Sequence[Atom], slices: int) -> None:
    """S15, S24: over 5 seeds the fullest slice of uniform events holds no more than the bound and a random excess."""
    events = uniform(20_000)
    variables = sorted({name for atom_ in atoms for _, name in atom_.variables})
    statistics = statistics_of(events, atoms)
    for seed in range(5):
        plan = make_plan({"q": atoms}, variables, statistics, slices, str(seed), heavy=())
        assert plan.predicted is not None
        loads = measured(plan, events)
        assert loads.max() <= plan.predicted.bound * (1 + 0.9 * np.sqrt(slices / 64))
        assert loads.max() == pytest.approx(plan.predicted.maximum_load, rel=0.15)
        assert loads.sum() == pytest.approx(plan.predicted.replication, rel=1e-3)
        assert plan.predicted.lower_bound <= plan.predicted.bound + 1e-12


def test_replication_of_the_triangle_is_counted() -> None:
    """S17: with shares (4, 4, 4) every event of the triangle is copied 4 times."""
    plan = make_plan({"q": TRIANGLE}, ("x1", "x2", "x3"), statistics_of(uniform(900), TRIANGLE), 64, "", heavy=())
    assert split(plan, uniform(900))[0].size == 4 * 900
    assert plan.predicted is not None
    assert plan.predicted.replication == pytest.approx(4)


def test_one_type_in_two_atoms() -> None:
    """S21, Example 7: the prediction for P(x), P(y) is (2q-1)/q^2, not the bound 2/q."""
    events = uniform(50_000, "P")
    own = (atom("P", "x"), atom("P", "y"))
    plan = make_plan({"q": own}, ("x", "y"), statistics_of(events, own), 16, "", heavy=())
    assert plan.predicted is not None
    assert plan.predicted.bound == pytest.approx(2 / 4)
    assert plan.predicted.maximum_load == pytest.approx(7 / 16, rel=0.05)


def test_a_disjunction_loads_less_than_its_cost() -> None:
    """S27: P(x,y) AND (Q(x) OR Q(y)) on 16 slices costs .281 and loads .25: a Q event goes to 7 slices, not to 8."""
    events = uniform(100_000, "PQ")
    own = (atom("P", "x", "y"), atom("Q", "x"), atom("Q", "y"))
    plan = make_plan({"q": own}, ("x", "y"), statistics_of(events, own), 16, "", heavy=())
    assert plan.predicted is not None
    assert plan.predicted.bound == pytest.approx(0.28125, rel=0.01)
    assert measured(plan, events).max() == pytest.approx(0.25, rel=0.05)


def test_atoms_that_agree_on_what_is_split_count_once() -> None:
    """Two atoms of one type that differ only in variables with share 1 send every event to the same cells."""
    events = uniform(5000, "P")
    own = (atom("P", "x", "y"), atom("P", "x", "z"))
    variables, kinds = ("x", "y", "z"), (AttributeType.INT,) * 3
    plan = Plan(("q",), own, variables, kinds, cubes_of({frozenset(): (8, 1, 1)}, variables, "s"))
    assert Predictor(statistics_of(events, own)).cell_loads(plan) == pytest.approx(measured(plan, events))


@pytest.mark.parametrize("heavy", [(), ("x",)])
def test_events_of_an_atom_with_constants_are_among_those_of_one_without(heavy: tuple[str, ...]) -> None:
    """`P(k=1, x)` and `P(k=2, x)` beside `P(x)` send nothing where that does not; `P(k=1, a=y)` does."""
    random = np.random.default_rng(3)
    values = {"k": random.integers(0, 3, 3000), "a": random.zipf(1.5, 3000).clip(max=50)}
    events = pa.table({"event_type": ["P"] * 3000, "ts": range(3000), **values})
    own = Atom("P", (("a", "x"),)), *(Atom("P", (("a", "x"),), (("k", k),)) for k in (1, 2))
    plan = make_plan({"q": own}, ["x"], statistics_of(events, own), 7, "seed", heavy=heavy)
    assert Predictor(statistics_of(events, own)).cell_loads(plan) == pytest.approx(measured(plan, events))
    assert plan.predicted is not None
    assert plan.predicted.replication == pytest.approx(measured(plan, events).sum())
    broadcast = (*own, Atom("P", (), (("k", 1),)))
    loads = Predictor(statistics_of(events, broadcast)).cell_loads(replace(plan, atoms=broadcast))
    assert (loads > measured(plan, events)).any()


def test_atoms_with_other_constants_have_no_event_in_common() -> None:
    """`insert(x, 1)` and `insert(x, 2)` add up, each with its own values; what both miss is no load."""
    random = np.random.default_rng(3)
    events = pa.table(
        {"event_type": ["P"] * 4000, "ts": range(4000), "a": random.zipf(1.4, 4000), "b": random.integers(1, 4, 4000)}
    )
    own = (atom("P", "x", b=1), atom("P", "x", b=2))
    plan = make_plan({"q": own}, ["x"], statistics_of(events, own), 7, "s", heavy=())
    assert Predictor(statistics_of(events, own)).cell_loads(plan) == pytest.approx(measured(plan, events))
    every = (*own, atom("P", "y", b=2))
    merged_plan = make_plan({"q": every}, ["x", "y"], statistics_of(events, every), 6, "s", heavy=())
    assert Predictor(statistics_of(events, every)).cell_loads(merged_plan) == pytest.approx(
        measured(merged_plan, events), rel=0.2
    )


@pytest.mark.parametrize(("kinds", "apart", "shared"), [("P", 0.75, 0.5), ("PQ", 0.625, 0.5)])
def test_example_9_reused_hash_functions(kinds: str, apart: float, shared: float) -> None:
    """S23, Example 9: P(x1), Q(x1, x2), shares 2 and 1 for {} and {x2}: one hash function, half of the events in
    each slice; two functions, P events are in both slices with probability one half."""
    own = (atom("P", "x1"), atom("Q", "x1", "x2"))
    events = uniform(8000, kinds)
    types = (AttributeType.INT, AttributeType.INT)
    reused = cubes_of({frozenset(): (2, 1), frozenset({"x2"}): (2, 1)}, ("x1", "x2"), "text")
    assert reused[0].seeds == reused[1].seeds
    plan = Plan(("q",), own, ("x1", "x2"), types, reused, {"x2": pa.array([0])})
    fresh = replace(plan, cubes=(reused[0], Cube(frozenset({"x2"}), (2, 1), (seed_of("other"), 1))))
    predictor = Predictor(statistics_of(events, own))
    for compared, expected in ((plan, shared), (fresh, apart)):
        assert measured(compared, events).max() == pytest.approx(expected, abs=0.02)
        assert predictor.cell_loads(compared).max() == pytest.approx(expected, abs=0.02)


def test_the_bound_counts_full_rates_for_every_heavy_set() -> None:
    """S24: the triangle on 64 slices with one heavy variable: 1/16 for {} and (1/8 + 1/64 + 1/8) / 3 for {x1}."""
    events = uniform(3000)
    heavy = pa.array([0] * 1500 + events["a"].to_pylist()[1500:])
    skewed = events.set_column(events.column_names.index("a"), "a", heavy).set_column(
        0, "event_type", pa.array(["P", "Q", "R"] * 1000)
    )
    plan = make_plan({"q": TRIANGLE}, ("x1", "x2", "x3"), statistics_of(skewed, TRIANGLE), 64, "", heavy=("x1",))
    assert [cube.shares for cube in plan.cubes] == [(4, 4, 4), (1, 8, 8)]
    assert plan.predicted is not None
    assert plan.predicted.bound == pytest.approx(1 / 16 + (1 / 8 + 1 / 64 + 1 / 8) / 3)

"""Slicing strategies side by side (rows S11, S17, X4, X9): which keep every result, and what they load."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cep_core.experiments.generators.joins import FORMULAS, JoinStream, generate
from cep_core.experiments.measurement import SCHEMA
from cep_core.experiments.rival_slicers import Pairs, broadcast, by_key, composed, deal_out, worth_hashing
from cep_core.experiments.slice_counts import predicted_loads
from cep_core.experiments.slice_loads import loads_of
from cep_core.experiments.slicing_rows import compare_strategies
from cep_core.language.evaluator import Atom, Reach
from cep_core.slicing import Plan, heavy_hitters, make_plan, split, statistics_of
from tests.slicing.laws.conjunctive import Query, evaluate
from tests.slicing.laws.random_plans import VARIABLES, logs_with_results, plans
from tests.slicing.laws.test_law import queries
from tests.slicing.paper import TRIANGLE, atom, fixed_plan, log
from tests.slicing.test_prediction import uniform

NAMES = ("x1", "x2", "x3")


def keys_of_all_slices(query: Query, events: pa.Table, pairs: Pairs) -> set[object]:
    """Results that at least one slice finds."""
    rows, numbers = pairs
    parts = (evaluate(query, events.take(pa.array(rows[numbers == number]))) for number in np.unique(numbers))
    return {result for part in parts for result in part}


STRATEGIES: dict[str, Callable[[Plan, pa.Table], Pairs]] = {
    "by all variables": lambda plan, events: by_key(plan.atoms, VARIABLES, events, plan.variables, 3, "s"),
    "by one variable": lambda plan, events: by_key(plan.atoms, VARIABLES, events, plan.variables[:1], 3, "s"),
    "broadcast": lambda plan, events: broadcast(
        plan.atoms, worth_hashing(plan.atoms, statistics_of(events, plan.atoms)), VARIABLES, events, 3, "s"
    ),
    "composed": composed,
}


@pytest.mark.parametrize("strategy", STRATEGIES)
@given(queries(), st.data())
@settings(deadline=None)
def test_no_strategy_loses_a_result(strategy: str, query: Query, data: st.DataObject) -> None:
    """X9: every result of a query without negation is found in some slice."""
    positive = Query(query.positive, (), query.width)
    events = data.draw(logs_with_results(positive.atoms, positive.width))
    plan = data.draw(plans(positive.atoms))
    pairs = STRATEGIES[strategy](plan, events)
    assert set(evaluate(positive, events)) <= keys_of_all_slices(positive, events, pairs)
    assert len(set(zip(*pairs, strict=True))) == len(pairs[0])


def test_dealing_out_without_copies_loses_results() -> None:
    """X9: round robin is even and wrong: of 16 triangles it finds few."""
    events = log(*((kind, value, value) for value in range(16) for kind in "PQR"))
    query = Query(TRIANGLE[::-1], (), 100)
    rows, numbers = deal_out(TRIANGLE, events, 4)
    assert np.bincount(numbers).tolist() == [12] * 4
    assert len(evaluate(query, events)) == 16
    assert len(keys_of_all_slices(query, events, (rows, numbers))) < 16


@pytest.mark.parametrize(("slices", "single", "joint"), [(16, 0.375, 1 / 6), (64, 0.34375, 1 / 16)])
def test_triangle_of_one_variable_against_the_hypercube(slices: int, single: float, joint: float) -> None:
    """X9: one variable leaves a third of the events in every slice; the hypercube does not."""
    events = uniform(60_000)
    plan = make_plan({"q": TRIANGLE}, NAMES, statistics_of(events, TRIANGLE), slices, "s", heavy=())
    types = dict(zip(NAMES, plan.types, strict=True))
    _, slice_numbers = by_key(TRIANGLE, types, events, ["x1"], slices, "s")
    assert np.bincount(slice_numbers).max() / 60_000 == pytest.approx(single, rel=0.05)
    assert loads_of(partial(split, plan), slices, events, 60_000).maximum == pytest.approx(joint, rel=0.1)


def test_composed_single_variables_send_one_type_with_two_atoms_everywhere() -> None:
    """S11, Example 3: P(x), P(y), shares 2, 2: composed slicers send P to all four slices, the joint one to three."""
    plan = fixed_plan((atom("P", "x"), atom("P", "y")), ("x", "y"), 2, 2)
    events = log(("P", 4), ("P", 7))
    assert len(composed(plan, events)[0]) == 8
    assert len(split(plan, events)[0]) == 6


@pytest.mark.parametrize(("formula", "variable"), [("star", "a"), ("linear", "b"), ("triangle", "b")])
def test_told_heavy_values_even_out_skew(formula: str, variable: str) -> None:
    """X4: Zipf exponent 2 on 16 slices: told what is heavy, slices are even and the fullest one holds less."""
    events = generate(JoinStream(formula, 1, event_rate=1000, rate_p=1 / 3, rate_q=1 / 3, zipf={variable: 2.0}))
    atoms = FORMULAS[formula]
    names = sorted({name for atom in atoms for _, name in atom.variables})
    statistics = statistics_of(events, atoms, 60)
    maxima, imbalances = [], []
    for heavy in ((), (variable,)):
        made = [make_plan({"q": atoms}, names, statistics, 16, str(seed), heavy=heavy) for seed in range(5)]
        loads = [loads_of(partial(split, plan), plan.slices, events, events.num_rows) for plan in made]
        maxima.append(np.mean([load.maximum for load in loads]))
        imbalances.append(np.mean([load.imbalance for load in loads]))
    assert maxima[1] < maxima[0]
    assert imbalances[1] < 1.15 < 1.3 < imbalances[0]


def test_the_comparison_counts_real_loads() -> None:
    """S17, X9: one row for each strategy and metric, counted on the events of the interval and its reach."""
    events = uniform(6000)
    plan = make_plan({"q": TRIANGLE}, NAMES, statistics_of(events, TRIANGLE), 16, "s", Reach(time=500), (1000, 5000))
    table = compare_strategies(plan, events, 16, "s", Reach(time=500), (1000, 5000), yesterday=plan)
    assert table.schema == SCHEMA
    values = {(row["strategy"], row["metric"]): row["value"] for row in table.to_pylist()}
    assert {name for name, _ in values} == {
        "plan in use",
        "hypercube with heavy hitters",
        "hypercube without heavy hitters",
        "composed single variables",
        "best single variable",
        "partition key",
        "broadcast",
        "time ranges",
        "yesterday's plan",
        "lower bound",
    }
    assert values["time ranges", "maximum load"] == pytest.approx((250 + 500) / 4500)
    assert values["time ranges", "replication"] == pytest.approx(16 * (250 + 500) / 4500)
    assert values["partition key", "maximum load"] == 1
    assert values["yesterday's plan", "maximum load"] == values["plan in use", "maximum load"]
    assert values["lower bound", "maximum load"] <= values["hypercube without heavy hitters", "maximum load"]
    third = values["broadcast", "maximum load"]
    assert third == pytest.approx(2 / 3 + 1 / 3 / 16, rel=0.05)
    for name in ("plan in use", "composed single variables", "best single variable"):
        assert 1 / 16 <= values[name, "maximum load"] < 1
        assert values[name, "imbalance"] >= 1


def test_yesterdays_plan_is_moved_to_today() -> None:
    """Its time ranges are cut again from today's interval; shares, seeds and heavy values stay."""
    own = [atom("P"), atom("Q"), atom("R")]
    events = uniform(6000)
    old = make_plan({"q": own}, (), statistics_of(events, own), 4, "s", Reach(time=10), (-6000, 0))
    new = make_plan({"q": own}, (), statistics_of(events, own), 4, "s", Reach(time=10), (0, 6000))
    rows = compare_strategies(new, events, 4, "s", Reach(time=10), (0, 6000), yesterday=old).to_pylist()
    loads = {row["strategy"]: row["value"] for row in rows if row["metric"] == "maximum load"}
    assert loads["yesterday's plan"] == loads["plan in use"] == pytest.approx(1510 / 6000)


def test_a_day_without_events_compares() -> None:
    """Loads are 0, nothing fails."""
    events = uniform(0)
    plan = make_plan({"q": TRIANGLE}, NAMES, statistics_of(events, TRIANGLE), 4, "s", Reach(time=5), (0, 100))
    table = compare_strategies(plan, events, 4, "s", Reach(time=5), (0, 100))
    assert {row["value"] for row in table.to_pylist() if row["metric"] == "maximum load"} == {0.0}


def test_counting_in_batches_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """S2: strategies look at single events, so loads add up over batches."""
    events = uniform(500)
    plan = make_plan({"q": TRIANGLE}, NAMES, statistics_of(events, TRIANGLE), 8, "s", Reach(time=50), (100, 400))
    whole = compare_strategies(plan, events, 8, "s", Reach(time=50), (100, 400), yesterday=plan)
    monkeypatch.setattr("cep_core.experiments.slice_loads.BATCH", 37)
    assert compare_strategies(plan, events, 8, "s", Reach(time=50), (100, 400), yesterday=plan) == whole


@pytest.mark.parametrize(("slices", "heavy"), [(4, [1]), (8, [1, 2]), (16, [1, 2, 3])])
def test_heavy_values_of_a_zipf_stream(slices: int, heavy: list[int]) -> None:
    """X4: with exponent 2 the values heavier than 1/4, 1/8, 1/16 of P are 1; 1, 2; 1, 2, 3."""
    events = generate(JoinStream("star", 3, event_rate=1000, rate_p=1 / 3, rate_q=1 / 3, zipf={"a": 2.0}))
    heavy_ = heavy_hitters(statistics_of(events, FORMULAS["star"]), Atom("P"), "first", slices)
    assert heavy_.values.to_pylist() == heavy


def test_more_slices_are_predicted_to_hold_less() -> None:
    """For each number the planner's own prediction, which the plan of that number keeps; never below its bound."""
    events = log(*((kind, value % 7, value) for value in range(200) for kind in "PQR"))
    plan = make_plan({"q": TRIANGLE}, NAMES, statistics_of(events, TRIANGLE), 4, "seed")
    predictions = predicted_loads(plan, events, "seed", Reach(), None)
    assert list(predictions) == [2, 4, 8, 16]
    loads = [costs.maximum_load for costs in predictions.values()]
    assert loads == sorted(loads, reverse=True)
    assert loads[-1] < loads[0]
    assert all(costs.lower_bound <= costs.maximum_load for costs in predictions.values())
    assert predictions[4] == plan.predicted

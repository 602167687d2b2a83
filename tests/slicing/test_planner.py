"""The planner: heavy or plain, how many ranges, reproducible and explained (rows S23, S28)."""

from __future__ import annotations

import json
from itertools import combinations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings

from cep_core.events.schema import AttributeType
from cep_core.language.evaluator import Atom, Reach
from cep_core.slicing import Frequencies, Plan, Statistics, make_plan, planner, split, statistics_of
from cep_core.slicing.prediction import Predictor
from cep_core.slicing.share_search import partial_vectors
from tests.slicing.laws.random_plans import plans
from tests.slicing.paper import TRIANGLE, atom

ONE = (atom("P", "x"), atom("Q", "x"))
TWO = (atom("P", "x", "y"), atom("Q", "x", "y"))


def skewed(count: int = 6000, seed: int = 0) -> pa.Table:
    """Three values make up attribute a; b is uniform."""
    random = np.random.default_rng(seed)
    kinds = np.array(["P", "Q", "R"])[random.integers(0, 3, count)]
    return pa.table(
        {
            "event_type": kinds,
            "ts": range(count),
            "a": random.integers(0, 3, count),
            "b": random.integers(0, 10**9, count),
        }
    )


def test_a_single_variable_is_hashed_although_its_values_are_heavy() -> None:
    """docs/semantics.md 6: with no other variable, share 1 for heavy values would put them all in one slice."""
    plan = make_plan({"q": ONE}, ["x"], statistics_of(skewed(), ONE), 4, "s")
    assert not plan.heavy
    assert "are hashed like any other: predicted maximum load 1.000 with their own shares" in " ".join(plan.decisions)


def test_heavy_values_get_their_own_shares_where_another_variable_splits_them() -> None:
    """docs/semantics.md 6: with y to split them, x's values are told to the slicer, and it says what that gains."""
    events = skewed()
    plan = make_plan({"q": TWO}, ["x", "y"], statistics_of(events, TWO), 16, "s")
    assert set(plan.heavy) == {"x"}
    assert plan.by_heavy[frozenset({"x"})].shares == (1, 16)
    assert "heavy values of x (3) get their own shares" in plan.decisions[0]
    plain = make_plan({"q": TWO}, ["x", "y"], statistics_of(events, TWO), 16, "s", heavy=())
    fullest = [np.bincount(split(compared, events)[1]).max() for compared in (plan, plain)]
    assert fullest[0] < fullest[1]


@pytest.mark.parametrize("slices", [2, 5, 8, 16])
def test_the_choice_is_the_least_of_all_sets_of_heavy_variables(slices: int) -> None:
    """No forced set of told variables has a lower predicted maximum load than the planner's."""
    statistics = statistics_of(skewed(), TRIANGLE)
    names = ("x1", "x2", "x3")
    loads = {
        heavy: make_plan({"q": TRIANGLE}, names, statistics, slices, "s", heavy=heavy).predicted
        for heavy in ((), ("x1",), ("x2",), ("x3",), ("x1", "x2"), ("x1", "x3"), ("x2", "x3"), names)
    }
    chosen = make_plan({"q": TRIANGLE}, names, statistics, slices, "s").predicted
    assert chosen is not None
    assert chosen.maximum_load == pytest.approx(
        min(costs.maximum_load for costs in loads.values() if costs is not None)
    )


def test_many_heavy_variables_are_added_one_by_one() -> None:
    """Beyond four, sets are grown while that helps; the result is never worse than telling nothing."""
    random = np.random.default_rng(1)
    names = [f"v{i}" for i in range(6)]
    events = pa.table({"event_type": ["P"] * 500, "ts": range(500), **{n: random.integers(0, 2, 500) for n in names}})
    own = [Atom("P", tuple((name, name) for name in names))]
    statistics = statistics_of(events, own)
    plan, plain = (make_plan({"q": own}, names, statistics, 8, "s", heavy=heavy) for heavy in (None, ()))
    assert plan.predicted is not None
    assert plain.predicted is not None
    assert plan.predicted.maximum_load <= plain.predicted.maximum_load


def test_at_most_eight_variables_are_told() -> None:
    """S26: of twelve variables with heavy values those whose values are in the most events; 2^8 share vectors."""
    names = [f"v{number:02}" for number in range(12)]
    own = [Atom(f"P{name}", (("a", name), ("b", "z"))) for name in names]
    frequencies = {}
    for number, atom_ in enumerate(own):
        frequencies[Atom(atom_.event_type), "a"] = Frequencies(pa.array([1, 2]), np.array([600 + number, 400 - number]))
        frequencies[Atom(atom_.event_type), "b"] = Frequencies(pa.array(range(1000)), np.ones(1000, np.int64))
    statistics = Statistics({atom_.event_type: 1000 for atom_ in own}, frequencies)
    plan = make_plan({"q": own}, [*names, "z"], statistics, 2, "s", heavy=names)
    assert sorted(plan.heavy) == names[4:]
    assert len(plan.cubes) == 256


def test_time_ranges_split_what_no_variable_can() -> None:
    """docs/semantics.md 6: without variables the plan is ranges of log time, as many as there are slices."""
    own = [atom("P"), atom("Q")]
    events = skewed()
    plan = make_plan({"q": own}, [], statistics_of(events, own), 4, "s", Reach(time=600), (0, 6000))
    assert len(plan.ranges) == 4
    assert plan.predicted is not None
    assert plan.predicted.maximum_load == pytest.approx((1500 + 600) / 6600)
    assert plan.predicted.replication == pytest.approx(4 * (1500 + 600) / 6600)
    assert "4 time ranges: predicted maximum load 0.318, 1.000 without" in plan.decisions


def test_copies_by_time_ranges_are_those_of_all_ranges() -> None:
    """Quiet hours are copied less than the busiest one: with stamps, as many copies as the splitter makes."""
    own, stamps = [atom("P")], np.sort(np.random.default_rng(5).integers(0, 60, 4000) ** 2)
    events = pa.table({"event_type": ["P"] * 4000, "ts": stamps})
    statistics = statistics_of(events, own)
    plan = make_plan({"q": own}, [], statistics, 16, "s", Reach(time=100), (0, 3600), stamps=stamps, ranges=16)
    rows, _ = split(plan, events)
    assert plan.predicted is not None
    assert plan.predicted.replication == pytest.approx(len(rows) / 4000)
    assert plan.predicted.replication < 0.5 * 16 * plan.predicted.maximum_load


def test_no_ranges_where_the_reach_is_longer_than_they_save() -> None:
    """A reach of many days makes ranges copy more than they split; variables do it all."""
    plan = make_plan({"q": TWO}, ["x", "y"], statistics_of(skewed(), TWO), 8, "s", Reach(time=60_000), (0, 6000))
    assert len(plan.ranges) == 1
    unbounded = make_plan({"q": TWO}, [], statistics_of(skewed(), TWO), 8, "s", Reach(time=None), (0, 6000))
    assert unbounded.slices == 1


def test_a_closed_query_has_one_slice_and_says_so() -> None:
    """S28: no variable, no time: one slice."""
    plan = make_plan({"q": [atom("P")]}, [], statistics_of(skewed(), [atom("P")]), 8, "s")
    assert plan.slices == 1
    assert "no slicing variable" in plan.describe()[0]


def test_an_empty_day_has_a_plan() -> None:
    """Without events nothing is split and nothing fails."""
    events = skewed(0)
    plan = make_plan({"q": TWO}, ["x", "y"], statistics_of(events, TWO), 8, "s", Reach(time=5), (0, 100))
    assert plan.slices == 1
    assert plan.predicted is not None
    assert plan.predicted.maximum_load == 0


def test_queries_with_equal_atoms_share_them() -> None:
    """A plan holds each different atom once, and the names of its queries in order."""
    plan = make_plan({"late": TWO, "early": TWO[::-1]}, ["x", "y"], statistics_of(skewed(), TWO), 4, "s")
    assert plan.atoms == TWO
    assert plan.queries == ("early", "late")


def test_a_query_that_lacks_a_variable_cannot_share_the_plan() -> None:
    """Its results would have no owner."""
    with pytest.raises(ValueError, match="no atom of narrow binds y"):
        make_plan({"wide": TWO, "narrow": ONE}, ["x", "y"], statistics_of(skewed(), (*ONE, *TWO)), 4, "s")


def test_plans_are_reproducible() -> None:
    """S23: the same inputs give the same plan; another text gives other seeds; the log never does."""
    first, again, reseeded = (
        make_plan({"q": TWO}, ["x", "y"], statistics_of(skewed(seed=seed), TWO), 8, text)
        for seed, text in ((0, "a"), (0, "a"), (0, "b"))
    )
    elsewhere = make_plan({"q": TWO}, ["x", "y"], statistics_of(skewed(seed=9), TWO), 8, "a")
    assert first == again
    assert first.plan_id == again.plan_id != reseeded.plan_id
    assert first.cubes != reseeded.cubes
    assert first.cubes[0] == elsewhere.cubes[0]


@given(plans())
@settings(deadline=None)
def test_plans_survive_json(plan: Plan) -> None:
    """`from_dict` of the JSON text of `to_dict` is the same plan, with the same id."""
    text = json.dumps(plan.to_dict())
    restored = Plan.from_dict(json.loads(text))
    assert restored.plan_id == plan.plan_id == plan.to_dict()["plan_id"]
    assert json.dumps(restored.to_dict()) == text
    assert restored.types == plan.types
    assert {name: values.type for name, values in restored.heavy.items()} == {n: v.type for n, v in plan.heavy.items()}


def test_types_come_from_the_statistics_or_the_caller() -> None:
    """An integer and a float attribute make a float variable; unknown types are an error that says what to give."""
    events = pa.table({"event_type": ["P", "Q"], "ts": [0, 1], "a": [1, 2], "b": [1.0, 2.0]})
    own = [atom("P", "x"), Atom("Q", (("b", "x"),))]
    assert make_plan({"q": own}, ["x"], statistics_of(events, own), 2, "s").types == (AttributeType.FLOAT,)
    bare = Statistics({"P": 1, "Q": 1})
    with pytest.raises(ValueError, match="give `types`"):
        make_plan({"q": own}, ["x"], bare, 2, "s")
    assert make_plan({"q": own}, ["x"], bare, 2, "s", types={"x": AttributeType.INT}).slices == 2


def test_a_division_that_is_not_tried_could_not_win() -> None:
    """Of all numbers of time ranges none has a lower predicted load than the one chosen, without heavy values too."""
    statistics = statistics_of(skewed(), TRIANGLE)
    names, reach, interval = ("x1", "x2", "x3"), Reach(time=300), (0, 6000)
    chosen = make_plan({"q": TRIANGLE}, names, statistics, 24, "s", reach, interval, heavy=None).predicted
    forced = [
        make_plan({"q": TRIANGLE}, names, statistics, 24, "s", reach, interval, ranges=count, heavy=()).predicted
        for count in (1, 2, 3, 4, 6, 8, 12, 24)
    ]
    assert chosen is not None
    assert all(chosen.maximum_load <= prediction.maximum_load for prediction in forced if prediction is not None)


def pairs_of(count: int) -> tuple[list[Atom], list[str], Statistics]:
    """An atom for each pair of variables, with unlike rates and two heavy values of each variable."""
    names = [f"v{number:02}" for number in range(count)]
    own = [Atom(f"P{first}{second}", (("a", first), ("b", second))) for first, second in combinations(names, 2)]
    rates = {atom_.event_type: 100 * (1 + place * 37 % 101) for place, atom_ in enumerate(own)}
    values = pa.array(range(12))
    frequencies = {
        (Atom(name), place): Frequencies(values, np.array([rate // 5] * 2 + [rate * 6 // 100] * 10))
        for name, rate in rates.items()
        for place in "ab"
    }
    return own, names, Statistics(rates, frequencies)


def test_planning_with_eight_heavy_variables_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """S26: nearly all vectors are dropped by the first bound; cubes that treat an atom alike are predicted once."""
    own, names, statistics = pairs_of(12)
    weighed, predicted = [], []
    weigh, predict = partial_vectors._weighted, Predictor._chance
    monkeypatch.setattr(
        partial_vectors, "_weighted", lambda costs, *rest: weighed.append(len(costs)) or weigh(costs, *rest)
    )
    monkeypatch.setattr(Predictor, "_chance", lambda *given: predicted.append(1) or predict(*given))
    plan = make_plan({"q": own}, names, statistics, 64, "s", heavy=names)
    assert len(plan.cubes) == 256
    assert sum(weighed) < 40_000
    assert len(predicted) < len(own) * len(plan.cubes) / 2


def test_forced_heavy_values_are_tried_in_few_divisions(monkeypatch: pytest.MonkeyPatch) -> None:
    """S26: 256 share vectors for two divisions into time ranges, not for each of ten."""
    own, names, statistics = pairs_of(9)
    tried = []
    best_shares = planner.best_shares
    monkeypatch.setattr(planner, "best_shares", lambda *given: tried.append(given[2:5:2]) or best_shares(*given))
    make_plan({"q": own}, names, statistics, 24, "s", Reach(time=30_000), (0, 6000), heavy=names)
    assert len({slices for slices, heavy in tried if heavy}) == 2

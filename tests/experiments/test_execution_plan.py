"""The paper's engine, run by run: its primitives on its own examples, and each optimisation against the definition."""

from __future__ import annotations

import itertools

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cep_core as cep
from cep_core.events.schema import Ties
from cep_core.events.table import log_schema_of, order
from cep_core.experiments.sase.execution_plan import ExecutionPlan, Optimisations
from cep_core.experiments.sase.postponing import Label, MainRun, Postponing
from cep_core.language.patterns.bind.binding import bind
from cep_core.language.patterns.tree import Kleene, Sequence, Unit
from tests.matching.examples.letters import log
from tests.matching.worlds.conditions import conditions
from tests.matching.worlds.drawing import logs
from tests.matching.worlds.parts import AT
from tests.matching.worlds.world import World

BARE = Optimisations()
POSTPONING = Optimisations(prune_by_window=True, postpone=True)
ON_THE_FLY = Optimisations(push_vertex=True, prune_by_window=True, postpone=True, on_the_fly=True)


def plan_of(query: str, events: pa.Table, options: Optimisations = BARE, ties: str = "concurrent") -> ExecutionPlan:
    return ExecutionPlan(bind(query, log_schema_of(order(events), ties=Ties(ties))), options)


FIG_4 = log("ABBBC", val=[0, 1, 2, 3, 0], task=[7] * 5)
FIG_4_QUERY = "PATTERN SEQ(A a, B+ b[], C c) WHERE [task] AND b[i].val >= b[i-1].val WITHIN 100"


def test_k12_fig_4_primitives() -> None:
    """Fig. 4: 15 runs, of which one is begun and 14 are clones; 7 of them end in the final state."""
    plan = plan_of(FIG_4_QUERY, FIG_4)
    assert len(plan.matches(FIG_4)) == 7
    counters = plan.counters
    assert (counters.runs, counters.initialisations, counters.clonings, counters.extensions) == (15, 1, 14, 14)
    # from b[i] to c once for each of the 7 runs that hold a b; each of these is a match
    assert (counters.proceedings, counters.terminations, counters.matches) == (7, 7, 7)
    # a1; 1 + 2 + 4 ways to take a b; 7 to take c
    assert counters.edge_evaluations == 1 + 7 + 7


def test_k17_fig_4_postponing() -> None:
    """One run, 7 cases, 7 matches."""
    plan = plan_of(FIG_4_QUERY, FIG_4, POSTPONING)
    assert len(plan.matches(FIG_4)) == 7
    assert (plan.counters.runs, plan.counters.cases, plan.counters.matches) == (1, 7, 7)


@pytest.mark.parametrize(
    ("strategy", "runs", "matches"),
    [("strict_contiguity", 2, 1), ("skip_till_next_match", 2, 2), ("skip_till_any_match", 14, 6)],
)
def test_k8_k9_k10_fig_3_runs(strategy: str, runs: int, matches: int) -> None:
    """Fig. 3: 1 match of 2 runs, 2 of 2, 6 of 14."""
    events = log("AABBC", [1, 2, 5, 6, 7])
    query = f"PATTERN SEQ(A a, B+ b[], C c) WHERE {strategy} {{ 1 = 1 }} WITHIN 10"
    plan = plan_of(query, events, Optimisations(prune_by_window=True))
    assert (len(plan.matches(events)), plan.counters.runs) == (matches, runs)


@pytest.mark.parametrize(("pattern", "runs"), [("SEQ(A, B, C)", 39), ("SEQ(A, B+, C)", 87)])
def test_k16_runs_of_three_blocks(pattern: str, runs: int) -> None:
    """Three a's, b's and c's: 39 runs of at most (3^4 - 1) / 2 = 40; 87 of at most (3^3 - 1) / 2 * 2^3 = 104."""
    events = log("AAABBBCCC")
    plan = plan_of(f"PATTERN {pattern} WITHIN 100", events)
    plan.matches(events)
    assert plan.counters.runs == runs


def labels_of(condition: str) -> tuple[list[Label | None], set[tuple[int, int]]]:
    """What on-the-fly evaluation says of each of the paper's five values."""
    events = log("ABBBBB", val=[0.0, 0.1, 0.2, 0.15, 0.19, 0.25])
    plan = plan_of(f"PATTERN SEQ(A a, B+ b[], C c) WHERE {condition} WITHIN 100", events, ON_THE_FLY)
    plan.matches(events)
    state = Postponing(plan)
    state.matches(range(6))
    (run,) = state.runs
    assert isinstance(run, MainRun)
    return [run.labels.get((0, row)) for row in range(1, 6)], run.only_first


def test_k19_labels() -> None:
    """> max is true-consistent: S S U U S; < max false-consistent: what fails comes first or not at all."""
    safe, unsafe = Label.SAFE, Label.UNSAFE
    assert labels_of("b[i].val > max(b[..i-1].val)") == ([safe, safe, unsafe, unsafe, safe], set())
    assert labels_of("b[i].val < max(b[..i-1].val)") == ([None] * 5, {(1, 2), (1, 5)})
    assert labels_of("b[i].val > avg(b[..i-1].val)") == ([None] * 5, set())
    assert labels_of("b[i].val >= b[i-1].val") == ([None] * 5, set())


def test_k19_a_test_of_neighbours_cannot_be_applied_early() -> None:
    """b[i] >= b[i-1] applied to the events gathered would keep 0.1 0.2 0.25: 7 of the 19 subsequences."""
    events = log("BBBBB", val=[0.1, 0.2, 0.15, 0.19, 0.25])
    query = "PATTERN B+ b[] WHERE b[i].val >= b[i-1].val WITHIN 100"
    for options in (BARE, POSTPONING, ON_THE_FLY):
        assert len(plan_of(query, events, options).matches(events)) == 19
    kept = log("BBB", val=[0.1, 0.2, 0.25])
    assert len(plan_of(query, kept).matches(kept)) == 19 - 12


@pytest.mark.parametrize(
    ("condition", "consistency", "passes_on", "fails_on"),
    [
        ("b[i].val > max(b[..i-1].val)", "true", True, False),
        ("b[i].val < max(b[..i-1].val)", "false", False, True),
        ("b[i].val < min(b[..i-1].val)", "true", True, False),
        ("b[i].val > min(b[..i-1].val)", "false", False, True),
        ("b[i].val > count(b[..i-1].val)", "true", True, False),
        ("b[i].val < count(b[..i-1].val)", "false", False, True),
        ("b[i].val > 2", "both", True, True),
        ("b[i].val > avg(b[..i-1].val)", "inconsistent", False, False),
        ("b[i].val > b[1].val", "inconsistent", False, False),
        ("b[i].val > b[i-1].val", "inconsistent", False, False),
    ],
)
def test_k18_consistency_of_predicates(condition: str, consistency: str, passes_on: bool, fails_on: bool) -> None:
    """A test is true-consistent if an event that passes against all events before passes against any subset of them."""
    said = [fact for fact in explained(condition) if fact["class"] != "equivalence"]
    assert [fact["consistency"] for fact in said] == [consistency]
    passing, failing = True, True
    for values in itertools.permutations([0, 1, 2, 3, 4], 3):
        *before, last = range(1, 4)
        events = log("ABBB", val=[0, *values])
        plan = plan_of(f"PATTERN SEQ(A a, B+ b[]) WHERE {condition} WITHIN 100", events)
        plan.matches(events)
        (test,) = [*plan.tests, *plan.vertex_tests]
        whole = plan.holds(test, {"b": [*before, last]}, newest=True)
        subsets = [plan.holds(test, {"b": [event, last]}, newest=True) for event in before]
        passing &= not whole or all(subsets)
        failing &= whole or not any(subsets)
    assert (passing, failing) == (passes_on, fails_on)


def explained(condition: str) -> list[dict[str, str]]:
    query = f"PATTERN SEQ(A a, B+ b[], C c) WHERE {condition} WITHIN 100"
    facts: list[dict[str, str]] = cep.explain(query).to_dict()["predicates"]
    return facts


def test_k20_collapsed_results_stand_for_all_matches() -> None:
    """Where every test is of one event, all subsets of a collapsed result are matches; construction costs nothing."""
    events = log("ABBBBC", val=[0, 7, 1, 8, 9, 0])
    query = "PATTERN SEQ(A a, B+ b[], C c) WHERE b[i].val > 5 WITHIN 100"
    plan = plan_of(query, events, Optimisations(push_vertex=True, postpone=True, on_the_fly=True, collapse=True))
    assert plan.matches(events) == [((0,), (1, 3, 4), (5,))]
    assert plan.counters.cases == plan.counters.tests == 0
    assert cep.match(query, events).num_rows == 2**3 - 1
    row = cep.match(query, events, collapsed=True).to_pylist()[0]
    assert (row["b"], row["match_count"]) == ([1, 3, 4], 7)


def test_options_that_contradict_each_other() -> None:
    """What only skip-till-any-match allows, and what goes with postponing."""
    query = "PATTERN SEQ(A a, B+ b[]) WHERE skip_till_next_match { 1 = 1 } WITHIN 9"
    for options in (POSTPONING, BARE):
        with pytest.raises(ValueError, match=r"postponed|window decides"):
            plan_of(query, log("AB"), options)
    with pytest.raises(ValueError, match="go with postponing"):
        plan_of("PATTERN A WITHIN 9", log("AB"), Optimisations(collapse=True))
    with pytest.raises(ValueError, match="sequence of types"):
        plan_of("PATTERN SEQ(A, NOT B, C) WITHIN 9", log("ABC"))


@st.composite
def plain_worlds(draw: st.DrawFn) -> World:
    """Sequences of types and closures of types, with up to two conditions."""
    units = [Unit(draw(st.sampled_from("ABC")), f"v{k}", AT) for k in range(draw(st.integers(1, 3)))]
    elements = tuple(Kleene(unit, 1, None, AT) if draw(st.booleans()) else unit for unit in units)
    pattern = Sequence(elements, AT)
    world = World(pattern, draw(logs()), conditions=draw(st.lists(conditions(pattern), max_size=2)))
    world.keyed, world.ordered = draw(st.booleans()), draw(st.booleans())
    world.size, world.in_events = draw(st.sampled_from([2, 4, 9])), draw(st.booleans())
    return world


@settings(deadline=None)
@given(plain_worlds(), st.lists(st.booleans(), min_size=6, max_size=6))
def test_k17_k19_every_optimisation_leaves_the_matches(world: World, switches: list[bool]) -> None:
    """Naive, pushed, partitioned, pruned, buffered, postponed, on the fly: the matches of the definition."""
    push, partition, prune, buffer, postpone, fly = switches
    options = Optimisations(push, partition, prune, buffer and not postpone, postpone, fly and postpone)
    events = order(world.table)
    plan = plan_of(world.text, events, options, "ordered" if world.ordered else "concurrent")
    names = [component.variable for component in plan.components]
    paths = [
        tuple((row, name) for name, rows in zip(names, match, strict=True) for row in rows)
        for match in plan.matches(events)
    ]
    assert len(set(paths)) == len(paths)
    assert set(paths) == {path for _, path in world.matches()}


@settings(deadline=None)
@given(plain_worlds(), st.sampled_from(["skip_till_next_match", "strict_contiguity"]))
def test_k8_k9_runs_of_the_plan_are_the_definition(world: World, strategy: str) -> None:
    """Under strategies with one match for each start the same engine gives the matches of the definition."""
    world.strategy = strategy
    events = order(world.table)
    plan = plan_of(
        world.text, events, Optimisations(prune_by_window=True), "ordered" if world.ordered else "concurrent"
    )
    names = [component.variable for component in plan.components]
    paths = {
        tuple((row, name) for name, rows in zip(names, match, strict=True) for row in rows)
        for match in plan.matches(events)
    }
    assert paths == {path for _, path in world.matches()}

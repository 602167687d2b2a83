"""Propositional policies from events to tables: what they list of a whole log is what the definition says."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cep_core.events.logs.time_points import with_points
from cep_core.language.evaluator import RESULT, Atom, Ownership
from cep_core.language.propositional.text.printing import formula_text
from cep_core.language.settings import Settings
from cep_core.language.temporal.formulas import Eventually, Implies, Not, Once, Predicate, Prev
from cep_core.language.temporal.interval import Interval
from cep_core.monitoring.propositional.evaluator import PropositionalEvaluator
from cep_core.monitoring.propositional.result.shares import parts_of_formula
from cep_core.monitoring.shared.causes import WHY
from cep_core.monitoring.shared.episodes import EPISODES
from tests.counts import few
from tests.monitoring.propositional.result.tables import expected, judged_values, results, truth_rows
from tests.monitoring.propositional.worlds import DAYS, World, events_of, policy_of, worlds

P, Q = Predicate("p"), Predicate("q")


@given(worlds(), st.sampled_from([None, 1, 3]))
def test_the_tables_say_what_the_definition_says(world: World, most: int | None) -> None:
    evaluator = PropositionalEvaluator(world.policy, Settings(max_violations=most))
    batches = list(evaluator.evaluate(world.events, Ownership(days=DAYS), world.points))
    assert results(evaluator, batches) == expected(world, most)
    listed = [(len(day) > (most or len(day)), *values) for day in world.judged() for values in day[:most]]
    assert judged_values(evaluator, batches) == listed


@few(40)
@given(worlds())
def test_how_often_each_part_of_a_policy_is_true(world: World) -> None:
    evaluator = PropositionalEvaluator(world.policy)
    counted = truth_rows(evaluator, evaluator.evaluate(world.events, Ownership(days=DAYS), world.points))
    formula = world.policy.formula
    of_parts = [list(part_world.logs()) for _, part in parts_of_formula(formula) for part_world in [world.of(part)]]
    expected = []
    for day, begin in enumerate(DAYS[:-1]):
        for node, ((above, part), logs) in enumerate(zip(parts_of_formula(formula), of_parts, strict=True)):
            days = [
                [n for n in list(world.days_of(points))[day] if world.is_heard(points[n])] for _, points, _, _ in logs
            ]
            true = sum(holds[n] for own, (_, _, holds, _) in zip(days, logs, strict=True) for n in own)
            if points := sum(map(len, days)):
                expected.append((node, above, formula_text(part), true, points, begin))
    assert counted == expected


def test_what_the_slicer_and_the_pipeline_ask() -> None:
    evaluator = PropositionalEvaluator(
        policy_of(Implies(P, Eventually(Interval(0, 5), Once(Interval(2, 9), Q))), ("k",))
    )
    assert evaluator.atoms == tuple(Atom(name, (("k", "k"),)) for name in ("P", "Q", "Half"))
    assert evaluator.reads == {"P": ("k", "v"), "Q": ("k",), "Half": ("k",)}
    assert (evaluator.reach.time, evaluator.reads_points, evaluator.speaks_of_silence) == (14, True, False)
    assert evaluator.schema.names == ["ts", "offset", "k"]
    assert any("two monotone pointers" in line for line in evaluator.describe())


def test_a_policy_that_is_violated_or_judges_without_events_speaks_of_silence() -> None:
    """One that judges every point says on which days there are points."""
    formulas = (P, Implies(P, Q), Not(P), Implies(Prev(Interval(), Not(P)), Q))
    assert [PropositionalEvaluator(policy_of(f)).speaks_of_silence for f in formulas] == [True, False, True, True]


def test_an_episode_passes_over_points_that_do_not_judge() -> None:
    """What a person counts: two late departures in a row are one episode, whatever else happens between them."""
    rows = [("P", 1, 1, "x", 5, 0), ("Q", 2, 1, "x", None, 0), ("P", 3, 1, "x", 0, 0), ("P", 5, 1, "x", 3, 0)]
    policy = policy_of(Implies(P, Not(Predicate("r"))), ("k",))
    evaluator = PropositionalEvaluator(policy)
    events, _ = with_points(events_of([*rows, ("P", 6, 1, "x", 4, 0), ("Tick", 7, None, None, None, 0)]))
    [_, (episodes, numbers)] = results(evaluator, evaluator.evaluate(events, Ownership(days=DAYS)))
    assert episodes == [(1, 0, 1, 0, 1, True, False, 1, 1 / 5), (5, 0, 6, 0, 2, False, True, 1, 2 / 5)]
    assert numbers == [2, 0, 0]


@pytest.mark.parametrize("suffix", [RESULT, EPISODES, WHY])
def test_nothing_is_merged_to_an_empty_table(suffix: str) -> None:
    evaluator = PropositionalEvaluator(policy_of(P, ("k", "g")))
    [table] = [table for table in evaluator.tables if table.suffix == suffix]
    assert table.merge([], DAYS).num_rows == 0


def test_a_log_without_events() -> None:
    for for_each in ((), ("k",)):
        evaluator = PropositionalEvaluator(policy_of(P, for_each))
        events, points = with_points(events_of([]))
        assert results(evaluator, evaluator.evaluate(events, Ownership(days=DAYS), points)) == [([], [0, 0, 0])] * 2

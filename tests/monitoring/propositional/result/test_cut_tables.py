"""Propositional policies have the same tables however a log is cut: into slices, ranges of time and runs."""

from __future__ import annotations

from itertools import pairwise

import pyarrow as pa
import pyarrow.compute as pc
from hypothesis import given
from hypothesis import strategies as st

from cep_core.events.logs.time_points import with_points
from cep_core.language.evaluator import Ownership, of_table, tagged
from cep_core.language.settings import Settings
from cep_core.language.temporal.formulas import Implies, Predicate, Truth
from cep_core.monitoring.propositional.evaluator import PropositionalEvaluator
from cep_core.monitoring.shared.episodes import EPISODES
from cep_core.slicing import make_plan, statistics_of
from cep_core.slicing.ranges import read_from
from tests.monitoring.propositional.result.tables import (
    causes,
    expected,
    judged_values,
    parts_of,
    results,
    slices_of,
    truth_rows,
    whole_log,
)
from tests.monitoring.propositional.worlds import DAYS, Row, World, events_of, policy_of, rows_of, worlds

P = Predicate("p")


@given(worlds(), st.data())
def test_any_slices_merge_to_the_same_tables(world: World, data: st.DataObject) -> None:
    """M21: sub-logs and ranges of time, any number and order of slices, with a limit of rows."""
    most = data.draw(st.sampled_from([None, 2]))
    evaluator = PropositionalEvaluator(world.policy, Settings(max_violations=most, explained=3))
    slices = data.draw(st.integers(1, 6))
    plan = make_plan(
        {"q": evaluator.atoms},
        data.draw(st.permutations(world.policy.for_each)),
        statistics_of(world.events, evaluator.atoms),
        slices,
        data.draw(st.text(max_size=2)),
        evaluator.reach,
        (DAYS[0], DAYS[-1]),
        stamps=world.points["ts"].to_numpy(),
        ranges=data.draw(st.sampled_from([None, *range(1, slices + 1)])),
        heavy=data.draw(st.sampled_from([None, (), world.policy.for_each])),
    )
    partials = data.draw(st.permutations(list(parts_of(world, evaluator, plan))))
    assert results(evaluator, partials) == expected(world, most)
    whole = list(evaluator.evaluate(world.events, Ownership(days=DAYS), world.points))
    slices_asked = slices_of(world, evaluator, plan)
    assert causes(evaluator, partials, DAYS, slices_asked) == causes(evaluator, whole, DAYS, [whole_log(world)])
    assert truth_rows(evaluator, partials) == truth_rows(evaluator, whole)
    assert judged_values(evaluator, partials) == judged_values(evaluator, whole)


@given(worlds(), st.data())
def test_parts_of_a_slice_may_be_combined_before_they_are_merged(world: World, data: st.DataObject) -> None:
    most = data.draw(st.sampled_from([None, 2]))
    evaluator = PropositionalEvaluator(world.policy, Settings(max_violations=most, explained=0))
    of_episodes = evaluator.tables[1]
    ranges = data.draw(st.integers(1, 5))
    interval, stamps = (DAYS[0], DAYS[-1]), world.points["ts"].to_numpy()
    statistics = statistics_of(world.events, evaluator.atoms)
    plan = make_plan(
        {"q": evaluator.atoms}, (), statistics, ranges, "", evaluator.reach, interval, stamps=stamps, ranges=ranges
    )
    partials = list(parts_of(world, evaluator, plan))
    assert of_episodes.combine is not None
    cut = data.draw(st.sampled_from([(True, True), (False, False)]))
    combined = of_episodes.combine(of_table(partials, of_episodes.suffix), DAYS, cut)
    whole = [*of_table(partials), *tagged(combined, of_episodes.suffix)]
    assert results(evaluator, whole) == expected(world, most)


@given(worlds(), st.data())
def test_any_runs_leave_the_same_tables(world: World, data: st.DataObject) -> None:
    """M20: each run reads its days and the reach before them, and no event after them."""
    evaluator = PropositionalEvaluator(world.policy)
    cuts = sorted({DAYS[0], DAYS[-1], *data.draw(st.sets(st.sampled_from(DAYS)))})
    tables: list[list[Row]] = [[], []]
    caused: list[Row] = []
    for begin, end in data.draw(st.permutations(list(pairwise(cuts)))):
        low = read_from(begin, evaluator.reach, world.points["ts"].to_numpy())
        ts = world.events["ts"]
        events = world.events.filter(pc.and_(pc.greater_equal(ts, low), pc.less(ts, end)))
        points = world.points.filter(
            pc.and_(pc.greater_equal(world.points["ts"], low), pc.less(world.points["ts"], end))
        )
        days = tuple(day for day in DAYS if begin <= day <= end)
        of_run = events, Ownership(days=days, cut=(False, False)), points
        batches = list(evaluator.evaluate(*of_run))
        caused += causes(evaluator, batches, days, [of_run])
        for number, table in enumerate(evaluator.tables[:2]):
            tables[number] += rows_of(table.merge(of_table(batches, table.suffix), days))
    assert [sorted(rows) for rows in tables] == [sorted(rows) for rows, _ in expected(world, None)]
    whole = evaluator.evaluate(world.events, Ownership(days=DAYS), world.points)
    assert sorted(map(str, caused)) == sorted(map(str, causes(evaluator, whole, DAYS, [whole_log(world)])))


@given(
    st.lists(st.tuples(st.sampled_from("PPPQ"), st.integers(0, 7), st.sampled_from([1, 2])), max_size=12),
    st.lists(st.integers(1, 7), min_size=1, max_size=3, unique=True),
    st.sampled_from([None, 1]),
)
def test_ranges_add_up_the_points_of_a_sub_log(
    steps: list[tuple[str, int, int]], cuts: list[int], most: int | None
) -> None:
    """Most ranges of a day have points of a sub-log and no violation; only together they know what a share is of."""
    rows = [(kind, ts, k, "x", 0 if kind == "P" else None, 0) for kind, ts, k in steps]
    events, points = with_points(events_of(rows), "by_event")
    world = World(policy_of(Implies(Truth(True), P), ("k",)), events, points)
    evaluator = PropositionalEvaluator(world.policy, Settings(max_violations=most, explained=0))
    partials: list[pa.RecordBatch] = []
    for begin, end in pairwise([0, *sorted(cuts), DAYS[1]]):
        own = events.filter(pc.and_(pc.greater_equal(events["ts"], begin), pc.less(events["ts"], end)))
        days = (begin, *DAYS[1:]) if end == DAYS[1] else (begin, end)
        partials += evaluator.evaluate(own, Ownership(days=days, cut=(begin > 0, end < DAYS[1])))
    assert results(evaluator, partials) == expected(world, most)
    of_episodes = evaluator.tables[1]
    assert of_episodes.combine is not None
    for cut in ((True, True), (False, False)):
        combined = of_episodes.combine(of_table(partials, EPISODES), DAYS, cut)
        assert results(evaluator, [*of_table(partials), *tagged(combined, EPISODES)]) == expected(world, most)

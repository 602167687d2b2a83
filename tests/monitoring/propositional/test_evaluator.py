"""Propositional policies from events to tables: what they list is what the definition says, however a log is sliced."""

from __future__ import annotations

import json
from collections.abc import Iterable
from itertools import pairwise

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from cep_core.events.logs.time_points import with_points
from cep_core.language.evaluator import CERTAIN, RESULT, TOTALS, Atom, Ownership, of_table, tagged
from cep_core.language.propositional.text.printing import formula_text
from cep_core.language.settings import Settings
from cep_core.language.temporal.formulas import Always, Eventually, Implies, Interval, Not, Once, Predicate, Prev, Truth
from cep_core.language.totals import rows_to_explain
from cep_core.monitoring.propositional.arrays.points import split_trace_of
from cep_core.monitoring.propositional.evaluator import PropositionalEvaluator
from cep_core.monitoring.propositional.reference import truth
from cep_core.monitoring.propositional.result.explaining import COMPARED
from cep_core.monitoring.propositional.result.shares import TRUTHS, parts_of_formula
from cep_core.monitoring.shared.causes import WHY
from cep_core.monitoring.shared.episodes import EPISODES
from cep_core.monitoring.shared.judged import JUDGED
from cep_core.monitoring.shared.why.checker import proves
from cep_core.monitoring.shared.why.proving import ProofMaker
from cep_core.slicing import Plan, make_plan, ownership, split, statistics_of
from cep_core.slicing.ranges import read_from
from cep_core.testing.unsliced import unsliced
from tests.counts import few
from tests.monitoring.propositional.worlds import DAYS, Row, World, basis, events_of, policy_of, rows_of, worlds
from tests.slicing.laws.only_read import only_read

P, Q = Predicate("p"), Predicate("q")


def results(evaluator: PropositionalEvaluator, batches: Iterable[pa.RecordBatch]) -> list[tuple[list[Row], list[int]]]:
    """The rows of violations and episodes, and their numbers by day."""
    merged = []
    everything = list(batches)
    for table in evaluator.tables[:2]:
        rows = table.merge(of_table(everything, table.suffix), DAYS)
        assert rows.schema.names == [*table.schema.names, CERTAIN]
        totals = json.loads(rows.schema.metadata[TOTALS])
        merged.append((rows_of(rows), [int(totals[str(day)]["matches_total"]) for day in DAYS[:-1]]))
    return merged


def expected(world: World, most: int | None) -> list[tuple[list[Row], list[int]]]:
    return [
        ([row for of_day in days for row in of_day[:most]], [len(of_day) for of_day in days])
        for days in (world.violations(), world.episodes())
    ]


@given(worlds(), st.sampled_from([None, 1, 3]))
def test_the_tables_say_what_the_definition_says(world: World, most: int | None) -> None:
    evaluator = PropositionalEvaluator(world.policy, Settings(max_violations=most))
    batches = list(evaluator.evaluate(world.events, Ownership(days=DAYS), world.points))
    assert results(evaluator, batches) == expected(world, most)
    listed = [(len(day) > (most or len(day)), *values) for day in world.judged() for values in day[:most]]
    assert judged_values(evaluator, batches) == listed


Slice = tuple[pa.Table, Ownership, pa.Table]
"""The events of a slice, what it owns, and the points that it knows."""


def causes(
    evaluator: PropositionalEvaluator, batches: Iterable[pa.RecordBatch], days: tuple[int, ...], slices: Iterable[Slice]
) -> list[Row]:
    """The claims of the proofs of violations: each slice is asked about the points that it owns."""
    [table] = [table for table in evaluator.tables if table.suffix == WHY]
    assert table.in_slices
    assert table.explain is not None
    batches = list(batches)
    asked = rows_to_explain(table, evaluator.merge(of_table(batches), days), batches, days)
    claims: list[pa.RecordBatch] = []
    for events, owned, points in slices:
        assert owned.days is not None
        certain = asked[CERTAIN].to_numpy()
        own = (certain >= owned.days[0]) & (certain < owned.days[-1])
        if owned.owns is not None:
            own &= owned.owns(asked)
        if own.any():
            claims += table.explain(asked.filter(pa.array(own)).drop_columns([CERTAIN]), events, points, owned)
    rows = table.merge(of_table(claims, WHY), days)
    assert rows.schema.names == [*table.schema.names, CERTAIN]
    of_episode = asked.drop_columns([*asked.column_names[:2], CERTAIN]).to_pylist()
    assert sum(row["node"] == 0 for row in rows.to_pylist()) == len({tuple(row.values()) for row in of_episode})
    return rows_of(rows)


def truth_rows(evaluator: PropositionalEvaluator, batches: Iterable[pa.RecordBatch]) -> list[Row]:
    """How often each part of the formula is true, by day. A slice that is not evaluated has no row."""
    [table] = [table for table in evaluator.tables if table.suffix == TRUTHS]
    rows = table.merge(of_table(batches, table.suffix), DAYS)
    assert rows.schema.names == [*table.schema.names, CERTAIN]
    return [tuple(row.values()) for row in rows.to_pylist() if row["points"]]


def judged_values(evaluator: PropositionalEvaluator, batches: Iterable[pa.RecordBatch]) -> list[Row]:
    """The judged values of each day."""
    [table] = [table for table in evaluator.tables if table.suffix == JUDGED]
    return rows_of(table.merge(of_table(batches, JUDGED), DAYS))


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


def slices_of(world: World, evaluator: PropositionalEvaluator, plan: Plan) -> Iterable[Slice]:
    rows, numbers = split(plan, world.events)
    for number in range(plan.slices):
        part = only_read(evaluator, world.events.take(pa.array(rows[numbers == number])))
        owned = ownership(plan, number, DAYS)
        assert owned.days is not None
        if part.num_rows or evaluator.speaks_of_silence:
            ranges = plan.ranges[number // plan.cells] if plan.ranges else None
            begin, end = (ranges.reads_from, ranges.end) if ranges else (0, DAYS[-1])
            yield part, owned, near(world.points, begin, end)


def parts_of(world: World, evaluator: PropositionalEvaluator, plan: Plan) -> Iterable[pa.RecordBatch]:
    for of_slice in slices_of(world, evaluator, plan):
        yield from evaluator.evaluate(*of_slice)


def whole_log(world: World) -> Slice:
    return world.events, Ownership(days=DAYS), world.points


def near(points: pa.Table, begin: int, end: int) -> pa.Table:
    """The points of the stamps in [begin, end), and of those beside them."""
    inside = [n for n, ts in enumerate(points["ts"].to_pylist()) if begin <= ts < end]
    first = sum(ts < begin for ts in points["ts"].to_pylist()) - 1
    kept = sorted({*inside, first, first + len(inside) + 1} & set(range(points.num_rows)))
    return points.take(pa.array(kept, pa.int64()))


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


def test_what_the_slicer_and_the_pipeline_ask() -> None:
    evaluator = PropositionalEvaluator(
        policy_of(Implies(P, Eventually(Interval(0, 5), Once(Interval(2, 9), Q))), ("k",))
    )
    assert evaluator.atoms == tuple(Atom(name, (("k", "k"),)) for name in ("P", "Q", "Half"))
    assert evaluator.reads == {"P": ("k", "v"), "Q": ("k",), "Half": ("k",)}
    assert (evaluator.reach.time, evaluator.reads_points, evaluator.speaks_of_silence) == (14, True, False)
    assert evaluator.schema.names == ["ts", "offset", "k"]
    assert any("two monotone pointers" in line for line in evaluator.describe())


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


def test_causes_name_the_events_that_break_a_policy() -> None:
    """A late departure, and for each stretch of points that might have been quiet the one that breaks its quiet."""
    rows = [("P", 10 * n, 1, "x", 9, 0) for n in range(1, 4)]
    late = Predicate("r")
    quiet = Always(Interval(0, 10), Not(late))
    evaluator = PropositionalEvaluator(policy_of(Implies(late, Eventually(Interval(0, 10), quiet)), ("k",)))
    events, points = with_points(events_of(rows))
    table_rows = unsliced(evaluator, events, points, (0, 31), WHY).to_pylist()
    claims = [tuple(row[name] for name in ("node", "parent", "claim", "at_ts", "holds", "seq")) for row in table_rows]
    assert {(row["ts"], row["k"]) for row in table_rows} == {(10, 1)}
    assert claims == [
        (0, None, "r IMPLIES (EVENTUALLY[0,10] ALWAYS[0,10] NOT r)", 10, False, None),
        (1, 0, "r", 10, True, 0),
        (2, 0, "EVENTUALLY[0,10] ALWAYS[0,10] NOT r", 10, False, None),
        (3, 2, "ALWAYS[0,10] NOT r", 10, False, None),
        (4, 3, "NOT r", 10, False, None),
        (5, 4, "r", 10, True, 0),
        (6, 2, "ALWAYS[0,10] NOT r", 20, False, None),
        (7, 6, "NOT r", 20, False, None),
        (8, 7, "r", 20, True, 1),
    ]


def shared_by_definition(world: World, episode: Row) -> tuple[int, int]:
    """For how many points of an episode its first proof is the same, and of how many."""
    split = split_trace_of(world.policy, world.events, world.points)
    [number] = [n for n, (values, *_) in enumerate(world.logs()) if values == episode[7:-1]]
    [(_, points, holds, _)] = [log for log in world.logs() if log[0] == episode[7:-1]]
    names = [tuple(row.values()) for row in split.values.to_pylist()]
    maker = ProofMaker(split.log(names.index(episode[7:-1]) if names else number, world.events))
    first, last = points.index(episode[:2]), points.index(episode[2:4])
    proofs = [maker.proof(world.policy.formula, n, {}, False) for n in range(first, last + 1) if not holds[n]]
    bases = [basis(tree) for tree in proofs if tree is not None][:COMPARED]
    return bases.count(bases[0]), len(bases)


@few(40)
@given(worlds())
def test_the_longest_episodes_are_explained_once(world: World) -> None:
    """One explanation for an episode, and the number of its points for which it is the same."""
    evaluator = PropositionalEvaluator(world.policy, Settings(explained=2))
    claims = unsliced(evaluator, world.events, world.points, DAYS, WHY).to_pylist()
    tops = [
        (row["ts"], row["offset"], *(row[name] for name in world.policy.for_each)) for row in claims if not row["node"]
    ]
    longest = [
        sorted(of_day, key=lambda row: (row[0] - row[2], -row[4], *row[:2], *row[7:-1]))[:2]
        for of_day in world.episodes()
    ]
    event("shared" if any(row["same_for"] > 1 for row in claims) else "alone")
    assert sorted(tops) == sorted((*row[:2], *row[7:-1]) for of_day in longest for row in of_day)
    counts = {
        top: (row["same_for"], row["compared"])
        for top, row in zip(tops, [r for r in claims if not r["node"]], strict=True)
    }
    for row in [row for of_day in longest for row in of_day]:
        assert counts[(*row[:2], *row[7:-1])] == shared_by_definition(world, row)


def test_pieces_of_all_sub_logs_are_told_together() -> None:
    """A part of a day may have a piece for each of a hundred thousand sub-logs, and the merge reads each batch."""
    events, points = with_points(events_of([("P", ts, ts, "x", 9, 0) for ts in range(50)]))
    evaluator = PropositionalEvaluator(policy_of(Not(P), ("k",)), Settings(explained=1))
    batches = list(of_table(evaluator.evaluate(events, Ownership(days=(0, 50)), points), WHY))
    kinds = [(batch.schema.metadata or {}).get(b"kind") for batch in batches]
    assert [kinds.count(kind) for kind in (b"points", b"claims", b"bases")] == [1, 0, 0]
    assert sum(batch.num_rows for batch, kind in zip(batches, kinds, strict=True) if kind == b"points") == 50


@given(worlds())
def test_the_checker_accepts_each_proof(world: World) -> None:
    split = split_trace_of(world.policy, world.events, world.points)
    for number in range(len(split.trace.starts) - 1):
        log = split.log(number, world.events)
        holds = truth(world.policy.formula, split.trace)[split.trace.starts[number] :]
        for point in range(min(log.points, 4)):
            tree = ProofMaker(log).proof(world.policy.formula, point, {}, bool(holds[point]))
            assert tree is not None
            assert proves(tree, log, frozenset())


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

"""Causes are made by the slices that own a day's first violations: those of the definition, and no others."""

from __future__ import annotations

import re
from collections import Counter

import pyarrow as pa
from hypothesis import assume, given
from hypothesis import strategies as st

from cep_core.events.logs.time_points import point_log_of
from cep_core.events.schema import Attribute, AttributeType, LogSchema
from cep_core.language.evaluator import CERTAIN, of_table
from cep_core.language.settings import Settings
from cep_core.language.totals import first_rows
from cep_core.monitoring.first_order.evaluator import PolicyEvaluator
from cep_core.monitoring.first_order.result.claims import beside, claim_rows, place_of, proof_maker
from cep_core.monitoring.first_order.result.witnessed import LOOKED_AT
from cep_core.monitoring.shared.causes import WHY
from cep_core.monitoring.shared.sub_logs import sub_log_of
from cep_core.slicing import Plan, make_plan, statistics_of
from jobs.stages.evaluating.assignment import Assignment, QueryText
from jobs.stages.evaluating.left_batches import from_bytes
from jobs.stages.evaluating.slices.slice_files import asked_slices
from tests.counts import few
from tests.runs.workers.laws.policy_worlds import DAYS, World, plan_of, worlds
from tests.runs.workers.slicing import all_points, asking, merged, partials


def by_definition(world: World, violations: pa.Table) -> list[tuple[str, ...]]:
    """The claims of each violation's smallest proof, from the whole log, as the search over all values finds it."""
    evaluator = world.evaluator
    assert isinstance(evaluator, PolicyEvaluator)
    policy, complete = evaluator.policy, evaluator.cause_schema
    log = point_log_of(world.events, evaluator.looked_at, all_points(world.events))
    tables = [complete.empty_table()]
    for violation in violations.drop_columns([CERTAIN]).to_pylist():
        values = tuple(violation[name] for name in policy.for_each)
        maker = proof_maker(policy, sub_log_of(log, policy.for_each, values) if values else log)
        point, valuation = place_of(policy.variables, maker, violation)
        tree = maker.proof(policy.unfolded, point, valuation, True)
        assert tree is not None
        tables.append(beside(claim_rows(policy, maker, tree), violation, complete))
    return claims_of(pa.concat_tables(tables))


def claims_of(table: pa.Table) -> list[tuple[str, ...]]:
    """To the search, a float that an aggregation of nothing gives is an integer."""
    names = [name for name in table.column_names if name != CERTAIN]
    return [tuple(re.sub(r"\b0\.0\b", "0", str(row[name])) for name in names) for row in table.to_pylist()]


@few(40)
@given(worlds(), st.data())
def test_causes_of_slices_are_those_of_the_definition(world: World, data: st.DataObject) -> None:
    """Of the day's first violations, whatever the slices, ranges, heavy values and limits of rows."""
    [table] = [table for table in world.evaluator.tables if table.suffix == WHY]
    plan = plan_of(world, data.draw, world.events)
    assignment = world.assignment(plan, (DAYS,), data.draw(st.sampled_from([1, 4, 1000])))
    [causes] = merged(assignment, plan, world.events, all_points(world.events), world.query.name, WHY)
    violations = first_rows(world.whole(DAYS), DAYS, table.explained)
    assert claims_of(causes) == by_definition(world, violations)


@few(40)
@given(worlds(), st.data())
def test_slices_tell_the_claims_that_a_day_keeps_and_no_others(world: World, data: st.DataObject) -> None:
    """Nothing comes with the result. A violation asks one slice; before EXISTS projects, those that have a witness."""
    [table] = [table for table in world.evaluator.tables if table.suffix == WHY]
    assume(table.in_slices and table.explain is not None)
    assert table.explain is not None
    plan = plan_of(world, data.draw, world.events)
    assignment = world.assignment(plan, (DAYS,), 1000)
    assert not causes_of_slices(assignment, plan, world)
    kept = first_rows(world.whole(DAYS), DAYS, table.explained)
    second = asking(assignment, world.query.name, WHY, [kept])
    batches = causes_of_slices(second, plan, world)
    causes = table.merge(batches, DAYS)
    assert sum(row["node"] == 0 for row in causes.to_pylist()) == kept.num_rows
    if getattr(world.evaluator, "opened", None) is None:
        assert sum(batch.num_rows for batch in batches) == causes.num_rows
        assert len(asked_slices(second)) <= kept.num_rows
    else:
        whole = table.explain(kept.drop_columns([CERTAIN]), world.events, all_points(world.events))
        assert looked_at(batches, kept) == looked_at(list(whole), kept)


def looked_at(batches: list[pa.RecordBatch], kept: pa.Table) -> Counter[tuple[str, ...]]:
    """The claims that are looked at for each violation, in all slices together; each proof looks at one at least."""
    counts = Counter[tuple[str, ...]]()
    for proof in (row for batch in batches for row in batch.to_pylist() if row["node"] == 0):
        assert proof[LOOKED_AT] > 0
        counts[tuple(str(proof[name]) for name in kept.column_names)] += proof[LOOKED_AT]
    return counts


def test_a_witness_counts_in_the_slice_that_owns_it_and_in_no_other() -> None:
    """An event that either atom may mean is in many slices; the claims that are looked at are those of one."""
    schema = LogSchema({"P": {"a": Attribute("a", AttributeType.INT)}})
    values = [*range(4), *range(4)]
    columns = {"ts": [0] * 4 + [1] * 4, "seq": range(8), "pos": range(8), "a": values, "offset": [0] * 8}
    log = pa.table({"event_type": ["P"] * 8, **{name: pa.array(own, pa.int64()) for name, own in columns.items()}})
    text = "-- Which pairs?\nEXISTS y. P(x) AND ONCE P(y)\n"
    world = World(schema, QueryText("p", "policies/p.mfotl", text, Settings(explained=8)), log)
    [table] = [table for table in world.evaluator.tables if table.suffix == WHY]
    assert table.explain is not None
    atoms = world.evaluator.opened.atoms  # type: ignore[attr-defined]
    plan = make_plan({"p": atoms}, ("x", "y"), statistics_of(log, atoms), 4, "s", world.evaluator.reach)
    kept = first_rows(world.whole(DAYS), DAYS, 8)
    second = asking(world.assignment(plan, (DAYS,), 1000), "p", WHY, [kept])
    whole = list(table.explain(kept.drop_columns([CERTAIN]), log, all_points(log)))
    assert kept.num_rows == 8
    assert looked_at(causes_of_slices(second, plan, world), kept) == looked_at(whole, kept)


def causes_of_slices(assignment: Assignment, plan: Plan, world: World) -> list[pa.RecordBatch]:
    evaluated = partials(assignment, plan, world.events, all_points(world.events))
    batches = [from_bytes(content) for partial in evaluated for content in partial.batches]
    return [batch for batch in of_table(batches, WHY) if batch.num_rows]

"""Small slices that are evaluated together: the tables are those of slices by themselves, and of no slices at all."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cep_core.events.schema import Attribute, AttributeType, LogSchema
from cep_core.language.budget import Budget, WorkExhausted
from cep_core.language.evaluator import TOTALS, Evaluator, Ownership
from cep_core.language.settings import Settings
from cep_core.slicing import Cube, Plan, joint_ownership, make_plan, split, statistics_of
from jobs.stages.evaluating.assignment import Assignment, QueryText, compiled, schema_to_values
from jobs.stages.evaluating.left_batches import from_bytes
from jobs.stages.evaluating.slice_worker import evaluate_group
from jobs.stages.evaluating.slices.slice_files import SliceFile, grouped
from jobs.stages.evaluating.slices.slice_groups import SliceEvents, SliceGroup, groups
from jobs.stages.evaluating.slices.slice_partial import SlicePartial
from tests.counts import few
from tests.slicing.laws.only_read import only_read
from tests.slicing.laws.random_plans import plans
from tests.slicing.laws.test_law_of_engines import DAYS, logs

QUERIES = {
    "trends": """RETURN g, COUNT(*), SUM(A.v), MIN(A.v), AVG(B.v) PATTERN (SEQ(A+, B))+
        WHERE [k] GROUP-BY g WITHIN 10 SLIDE 4""",
    "cut": "RETURN k, COUNT(*) PATTERN SEQ(A+, NOT SEQ(B, C), B b) GROUP-BY k WITHIN 9 SLIDE 3",
    "chain": "PATTERN SEQ(A a, B b, C c) WHERE a.k = b.k AND b.g = c.g WITHIN 8",
    "greedy": "PATTERN SEQ(A a, B+ b[]) WHERE skip_till_any_match { [k] AND sum(b[].v) >= a.v } WITHIN 7",
    "pairs": "PATTERN SEQ(A a, B b) AND SEQ(A c, C d) WHERE [k] WITHIN 8",
}
ATTRIBUTES = {"k": AttributeType.INT, "g": AttributeType.STRING, "v": AttributeType.INT}
SCHEMA = schema_to_values(
    LogSchema({kind: {name: Attribute(name, of) for name, of in ATTRIBUTES.items()} for kind in "ABC"})
)
ASKED = st.sampled_from([None, 1, 2])


def asked(most: int | None, work: int | None) -> tuple[QueryText, ...]:
    return tuple(
        QueryText(name, f"{name}.cep", text, Settings(most, budget=Budget(work))) for name, text in QUERIES.items()
    )


def partials_of(assignment: Assignment, plan: Plan, events: pa.Table) -> list[SlicePartial]:
    """What all workers give, by the groups that the assignment asks for."""
    rows, numbers = split(plan, events)
    parts = {int(number): events.take(pa.array(rows[numbers == number])) for number in np.unique(numbers)}
    jobs = [SliceFile("f", plan.plan_id, number, rows=part.num_rows) for number, part in parts.items()]
    partials: list[SlicePartial] = []
    for owned, own in grouped(assignment, jobs, assignment.together):
        slices = [SliceEvents(job.slice, parts[job.slice]) for job in own]
        partials += evaluate_group(assignment, SliceGroup(plan.plan_id, owned, slices))
    return partials


@given(logs(), st.data(), ASKED, st.sampled_from([None, 30, 300]))
@few(25)
def test_together_apart_and_unsliced(events: pa.Table, data: st.DataObject, most: int | None, work: int | None) -> None:
    """Rows, order, totals and budgets; of each slice the events are those of the slice by itself."""
    queries = asked(most, work)
    blocks = data.draw(st.sampled_from([(DAYS,), (DAYS[:2], DAYS[1:])]))
    for query in queries:
        evaluator = compiled(query, SCHEMA)
        names = sorted({name for atom in evaluator.atoms for _, name in atom.variables})
        slices = data.draw(st.integers(1, 8))
        plan = make_plan(
            {query.name: evaluator.atoms},
            names,
            statistics_of(events, evaluator.atoms),
            slices,
            data.draw(st.text(max_size=1)),
            evaluator.reach,
            (DAYS[0], DAYS[-1]),
            stamps=events["ts"].to_numpy(),
            ranges=min(data.draw(st.integers(0, 4)), slices) or None,
            heavy=data.draw(st.sampled_from([None, (), tuple(names)])),
        )
        apart = Assignment((plan.to_dict(),), (query,), {query.name: blocks}, SCHEMA, 1_000)
        held = only_read(evaluator, events)
        by_themselves = partials_of(replace(apart, together=0), plan, held)
        assert {partial.together for partial in by_themselves} <= {1}
        together = partials_of(replace(apart, together=data.draw(st.integers(0, 40))), plan, held)
        assert read(together) == read(by_themselves)
        if query.name == "pairs":
            assert {partial.together for partial in together} <= {1}
        for number, days in enumerate(blocks):
            batches = [from_bytes(b) for partial in together if partial.block == number for b in partial.batches]
            tables = outcome(evaluator, batches, days)
            batches = [from_bytes(b) for partial in by_themselves if partial.block == number for b in partial.batches]
            assert tables == outcome(evaluator, batches, days)
            if query.name != "pairs" or work is None:
                assert tables == outcome(evaluator, list(evaluator.evaluate(events, Ownership(days=days))), days)


def read(partials: list[SlicePartial]) -> Counter[tuple[int, int, tuple[int, ...]]]:
    return Counter((partial.slice, partial.block, partial.events) for partial in partials)


def outcome(evaluator: Evaluator, batches: list[pa.RecordBatch], days: tuple[int, ...]) -> object:
    try:
        merged = evaluator.merge(batches, days)
    except WorkExhausted:
        return "exhausted"
    return merged.to_pylist(), (merged.schema.metadata or {}).get(TOTALS)


@given(plans(), st.data())
@few(60)
def test_groups_have_every_slice_once_and_own_what_they_ask_for(plan: Plan, data: st.DataObject) -> None:
    """Of cells of a range, or of whole ranges side by side; none has more events than may be, if it has several."""
    rows = data.draw(st.dictionaries(st.integers(0, plan.slices - 1), st.integers(0, 9)))
    most = data.draw(st.integers(0, 30))
    grouped = list(groups(plan, rows, most))
    assert sorted(number for _, asked in grouped for number in asked) == sorted(rows)
    owned = [number for own, _ in grouped for number in own]
    assert len(owned) == len(set(owned))
    for own, asked in grouped:
        assert set(asked) <= set(own)
        assert not (set(own) - set(asked)) & set(rows)
        assert len(asked) == 1 or sum(max(1, rows[number]) for number in asked) <= most
        joint_ownership(plan, own)


def test_what_slices_together_took_is_shared_out_by_events() -> None:
    """Rows and seconds add up to the call's; a slice without events has none. Copies are counted against the call."""
    kinds, keys = ["A", "A", "A", "B", "B", "B"], [1, 1, 2, 1, 2, 2]
    columns = {"event_type": kinds, "ts": [1, 2, 3, 4, 5, 6], "seq": range(6), "pos": range(6), "k": keys, "v": [1] * 6}
    events = pa.table({**columns, "g": ["x"] * 6})
    query = QueryText("q", "q.cep", "PATTERN SEQ(A a, B b) WHERE [k] WITHIN 9", Settings())
    plan = Plan(("q",), (), ("k",), (AttributeType.INT,), (Cube(frozenset(), (2,), (None,)),))
    assignment = Assignment((plan.to_dict(),), (query,), {"q": ((0, 5, 9),)}, SCHEMA, 100)
    first, second = events.slice(0, 4), pa.concat_tables([events.slice(2, 1), events.slice(4)])
    group = SliceGroup(plan.plan_id, (0, 1), [SliceEvents(0, first), SliceEvents(1, second)])
    former, latter = evaluate_group(assignment, group)
    assert (former.events, latter.events) == ((4, 0), (1, 2))
    assert (former.together, former.copies) == (latter.together, latter.copies) == (2, 7 / 6)
    assert former.seconds / latter.seconds == pytest.approx(4 / 3)
    assert (former.rows, latter.rows) == (2, 2)
    assert sum(from_bytes(batch).num_rows for batch in former.batches) == 4
    assert not latter.batches

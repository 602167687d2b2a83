"""The law of slicing for propositional policies, through the workers.

The causes of episodes are made in a second round, in which slices are asked about points that they own.
"""

from __future__ import annotations

from dataclasses import replace

import pyarrow as pa
import pyarrow.compute as pc
from hypothesis import given
from hypothesis import strategies as st

from cep_core.language.propositional.text.printing import formula_text
from cep_core.language.settings import Settings
from cep_core.language.temporal.formulas import Formula, Predicate
from cep_core.language.temporal.walk import with_operands
from cep_core.monitoring.propositional.result.shares import TRUTHS
from jobs.stages.evaluating.assignment import QueryText
from tests.counts import few
from tests.monitoring.propositional import worlds as drawn
from tests.runs.workers.laws.policy_worlds import World, content, work_of
from tests.runs.workers.slicing import all_points, merged
from tests.slicing.laws.only_read import only_read


@st.composite
def worlds(draw: st.DrawFn) -> World:
    """A policy as a workload's file has it. `explained`: fewer episodes than there are on some days."""
    world = draw(drawn.worlds())
    header = f"-- for each: {', '.join(world.policy.for_each)}\n" if world.policy.for_each else ""
    text = f"{header}-- What is wrong?\n{formula_text(by_type(world.policy.formula))}\n"
    limits = Settings(max_violations=draw(st.sampled_from([None, 2])), explained=draw(st.integers(0, 3)))
    return World(drawn.SCHEMA, QueryText("q", "policies/q.mtl", text, limits), world.events)


def by_type(formula: Formula) -> Formula:
    """The formula with types of events in place of the names of atoms."""
    if isinstance(formula, Predicate):
        return replace(formula, event_type={"p": "P", "q": "Q", "r": "P"}[formula.event_type])
    return with_operands(formula, by_type)


@few(40)
@given(worlds(), st.data())
def test_sliced_is_unsliced(world: World, data: st.DataObject) -> None:
    """Every table of the policy: by shares, seeds, heavy values, ranges, row limits, blocks of days, and groups of
    slices. A part that is nowhere looked at has no truths."""
    plan, blocks, assignment = work_of(world, data.draw)
    held = only_read(world.evaluator, world.events)
    for suffix in (table.suffix for table in world.evaluator.tables):
        tables = merged(assignment, plan, held, all_points(world.events), world.query.name, suffix)
        whole = [world.whole(days, suffix) for days in blocks]
        if suffix == TRUTHS:
            tables, whole = ([looked_at(table) for table in own] for own in (tables, whole))
        assert [content(table) for table in tables] == [content(table) for table in whole], suffix


def looked_at(truths: pa.Table) -> pa.Table:
    return truths.filter(pc.greater(truths["points"], 0)).replace_schema_metadata(None)

"""The law of slicing for first-order policies (S1, S3, S7, S29-S35): any cut of the work gives the unsliced result."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from cep_core.language.evaluator import CERTAIN
from cep_core.slicing import make_plan, statistics_of
from jobs.runs.recorded_days import Ledger, LoadedDay
from jobs.runs.scope import Bounds, first_read
from jobs.stages.evaluating.assignment import Assignment, schema_to_values
from tests.runs.workers.laws.policy_worlds import (
    CALENDAR,
    DAYS,
    FEW,
    World,
    content,
    plan_of,
    policies_of_a_log,
    work_of,
    worlds,
)
from tests.runs.workers.slicing import all_points, merged
from tests.slicing.laws.only_read import only_read


@FEW
@given(worlds(), st.data())
def test_sliced_is_unsliced(world: World, data: st.DataObject) -> None:
    """Rows, their order and exact totals: by shares, seeds, heavy values, ranges, row limits, blocks of days, and by
    which slices are evaluated together."""
    plan, blocks, assignment = work_of(world, data.draw)
    held = only_read(world.evaluator, world.events)
    for suffix in (table.suffix for table in world.evaluator.tables):
        tables = merged(assignment, plan, held, all_points(world.events), world.query.name, suffix)
        assert [content(table) for table in tables] == [content(world.whole(days, suffix)) for days in blocks]


@FEW
@given(policies_of_a_log("first", "second"), st.data())
def test_two_policies_in_one_plan_are_as_apart(worlds: list[World], data: st.DataObject) -> None:
    """S35: a plan over the variables that both bind, and slices with the events of both."""
    atoms = {world.query.name: world.evaluator.atoms for world in worlds}
    bound = [{name for atom in own for _, name in atom.variables} for own in atoms.values()]
    every = tuple(atom for own in atoms.values() for atom in own)
    statistics = statistics_of(worlds[0].events, every)
    names, slices, seed = sorted(bound[0] & bound[1]), data.draw(st.integers(1, 6)), data.draw(st.text(max_size=2))
    plan = make_plan(atoms, names, statistics, slices, seed, heavy=data.draw(st.sampled_from([(), tuple(names)])))
    blocks = {world.query.name: (DAYS,) for world in worlds}
    queries = tuple(world.query for world in worlds)
    assignment = Assignment((plan.to_dict(),), queries, blocks, schema_to_values(worlds[0].schema), 4, {})
    for world in worlds:
        [table] = merged(assignment, plan, world.events, all_points(world.events), world.query.name)
        assert content(table) == content(world.whole(DAYS))


@FEW
@given(worlds(), st.data())
def test_a_day_alone_is_its_part_of_the_whole(world: World, data: st.DataObject) -> None:
    """Each day is evaluated by itself, from the days that its reach asks for: warm-up is the cut of the whole run."""
    calendar, ts = CALENDAR, world.events["ts"].to_numpy()
    names = [calendar.day_of(moment) for moment in DAYS[:-1]]
    loaded = {}
    for day, (begin, end) in zip(names, pairwise(DAYS), strict=True):
        inside = (ts >= begin) & (ts < end)
        loaded[day] = LoadedDay("digest", False, int(inside.sum()), len(np.unique(ts[inside])))
    bounds = Bounds(calendar, names[0], None)
    number = data.draw(st.integers(0, len(names) - 1))
    day, own = names[number], DAYS[number : number + 2]
    begin = calendar.interval(first_read(world.evaluator.reach, day, Ledger(loaded), bounds))[0]
    read = world.events.filter(pa.array((ts >= begin) & (ts < own[1])))
    plan = plan_of(world, data.draw, read)
    assignment = world.assignment(plan, (own,), 1000, (begin,))
    for suffix in (table.suffix for table in world.evaluator.tables):
        [table] = merged(assignment, plan, only_read(world.evaluator, read), all_points(read), world.query.name, suffix)
        whole = world.whole(DAYS, suffix)
        certain = whole[CERTAIN].to_numpy()
        assert table.to_pylist() == whole.filter(pa.array((certain >= own[0]) & (certain < own[1]))).to_pylist()

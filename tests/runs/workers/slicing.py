"""All workers of a plan, in this process: those of slices with events, and those that only silence has results in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa

from cep_core.events.logs.time_points import points_of
from cep_core.language.evaluator import RESULT, Evaluator, ResultTable, of_table
from cep_core.language.totals import rows_to_explain
from cep_core.slicing import Plan, split
from cep_core.slicing.ranges import BEGINNING
from jobs.stages.evaluating.assignment import Assignment, compiled
from jobs.stages.evaluating.explained_rows import MOST_EVENTS, Round
from jobs.stages.evaluating.explained_slices import asked_about
from jobs.stages.evaluating.gathering import gather
from jobs.stages.evaluating.left_batches import from_bytes
from jobs.stages.evaluating.reading import NO_STAMPS, Moments, Reading, between
from jobs.stages.evaluating.slice_worker import evaluate_group
from jobs.stages.evaluating.slices.slice_files import SliceFile, asked_slices, grouped, slices_of_silence
from jobs.stages.evaluating.slices.slice_groups import SliceEvents, SliceGroup
from jobs.stages.evaluating.slices.slice_partial import SlicePartial


def partials(assignment: Assignment, plan: Plan, events: pa.Table, points: pa.Table) -> Iterator[SlicePartial]:
    """What they return, pieces gathered. `events` with `pos` and `offset`; `points`: those of the days read."""
    return gather(assignment, of_slices(assignment, plan, events, points), points)


def of_slices(assignment: Assignment, plan: Plan, events: pa.Table, points: pa.Table) -> Iterator[SlicePartial]:
    """Small slices together, as the assignment says."""
    if "pos" not in events.column_names:
        events = events.append_column("pos", pa.array(range(events.num_rows)))
    rows, numbers = split(plan, events)
    held = {int(number): int(count) for number, count in zip(*np.unique(numbers, return_counts=True), strict=True)}
    present = [SliceFile("file", plan.plan_id, number, rows=count) for number, count in held.items()]
    silent = {query.name for query in assignment.queries if evaluator_of(assignment, query.name).speaks_of_silence}
    absent = [SliceFile("", *of_slice, rows=0) for of_slice in slices_of_silence(assignment, silent, present)]
    asked = asked_slices(assignment)
    jobs = [job for job in [*present, *absent] if (job.plan_id, job.slice) in asked]
    for owned, own in grouped(assignment, jobs, assignment.together):
        slices = [SliceEvents(job.slice, events.take(pa.array(rows[numbers == job.slice]))) for job in own]
        yield from evaluate_group(assignment, SliceGroup(plan.plan_id, owned, slices), points)


def merged(
    assignment: Assignment, plan: Plan, events: pa.Table, points: pa.Table, name: str, suffix: str = RESULT
) -> list[pa.Table]:
    """The merged result of each block of days of one query, or a table that comes with it or explains it.

    `events`: those that are published.
    """
    evaluator, days = evaluator_of(assignment, name), assignment.blocks[name]
    batches: list[list[pa.RecordBatch]] = [[] for _ in days]
    for partial in partials(assignment, plan, events, points):
        if partial.query == name:
            batches[partial.block] += map(from_bytes, partial.batches)
    [table] = [table for table in evaluator.tables if table.suffix == suffix]
    if table.explain is not None:
        results = [
            rows_to_explain(table, evaluator.merge(of_table(own), block), own, block)
            for own, block in zip(batches, days, strict=True)
        ]
    if table.explain is not None and table.in_slices:
        second = asking(assignment, name, suffix, results)
        batches = [[] for _ in days]
        for partial in partials(second, plan, events, points):
            batches[partial.block] += map(from_bytes, partial.batches)
    elif table.explain is not None:
        since = assignment.since.get(name, (BEGINNING,) * len(days))
        batches = [
            explained(evaluator, table, rows, block, begin, events, points)
            for rows, block, begin in zip(results, days, since, strict=True)
        ]
    return [table.merge(of_table(own, suffix), block) for own, block in zip(batches, days, strict=True)]


def asking(assignment: Assignment, name: str, suffix: str, rows: Sequence[pa.Table]) -> Assignment:
    """The assignment of the second round, in which slices explain rows of each block."""
    query = next(query for query in assignment.queries if query.name == name)
    again = replace(query, table=suffix)
    since = {again.into: assignment.since[name]} if name in assignment.since else {}
    return replace(
        assignment,
        queries=(again,),
        blocks={again.into: assignment.blocks[name]},
        since=since,
        asked={again.into: asked_about(dict(enumerate(rows)))},
    )


def explained(
    evaluator: Evaluator,
    table: ResultTable,
    rows: pa.Table,
    days: Moments,
    since: int,
    events: pa.Table,
    points: pa.Table,
    most: int = MOST_EVENTS,
) -> list[pa.RecordBatch]:
    """What explains the first rows of each day of a block. `since`: as in `Round`."""

    def published(begin: int, end: int, most: int) -> pa.Table | None:
        span = between(events["ts"].to_numpy(), begin, end)
        inside = events.slice(span.start, span.stop - span.start)
        return inside if inside.num_rows <= most else None

    reading = Reading(evaluator.reach, NO_STAMPS, points)
    return list(Round(days, since, reading, published).explained(table, rows, most))


def evaluator_of(assignment: Assignment, name: str) -> Evaluator:
    return compiled(next(query for query in assignment.queries if query.name == name), assignment.schema)


def all_points(events: pa.Table) -> pa.Table:
    """The points of events that have their `offset`."""
    return points_of(events["ts"].to_numpy(), events["offset"].to_numpy())

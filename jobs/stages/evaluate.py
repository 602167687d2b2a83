"""Stage `evaluate`: every (query, day) of the run's scope, slice by slice, then the merge.

Slices of a small run are evaluated in this process, those of a large one by Python workers below Spark
(`jobs/stages/evaluating/partials.py`). What they find is merged here, on the driver, range by range if it is much
(`merging.py`), and many rows are written to files of their table as they come (`result_rows.py`).

Each query's evaluator says which tables it fills (`ResultTable`), and which days of each table are evaluated together.
Some further tables come with the result. Others wait until the result is known, and are evaluated on the days for which
they are needed: `<query>_compact` on days whose listing was cut; or they explain some rows of each day. The slices
that own these do that (`explained_slices.py`), or this process, from the published events (`explained_rows.py`). A
block of days that exhausts its budget of work has no rows, and `result_days` says why.

Beside each listing of matches stand their events (`match_events.py`), also those of days that lack them.

Reads `slicing_plans`, `_work/slices` and, if a query reads time-points, `_work/points`; writes a table for each query,
the further tables that are needed, `slice_runs` and, last, `result_days`. A run that died before that evaluates the
same again.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace as with_changes
from datetime import date
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from cep_core.language.budget import WorkExhausted
from cep_core.language.evaluator import CERTAIN, RESULT, TOTALS, ResultTable
from cep_core.language.totals import rows_to_explain
from cep_core.slicing import Plan
from jobs import places
from jobs.lake.register import table_folders
from jobs.lake.tables.creating import create
from jobs.lake.tables.result_tables import table_beside
from jobs.lake.tables.slicing_tables import TIME_POINTS
from jobs.lake.write import replace_all
from jobs.runs.run import Run, StageOutcome
from jobs.stages.day_blocks import blocks_of, edges_of, first_moments
from jobs.stages.evaluating.assignment import Assignment, QueryText, schema_to_values
from jobs.stages.evaluating.explained_rows import Round, published_events
from jobs.stages.evaluating.explained_slices import Asked, asked_about
from jobs.stages.evaluating.left_batches import from_bytes
from jobs.stages.evaluating.match_events import events_of_results, lacking_events
from jobs.stages.evaluating.merging import Read, merged
from jobs.stages.evaluating.partials import Way, partials_of
from jobs.stages.evaluating.reading import NO_STAMPS, Moments, Reading
from jobs.stages.evaluating.result_rows import ResultRows
from jobs.stages.evaluating.results import (
    Result,
    day_outcomes,
    events_read,
    replacement_of,
    result_days,
    slice_runs_of,
    with_origin,
)
from jobs.stages.evaluating.slices.slice_partial import SlicePartial
from jobs.stages.slicing.mapped_points import map_points, open_points
from jobs.stages.slicing.planned import planned
from jobs.stages.slicing.time_points import are_read

if TYPE_CHECKING:
    from jobs.workload.compiled import WorkloadQuery


Found = Callable[[int], Sequence[Read]]
"""The partial results for a block of days, by its number."""


def evaluate(run: Run, way: Way | None = None) -> StageOutcome:
    """Evaluate the run's scope. `way`: who evaluates slices, and from what; None: as the run's scale says."""
    assert run.scope is not None
    if lacking := lacking_events(run):
        replace_all(lacking)
    if not run.scope.evaluations:
        return StageOutcome(message="nothing to evaluate: every result is up to date")
    with _files_of_workers(run) as folder:
        results, beside, partials, blocks = _evaluated(run, way, folder)
    of_results = [replacement_of(run, result) for result in [*results, *beside]]
    replace_all([*of_results, *events_of_results(run, results), slice_runs_of(run, partials)])
    # Written last, so that a day in this table has its results in the others.
    replace_all([result_days(run, results, beside)])
    rows = sum(result.num_rows for result in results)
    message = ", ".join(f"{result.query} {result.num_rows:,}" for result in results)
    for result in results:
        for day, exhausted in result.exhausted.items():
            run.progress.note(f"no result of {result.query} for {day}: {exhausted}")
    read = events_read(run, blocks, partials)
    return StageOutcome(sum(read.values()), rows, message, days=day_outcomes(results, read))


@contextmanager
def _files_of_workers(run: Run) -> Iterator[Path]:
    """A folder for what workers read and leave, besides slices; what a run that died left there is removed."""
    folder = places.scratch(run.lake / run.workload.name / "_work" / "partials")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _evaluated(
    run: Run, way: Way | None, folder: Path
) -> tuple[list[Result], list[Result], list[SlicePartial], Mapping[str, Sequence[Moments]]]:
    """The results; the tables beside them; what slices gave for the results, by which blocks of days."""
    assignment = assignment_of(run)
    read = are_read(run, assignment.blocks)
    points = map_points(run.lake / run.workload.name / TIME_POINTS.folder, folder / "points") if read else None
    partials = _partials(run, assignment, way, points, folder)
    queries = [run.compiled[name] for name in assignment.blocks]
    results = [
        merged_result(run, query, query.tables[0], _reads_of(partials, query.name), assignment.blocks[query.name])
        for query in queries
    ]
    beside = [
        merged_result(run, query, table, _reads_of(partials, query.name), assignment.blocks[query.name])
        for query in queries
        for table in query.tables[1:]
        if table.evaluate is None and table.explain is None
    ]
    beside += _explained(run, assignment, results, points)
    beside += _evaluated_after(run, assignment, results, way, points, folder)
    return results, beside, partials, assignment.blocks


def assignment_of(run: Run) -> Assignment:
    """The values that the workers need."""
    assert run.scope is not None
    names = sorted({evaluation.query for evaluation in run.scope.evaluations})
    plans = planned(run)
    blocks = {name: tuple(blocks_of(run, name, run.compiled[name].tables[0], edges_of(plans, name))) for name in names}
    return Assignment(
        tuple(plan.to_dict() for plan in plans),
        tuple(_text(run.compiled[name]) for name in names),
        blocks,
        schema_to_values(run.workload.schema),
        run.workload.limits.slice_rows,
        {name: first_moments(run, name, moments) for name, moments in blocks.items()},
    )


def _text(query: WorkloadQuery, table: str = RESULT) -> QueryText:
    return QueryText(query.name, query.bound.path, query.bound.text, query.settings, table)


def _partials(
    run: Run, assignment: Assignment, way: Way | None, points: Path | None, folder: Path
) -> list[SlicePartial]:
    names = {query.name for query in assignment.queries}
    silent = {name for name in names if run.compiled[name].evaluator.speaks_of_silence}
    return partials_of(run, assignment, silent, points if are_read(run, names) else None, way, folder)


def _evaluated_after(
    run: Run,
    assignment: Assignment,
    results: Sequence[Result],
    way: Way | None,
    points: Path | None,
    folder: Path,
) -> list[Result]:
    """The further tables that slices fill when a result is known: to explain rows, or if they are needed on some day,
    or exist and may lose rows."""
    present = table_folders(run.workload.name, run.lake)
    plans = [Plan.from_dict(plan) for plan in assignment.plans]
    waiting: list[tuple[WorkloadQuery, ResultTable]] = []
    blocks: dict[str, tuple[Moments, ...]] = {}
    asked: dict[str, Asked] = {}
    for result in results:
        query = run.compiled[result.query]
        for table in query.tables[1:]:
            into = query.name + table.suffix
            if table.explain is not None and table.in_slices:
                blocks[into] = assignment.blocks[query.name]
                asked[into] = asked_about(result.first)
                waiting.append((query, table))
            if table.evaluate is None:
                continue
            blocks[into] = tuple(blocks_of(run, query.name, table, edges_of(plans, query.name), result))
            if blocks[into] or into in present:
                waiting.append((query, table))
    unit = run.workload.time.unit
    needed = [(query, table) for query, table in waiting if table.evaluate is not None]
    create(run.workload.name, [table_beside(query.name, table, unit=unit) for query, table in needed], run.lake)
    tables = [(query, table, query.name + table.suffix) for query, table in waiting]
    texts = [
        _text(query, table.suffix) for query, table, into in tables if (asked[into] if into in asked else blocks[into])
    ]
    since = {text.into: first_moments(run, text.name, blocks[text.into]) for text in texts}
    again = with_changes(assignment, queries=tuple(texts), blocks=blocks, since=since, asked=asked)
    partials = _partials(run, again, way, points, folder) if texts else []
    return [merged_result(run, query, table, _reads_of(partials, into), blocks[into]) for query, table, into in tables]


def _explained(run: Run, assignment: Assignment, results: Sequence[Result], points: Path | None) -> list[Result]:
    """The further tables in which the first rows of a result are explained from published events."""

    def of_query(query: WorkloadQuery, table: ResultTable, first: Mapping[int, pa.Table]) -> Found:
        assert points is not None, "a query whose rows are explained reads time-points"
        evaluator, blocks = query.evaluator, assignment.blocks[query.name]
        reading, published = Reading(evaluator.reach, NO_STAMPS, open_points(points)), published_events(run, query.name)

        def batches(block: int) -> list[Read]:
            explaining = Round(blocks[block], assignment.since[query.name][block], reading, published)
            return [partial(_itself, batch) for batch in explaining.explained(table, first[block])]

        return batches

    return [
        merged_result(run, query, table, of_query(query, table, result.first), assignment.blocks[query.name])
        for result in results
        for query in [run.compiled[result.query]]
        for table in query.tables
        if table.explain is not None and not table.in_slices
    ]


def _reads_of(partials: Sequence[SlicePartial], into: str) -> Found:
    """What slices told for a table, by block of days."""
    return lambda block: [
        partial(from_bytes, content)
        for of_slice in partials
        if of_slice.into == into and of_slice.block == block
        for content in of_slice.batches
    ]


def _itself(batch: pa.RecordBatch) -> pa.RecordBatch:
    return batch


def merged_result(
    run: Run, query: WorkloadQuery, table: ResultTable, reads: Found, blocks: Sequence[Moments]
) -> Result:
    """A query's table, merged from all its blocks of days."""
    assert run.scope is not None
    calendar = run.workload.operating_days
    into = query.name + table.suffix
    totals, exhausted, first = {}, {}, {}
    explaining = next((own for own in query.tables if own.explain is not None), None)
    with ResultRows(run.lake / run.workload.name / into) as rows:
        rows.add(with_origin(table.schema.append(pa.field("day", pa.date32())).empty_table(), run, query.name, into))
        for number, days in enumerate(blocks):
            names = [calendar.day_of(moment) for moment in days[:-1]]
            try:
                for part in merged(table, reads(number), days):
                    rows.add(with_origin(_with_day(part, days, names), run, query.name, into))
                    stored = json.loads((part.schema.metadata or {}).get(TOTALS, b"{}"))
                    if table.suffix == RESULT and explaining is not None:
                        batches = (read() for read in reads(number))
                        first[number] = rows_to_explain(explaining, part, batches, days)
            except WorkExhausted as refusal:
                exhausted.update(dict.fromkeys(names, refusal))
                continue
            totals.update({calendar.day_of(int(moment)): counts for moment, counts in stored.items()})
        content = rows.end()
    days_of_run = run.scope.of(query.name)
    return Result(query.name, into, days_of_run, content, rows.by_day, totals, exhausted, table.counted_in, first)


def _with_day(part: pa.Table, days: Moments, names: Sequence[date]) -> pa.Table:
    """Merged rows with the operating day in which each became certain, without the exact time."""
    index = np.searchsorted(days, part[CERTAIN].to_numpy(), side="right") - 1
    day = pa.array(names, pa.date32()).take(pa.array(index))
    return part.drop_columns([CERTAIN]).replace_schema_metadata().append_column("day", day)

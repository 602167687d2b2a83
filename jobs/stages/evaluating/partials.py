"""Who evaluates the slices of a run: this process, one slice after another, or Python workers below Spark.

A small run's slices are evaluated here: to start workers, each of which would compile the queries and load the compiled
kernels that this process has, costs more than the evaluation (docs/decisions/0021). A large run's go to workers
(`spark_workers.py`). What a slice gives is the same (`slice_worker.py`), and so are an error and the order.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import pyarrow as pa

from jobs.stages.evaluating.assignment import Assignment
from jobs.stages.evaluating.gathering import gather
from jobs.stages.evaluating.slice_worker import evaluate_group
from jobs.stages.evaluating.slices.slice_files import Slices, columns_of, group_of, grouped, slices_of
from jobs.stages.evaluating.slices.slice_partial import SlicePartial
from jobs.stages.evaluating.spark_workers import in_workers
from jobs.stages.held_rows import is_held
from jobs.stages.slicing.mapped_points import open_points

if TYPE_CHECKING:
    from jobs.runs.run import Run

Way = Literal["here", "paths", "scan"]
"""Here, or by workers that open their slice's file by path, or by workers to whom Spark brings the rows."""


def partials_of(
    run: Run, assignment: Assignment, silent: Collection[str], points: Path | None, way: Way | None, folder: Path
) -> list[SlicePartial]:
    """The partial results of every slice of the assignment's plans. `silent`: the queries that speak of silence.

    `points`: the folder of all time-points of the days read, if a query reads them. `way`: None takes the cheapest that
    is possible. `folder`: where workers may leave batches.
    """
    slices = slices_of(run, assignment, silent)
    if way is None:
        way = "scan" if not slices.local else "here" if is_held(run) else "paths"
    if way == "here":
        rows = None if points is None else open_points(points)
        return list(gather(assignment, evaluated_here(run, slices, assignment, rows), rows))
    return in_workers(run, slices, assignment, points, folder, by_path=way == "paths")


def evaluated_here(run: Run, slices: Slices, assignment: Assignment, points: pa.Table | None) -> Iterator[SlicePartial]:
    columns, done = columns_of(run), 0
    groups = grouped(assignment, [*slices.present, *slices.absent], assignment.together)
    count = sum(len(jobs) for _, jobs in groups)
    for owned, jobs in groups:
        run.progress.advance(done, count, "slices")
        yield from evaluate_group(assignment, group_of(owned, jobs, columns, assignment.row_limit), points)
        done += len(jobs)

"""The slices to evaluate: files of `_work/slices`, and slices without events that own results all the same.

Each slice with events is one file, sorted by (ts, seq). A slice that owns results of a query that speaks of silence,
but holds no event, has no file.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

import pyarrow as pa
from deltalake import DeltaTable

from cep_core.events.arrow_types import ARROW_TYPES
from cep_core.slicing import Plan, owning_slices
from jobs.stages.evaluating.assignment import Assignment
from jobs.stages.evaluating.explained_slices import OwnedRows
from jobs.stages.evaluating.large_slices import Rows, RowsOfFile
from jobs.stages.evaluating.slices.slice_groups import SliceEvents, SliceGroup, groups
from jobs.stored_path import SCHEMES, place

if TYPE_CHECKING:
    from jobs.runs.run import Run


@dataclass(frozen=True)
class SliceFile:
    """A slice and its file. Partition columns are in the path, not in the file. No path: the slice has no event.

    `rows`: how many events it has; None: the table's log does not tell."""

    path: str
    plan_id: str
    slice: int
    size: int = 0
    rows: int | None = None


@dataclass(frozen=True)
class Slices:
    """The slices of an assignment. `absent`: those without a file. `local`: whether files can be opened by path, on
    this machine or in a storage."""

    present: Sequence[SliceFile]
    absent: Sequence[SliceFile]
    local: bool

    def largest_first(self) -> list[SliceFile]:
        """All slices in the order in which they are evaluated by path."""
        sized = [with_size(job) for job in self.present]
        return sorted([*sized, *self.absent], key=lambda job: -job.size)


def slices_of(run: Run, assignment: Assignment, silent: Collection[str]) -> Slices:
    """The slices that the assignment asks. `silent`: the queries that speak of silence."""
    asked = asked_slices(assignment)
    stored = DeltaTable(run.lake / run.workload.name / "_work" / "slices")
    rows = _rows_of_files(stored)
    files = sorted(stored.file_uris())
    jobs = [job for job in map(slice_of, files) if (job.plan_id, job.slice) in asked]
    present = [replace(job, rows=rows[_name(job.path)]) for job in jobs]
    silence = slices_of_silence(assignment, silent, present)
    absent = [SliceFile("", plan_id, number, rows=0) for plan_id, number in silence if (plan_id, number) in asked]
    return Slices(present, absent, all(urlsplit(file).scheme in ("", "file", *SCHEMES) for file in files))


def asked_slices(assignment: Assignment) -> set[tuple[str, int]]:
    """The (plan, slice) pairs that have something to do: all of a plan for a table that does not explain rows."""
    asked: set[tuple[str, int]] = set()
    for plan in map(Plan.from_dict, assignment.plans):
        queries = [query for query in assignment.queries if query.name in plan.queries]
        whole = any(query.into not in assignment.asked for query in queries)
        about = [
            (query.name, rows)
            for query in queries
            for block, rows in assignment.asked.get(query.into, {}).items()
            if plan.covers(assignment.blocks[query.into][block])
        ]
        asked.update(
            (plan.plan_id, number)
            for number in range(plan.slices)
            if whole or any(OwnedRows.of(rows, plan, number, name).rows.num_rows for name, rows in about)
        )
    return asked


def _rows_of_files(stored: DeltaTable) -> dict[str, int | None]:
    """By name of file: how many rows it has, as the table's log tells."""
    actions = pa.table(stored.get_add_actions(flatten=True)).select(["path", "num_records"]).to_pylist()
    return {_name(unquote(action["path"])): action["num_records"] for action in actions}


def _name(path: str) -> str:
    return path.rpartition("/")[2]


def slices_of_silence(
    assignment: Assignment, silent: Collection[str], present: Iterable[SliceFile]
) -> list[tuple[str, int]]:
    """(plan, slice) pairs without events that own results of a query that speaks of silence."""
    seen = {(job.plan_id, job.slice) for job in present}
    owning: set[tuple[str, int]] = set()
    for plan in map(Plan.from_dict, assignment.plans):
        for query in assignment.queries:
            if query.name in silent and query.name in plan.queries:
                for days in assignment.blocks[query.into]:
                    owning.update((plan.plan_id, number) for number in owning_slices(plan, days))
    return sorted(owning - seen)


def slice_of(uri: str) -> SliceFile:
    """The slice that a file of `_work/slices` holds, from its URI, which is percent-encoded.

    >>> slice_of("file:///lake/a%20b/_work/slices/plan_id=0f/slice=3/part-0.parquet")
    SliceFile(path='/lake/a b/_work/slices/plan_id=0f/slice=3/part-0.parquet', plan_id='0f', slice=3, size=0, rows=None)
    """
    path = unquote(uri if urlsplit(uri).scheme in SCHEMES else urlsplit(uri).path)
    values = dict(part.split("=", 1) for part in path.split("/") if "=" in part)
    return SliceFile(path, values["plan_id"], int(values["slice"]))


def with_size(job: SliceFile) -> SliceFile:
    """The slice with the size of its file, in bytes."""
    return replace(job, size=place(job.path).stat().st_size)


def grouped(
    assignment: Assignment, jobs: Iterable[SliceFile], most: int
) -> list[tuple[Collection[int], list[SliceFile]]]:
    """Which slices are evaluated together, as `slice_groups.groups` says: all that they own, and their files. Slices of
    which nobody knows how many events they have stand alone."""
    by_plan: dict[str, dict[int, SliceFile]] = {}
    for job in jobs:
        by_plan.setdefault(job.plan_id, {})[job.slice] = job
    return [
        (owned, [own[number] for number in asked])
        for plan_id, own in by_plan.items()
        for owned, asked in groups(
            assignment.plan(plan_id),
            {number: most + 1 if job.rows is None else job.rows for number, job in own.items()},
            min(most, assignment.row_limit),
        )
    ]


def group_of(
    owned: Collection[int], jobs: Sequence[SliceFile], columns: Mapping[str, pa.DataType], most: int
) -> SliceGroup:
    """Slices of a plan with their events, as `events_of` reads them. `owned`: as `grouped` tells."""
    events = [SliceEvents(job.slice, events_of(job, columns, most)) for job in jobs]
    return SliceGroup(jobs[0].plan_id, owned, events)


def columns_of(run: Run) -> dict[str, pa.DataType]:
    """The columns that an evaluation reads."""
    attributes = {name: ARROW_TYPES[kind] for name, kind in run.workload.attributes.items()}
    return {"event_type": pa.string(), **dict.fromkeys(("ts", "seq", "pos", "offset"), pa.int64()), **attributes}


def events_of(job: SliceFile, columns: Mapping[str, pa.DataType], most: int) -> Rows:
    """A slice's events in (ts, seq) order, read from its file without Spark; of more than `most` events, part by part.

    Texts come as the codes in which the file has them, each column with one dictionary that has no text twice: no query
    of the slice encodes them again.
    """
    if not job.path:
        return pa.schema(columns.items()).empty_table()
    rows = RowsOfFile(job.path, columns)
    return rows if rows.num_rows > most else rows.all()

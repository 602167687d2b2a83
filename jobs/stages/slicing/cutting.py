"""Cuts the events of a run's plans into the files of `_work/slices`, piece by piece, in this process.

Each slice of a plan is one file. The pieces come in the log's order (`event_pieces.py`), so each file is sorted by (ts,
seq) without a sort. The rows of a piece are brought together by cell; what a time range reads of a cell is found by
halving, and is no further copy. While a piece is written, the next one is read and divided.

Cost: linear in the events and their copies. Memory: two pieces with their copies. At most FILES files are open at once;
plans with more slices take another pass over the events.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from datetime import date
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from cep_core.arrays import Ints, runs_of
from cep_core.candidates.grouping import stable_order
from cep_core.events.chunks import one_array
from cep_core.events.event_types import EventTypes
from cep_core.slicing import Plan
from cep_core.slicing.splitter import cells_of
from jobs.bundles import bundles
from jobs.lake.dataset import with_codes
from jobs.lake.table_files import TableFile, in_columns, new_path, writer_of, written

FILES = 512
"""The most files that are open at once: half of what systems allow a process at first."""

ASCENDING = ("ts", "seq", "pos", "offset")
"""Columns that ascend from event to event, or are small."""

Days = tuple[date, ...]

Part = tuple[Plan, Days, range]
"""Some slices of a plan, and the days that its queries read."""


class Piece(NamedTuple):
    """Some events of a slice of a plan."""

    plan: Plan
    number: int
    rows: pa.Table


class SliceFiles:
    """The files of slices below a table's folder, each begun with its first rows."""

    def __init__(self, folder: Path, schema: pa.Schema) -> None:
        self.schema = with_codes(schema)
        self._folder = folder
        self._open: dict[tuple[str, int], tuple[str, pq.ParquetWriter]] = {}
        self._stack = ExitStack()

    def add(self, plan: Plan, number: int, rows: pa.Table) -> None:
        """Add rows to the file of a slice."""
        if (plan.plan_id, number) not in self._open:
            path = new_path(self._folder, _partition(plan.plan_id, number), "slice")
            ascending = [name for name in ASCENDING if name in self.schema.names]
            writer = self._stack.enter_context(
                writer_of(self._folder / path, self.schema, ascending, is_transient=True)
            )
            self._open[plan.plan_id, number] = path, writer
        self._open[plan.plan_id, number][1].write_table(rows)

    def close(self) -> list[TableFile]:
        """Complete all files."""
        self._stack.close()
        begun = [(path, _partition(*name)) for name, (path, _) in self._open.items()]
        return [written(self._folder, path, partition, ("ts", "seq")) for path, partition in begun]


def cut(
    parts: Sequence[Part], pieces: Iterable[pa.Table], folder: Path, schema: pa.Schema, run_id: str
) -> list[TableFile]:
    """Write the slices of some parts of plans. `pieces`: events in the log's order, with `pos`; `schema`: that of the
    table's files, `folder` the table's."""
    types = {atom.event_type for plan, _, _ in parts for atom in plan.atoms}
    files = SliceFiles(folder, schema)
    waiting: Future[None] | None = None
    with ThreadPoolExecutor(1) as writing:
        for piece in pieces:
            relevant = _of_types(piece, types)
            rows = [piece for part in parts for piece in _divided(part, relevant, files.schema, run_id)]
            if waiting is not None:
                waiting.result()
            waiting = writing.submit(_write, files, rows)
        if waiting is not None:
            waiting.result()
        return files.close()


def _divided(part: Part, events: pa.Table, schema: pa.Schema, run_id: str) -> list[Piece]:
    """What a part's slices get of some events, each in the log's order."""
    plan, days, numbers = part
    events = _of_days(events, days)
    rows, cells = cells_of(plan, events)
    order = stable_order(cells, plan.cells) if plan.cells > 1 else None
    if order is not None or len(rows) < events.num_rows:  # else each event is in one slice of each range that reads it
        rows, cells = (rows, cells) if order is None else (rows[order], cells[order])
        events = events.select([name for name in events.column_names if name in schema.names]).take(pa.array(rows))
    copies = in_columns(events, schema, {"run_id": run_id})
    pieces = []
    ts = copies["ts"].to_numpy()
    for cell, begin, end in runs_of(cells):
        for number, first, after in _in_ranges(plan, cell, ts[begin:end]):
            if number in numbers:
                pieces.append(Piece(plan, number, copies.slice(begin + first, after - first)))
    return pieces


def _in_ranges(plan: Plan, cell: int, ts: Ints) -> Iterator[tuple[int, int, int]]:
    """The slices of a cell that read some of its events, whose stamps ascend: (slice, first place, place after)."""
    if not plan.ranges:
        yield cell, 0, len(ts)
        return
    firsts = np.searchsorted(ts, [span.reads_from for span in plan.ranges])
    afters = np.searchsorted(ts, [span.end for span in plan.ranges])
    for place in np.flatnonzero(afters > firsts).tolist():
        yield place * plan.cells + cell, int(firsts[place]), int(afters[place])


def _of_types(events: pa.Table, types: set[str]) -> pa.Table:
    """The events of some types; if all are, no copy is made."""
    if types >= set(EventTypes(one_array(events["event_type"])).names):
        return events
    return events.filter(pc.is_in(events["event_type"], pa.array(sorted(types), pa.string())))


def _of_days(events: pa.Table, days: Days) -> pa.Table:
    """The events of some days, which are in the log's order; of one day, no copy is made."""
    if events.num_rows and events["day"][0] == events["day"][-1]:
        return events if events["day"][0].as_py() in days else events.slice(0, 0)
    return events.filter(pc.is_in(events["day"], pa.array(days, pa.date32())))


def _write(files: SliceFiles, divided: Iterable[Piece]) -> None:
    for plan, number, rows in divided:
        files.add(plan, number, rows)


def parts_of(plans: Iterable[tuple[Plan, Days]], most: int = FILES) -> Iterator[list[Part]]:
    """The plans' slices, in parts that have at most so many files together."""
    parts = (
        (plan, days, range(begin, min(begin + most, plan.slices)))
        for plan, days in plans
        for begin in range(0, plan.slices, most)
    )
    return bundles(parts, lambda part: len(part[2]), most)


def _partition(plan_id: str, number: int) -> dict[str, str]:
    return {"plan_id": plan_id, "slice": str(number)}

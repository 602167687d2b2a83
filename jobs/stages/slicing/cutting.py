"""Cuts the events of a run's plans into the files of `_work/slices`, piece by piece, in this process.

Each slice of a plan is one file. The pieces come in the log's order (`event_pieces.py`), so each file is sorted by (ts,
seq) without a sort: the rows of a piece are brought together by slice, and each slice's part is added to its file.
While a piece is written, the next one is read and divided.

Cost: linear in the events and their copies. Memory: two pieces with their copies. At most FILES files are open at once;
plans with more slices take another pass over the events.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from datetime import date
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from cep_core.slicing import Plan, split
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
    types = pa.array(sorted({atom.event_type for plan, _, _ in parts for atom in plan.atoms}), pa.string())
    files = SliceFiles(folder, schema)
    waiting: Future[None] | None = None
    with ThreadPoolExecutor(1) as writing:
        for piece in pieces:
            relevant = _where(piece, pc.is_in(piece["event_type"], types))
            rows = [(part, *_divided(part, relevant, files.schema, run_id)) for part in parts]
            if waiting is not None:
                waiting.result()
            waiting = writing.submit(_write, files, rows)
        if waiting is not None:
            waiting.result()
        return files.close()


def _divided(part: Part, events: pa.Table, schema: pa.Schema, run_id: str) -> tuple[pa.Table, np.ndarray]:
    """The rows of a part's slices, ascending by slice and then in the log's order, and the slice of each."""
    plan, days, numbers = part
    events = _where(events, pc.is_in(events["day"], pa.array(days, pa.date32())))
    rows, slices = split(plan, events)
    if len(numbers) < plan.slices:
        chosen = (slices >= numbers.start) & (slices < numbers.stop)
        rows, slices = rows[chosen], slices[chosen]
    order = np.argsort(slices.astype(np.int16), kind="stable")
    return in_columns(events.take(pa.array(rows[order])), schema, {"run_id": run_id}), slices[order]


def _where(events: pa.Table, chosen: pa.ChunkedArray) -> pa.Table:
    """The chosen events; if all are, no copy is made."""
    return events if pc.all(chosen, min_count=0).as_py() else events.filter(chosen)


def _write(files: SliceFiles, divided: Iterable[tuple[Part, pa.Table, np.ndarray]]) -> None:
    for (plan, _, _), rows, slices in divided:
        bounds = [*np.flatnonzero(np.diff(slices, prepend=-1)).tolist(), len(slices)]
        for begin, end in pairwise(bounds):
            files.add(plan, int(slices[begin]), rows.slice(begin, end - begin))


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

"""Runs: the events of a task that events.sql gave, ascending by `ts`, in an Arrow file that others open by its path.

A worker divides what Spark gives it into runs of a bounded length, of the events of the load's days. Of all events it
tells which rows they came from (`row_bitmaps.py`), and which rows gave an event that lacks what its type must have.
Later, ranges of the log's order are read from all runs at once (`event_ranges.py`); so no event passes a shuffle.
A run lies in memory as it lies in its file: who opens it reads only the pages that it looks at.

Cost: linear in the events, and a sort of each run unless the source is in the order of its time already.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame
from pyspark.sql import functions as sf
from pyspark.sql.types import BooleanType, DateType, NumericType, StructType, TimestampNTZType, TimestampType

from cep_core.arrays import Flags, Ints
from jobs.erasure.rules import Suppression
from jobs.stages.loading.log_order import ORDER
from jobs.stages.loading.row_bitmaps import RowBitmaps
from jobs.stages.loading.row_fates import NO_DAY
from jobs.workload.operating_days import OperatingDays

EVENTS_AT_ONCE = 500_000
"""Events of a run."""

ANSWER = "run STRING, rank INT, id BIGINT, flaw STRING, bucket BIGINT, kind STRING, rows BINARY, last_ts BIGINT"
"""What a worker tells: the path of a run, a row with a flawed event, or a bitmap of rows."""

TOLD_SCHEMA = pa.schema(
    [
        ("run", pa.string()),
        ("rank", pa.int32()),
        ("id", pa.int64()),
        ("flaw", pa.string()),
        ("bucket", pa.int64()),
        ("kind", pa.string()),
        ("rows", pa.binary()),
        ("last_ts", pa.int64()),
    ]
)

UNMEASURED = {
    "spark.sql.execution.arrow.maxBytesPerBatch": str(2**31 - 1),
    "spark.sql.execution.arrow.maxRecordsPerBatch": "50000",
}
"""Batches for Python are limited by their rows alone: Spark takes the largest number of bytes as no limit."""

OWN_TEXTS = ("event_type", "_flaw")
"""Texts of candidate events that are short: declared names, and what an event lacks."""

ORDER_KINDS = ("number", "real", "text")

ROW_PARTS = ("rank", "id", "hash", "day")


@dataclass(frozen=True)
class RunWriter:
    """Writes the runs of one load. `loads`: the run's days; `start`: the log's first day; `timed`: as of RowBitmaps.

    `suppression`: what was erased. Such events are in runs, too: those after them keep their `seq`.
    """

    folder: Path
    loads: Sequence[date]
    start: date
    days: OperatingDays
    timed: frozenset[int] = frozenset()
    suppression: Suppression | None = None

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """The function that each worker applies to its events."""
        from pyspark import TaskContext

        context = TaskContext.get()
        assert context is not None
        runs = self.begin(str(context.taskAttemptId()))
        for batch in batches:
            yield from runs.add(batch)
        yield from runs.end()

    def begin(self, name: str) -> RunsOfTask:
        """The runs of one task, whose files are named so."""
        return RunsOfTask(self, name)


class RunsOfTask:
    """The runs of the events that one task sees. What it gives is what the worker tells."""

    def __init__(self, writer: RunWriter, name: str) -> None:
        self._writer, self._name = writer, name
        self._bitmaps = RowBitmaps(writer.loads, writer.start, writer.days, writer.timed)
        self._waiting: list[pa.RecordBatch] = []
        self._events = self._runs = 0

    def add(self, batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
        """Events, with the columns of `to_write`."""
        yield from _flawed(batch)
        suppression = self._writer.suppression
        out = None if suppression is None else suppression.events(pa.Table.from_batches([batch]))
        kept = chosen(batch, self._bitmaps.add(*_rows_of(batch), out)).drop_columns(["_flaw", "_day"])
        self._waiting.append(kept)
        self._events += kept.num_rows
        if self._events >= EVENTS_AT_ONCE:
            yield self._written()

    def end(self) -> Iterator[pa.RecordBatch]:
        """The last run, and the bitmaps of all events."""
        if self._events:
            yield self._written()
        yield _answer(self._bitmaps.rows())

    def _written(self) -> pa.RecordBatch:
        path = self._writer.folder / f"{self._name}-{self._runs}.arrow"
        write_run(pa.Table.from_batches(self._waiting), path)
        self._waiting, self._events, self._runs = [], 0, self._runs + 1
        return _answer([{"run": str(path)}])


@dataclass(frozen=True)
class RowsTakenOut:
    """Takes the events of refused rows out of runs. `refused`: a file of (rank, id), ascending."""

    refused: Path

    def __call__(self, run: Path) -> None:
        """Write a run anew without such events; a run that has none stays."""
        refused, events = open_run(self.refused), open_run(run)
        ranks, ids = (_numbers(refused[name]) for name in ("rank", "id"))
        of_events, rows = _numbers(events["_rank"]), _numbers(events["_id"])
        taken = np.zeros(len(rows), np.bool_)
        for rank in np.unique(ranks).tolist():
            of_source = ids[ranks == rank]
            place = np.minimum(np.searchsorted(of_source, rows), len(of_source) - 1)
            taken |= (of_events == rank) & (of_source[place] == rows)
        if taken.any():
            new = run.with_suffix(f".{uuid4().hex}")
            write_run(events.filter(pa.array(~taken)), new)
            new.rename(run)


def _numbers(column: pa.ChunkedArray) -> Ints:
    """Whole numbers; of an event that names no row, -1."""
    return column.combine_chunks().fill_null(-1).to_numpy().astype(np.int64)


def to_write(candidates: DataFrame, order: int) -> DataFrame:
    """The columns of candidate events that a RunWriter takes: `_row` in its parts, `_flaw`, and the event's own.

    `order`: the most order columns that a source has. Each becomes flat columns: Spark measures a batch after each row,
    and nested columns as a whole each time.
    """
    parts = [sf.col(f"_row.{part}").alias(f"_{part}") for part in ROW_PARTS]
    for place in range(order):
        value = sf.get(sf.col("_row.order"), sf.lit(place))
        parts += [value[kind].alias(f"{ORDER}{place}_{kind}") for kind in ORDER_KINDS]
    own = [sf.col(f"`{name}`") for name in candidates.columns if name not in ("_row", "_flaw", "day")]
    return candidates.select(*own, *parts, "_flaw")


def is_narrow(schema: StructType) -> bool:
    """Whether rows are short whatever they hold: numbers, times and truths beside `OWN_TEXTS`."""
    short = NumericType | BooleanType | DateType | TimestampType | TimestampNTZType
    return all(isinstance(field.dataType, short) or field.name in OWN_TEXTS for field in schema)


@contextmanager
def batches_by_rows(rows: DataFrame) -> Iterator[None]:
    """Within, narrow rows go to workers in batches of a number of rows.

    Spark measures the bytes of a batch after each row, column by column. That took more than half of the time in which
    it reads rows and hands them to Python. Rows with texts stay limited by bytes.
    """
    conf = rows.sparkSession.conf
    former = {name: conf.get(name) for name in UNMEASURED} if is_narrow(rows.schema) else {}
    for name in former:
        conf.set(name, UNMEASURED[name])
    try:
        yield
    finally:
        for name, value in former.items():
            conf.set(name, value)


def chosen(rows: pa.RecordBatch, flags: Flags) -> pa.RecordBatch:
    """The rows that are flagged; of all rows, no copy."""
    return rows if flags.all() else rows.filter(pa.array(flags))


def write_run(events: pa.Table, path: Path) -> None:
    """Write events to a run, ascending by `ts`; events of equal `ts` stay in their order."""
    ts = events["ts"].combine_chunks().to_numpy()
    if (ts[1:] < ts[:-1]).any():
        events = events.take(pa.array(np.argsort(ts, kind="stable")))
    events = pa.table(dict(zip(events.column_names, events.columns, strict=True)))  # Spark says what cannot be null
    with pa.ipc.new_file(path, events.schema) as file:
        file.write_table(events.combine_chunks())


def open_run(path: Path) -> pa.Table:
    """The events of a run, not yet read from its file."""
    with pa.memory_map(str(path)) as file:
        return pa.ipc.open_file(file).read_all()


def stamps_of(events: pa.Table) -> Ints:
    """The `ts` of a run's events, ascending, not yet read from its file."""
    stamps: Ints = events["ts"].combine_chunks().to_numpy() if events["ts"].num_chunks else np.zeros(0, np.int64)
    return stamps


def _rows_of(batch: pa.RecordBatch) -> tuple[Any, Any, Any, Any, Any]:
    """Rank (-1: no row), number, `ts` of each event, whether it has one, and the day of the row, or NO_DAY."""
    timed = batch["ts"].is_valid().to_numpy(zero_copy_only=False)
    rank = pc.fill_null(batch["_rank"], -1).to_numpy().astype(np.int64)
    known = batch["_id"].is_valid().to_numpy(zero_copy_only=False)
    rank[~known] = -1
    own = pc.fill_null(batch["_day"].cast(pa.int32()), NO_DAY).to_numpy().astype(np.int64)
    return rank, pc.fill_null(batch["_id"], 0).to_numpy(), pc.fill_null(batch["ts"], 0).to_numpy(), timed, own


def _flawed(batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    """The rows of flawed events."""
    if batch["_flaw"].null_count < batch.num_rows:
        flawed = batch.filter(batch["_flaw"].is_valid()).select(["_rank", "_id", "_flaw"])
        yield _answer({name.removeprefix("_"): value for name, value in row.items()} for row in flawed.to_pylist())


def _answer(rows: Iterable[dict[str, Any]]) -> pa.RecordBatch:
    table = pa.Table.from_pylist(list(rows), TOLD_SCHEMA).combine_chunks()
    return pa.RecordBatch.from_arrays([column.combine_chunks() for column in table.columns], schema=TOLD_SCHEMA)

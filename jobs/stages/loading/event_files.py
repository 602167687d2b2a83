"""Files of events in the log's order, which `_work/staged_events` and `events` share.

A worker reads the pieces of a range from all runs, orders them as `log_order.py` says, gives each event its `seq` and
writes one Parquet file with the columns of the staged table. What facts of a day are made of stands in the file's
footer: its events, their time-points, the part of the digest. So no later stage counts the events again, and the gate
lets a day pass by linking its files.

Cost: linear in the events, a sort of each range whose runs overlap, and an exact order for events of equal stamps only.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from cep_core.arrays import Ints
from jobs.erasure.rules import Suppression
from jobs.lake.dataset import FEW_TEXTS, with_codes
from jobs.lake.table_files import TableFile, in_columns, new_path, writer_of, written
from jobs.stages.loading.event_digests import DigestPart, digest_of
from jobs.stages.loading.event_ranges import EventRange, RunPiece
from jobs.stages.loading.event_runs import open_run
from jobs.stages.loading.log_order import DAY_BITS, are_tied, order_of_ties, ordering
from jobs.stored_path import opened_by_arrow
from jobs.workload.operating_days import day_number

ANSWER = "day DATE, path STRING, size BIGINT, stats STRING"
"""What a worker tells of a file that it wrote."""

OF_EVENTS = "events-"
"""How the names of such files begin."""

_EVENTS, _POINTS, _PARITY, _SUM = (b"events", b"points", b"parity", b"sum")


@dataclass(frozen=True)
class FileWriter:
    """Writes the files of ranges into a table's folder. `columns`: the table's, without `day`; `constants`: the values
    of columns that no run has; `point`: the column that tells time-points of equal `ts` apart; `suppression`: what was
    erased, and is left out."""

    folder: Path
    columns: pa.Schema
    constants: Mapping[str, str | bool]
    point: str
    suppression: Suppression | None = None

    def __call__(self, ranges: Sequence[EventRange], name: str) -> Iterator[pa.RecordBatch]:
        """Write one file for each range; `name` makes their names unique."""
        for number, each in enumerate(ranges):
            events = in_log_order(each)
            if self.suppression is not None:
                events = events.filter(pa.array(~self.suppression.events(events)))
                if not events.num_rows:
                    continue
            partition = {"day": str(each.day)}
            path = new_path(self.folder, partition, f"{OF_EVENTS}{name}-{number}")
            schema = with_codes(self.columns, {*FEW_TEXTS, *self.constants})  # codes are written as they are
            with writer_of(self.folder / path, schema, ("ts", "seq")) as file:
                file.write_table(in_columns(events, schema, self.constants))
                file.add_key_value_metadata(_facts(events, self.point))
            made = written(self.folder, path, partition, schema.names)
            columns = {"day": [each.day], "path": [path], "size": [made.size], "stats": [made.stats]}
            yield pa.record_batch(columns)


def in_log_order(events: EventRange) -> pa.Table:
    """The events of a range in the log's order, with `seq`."""
    rows = pa.concat_tables(_read(piece) for piece in events.pieces).combine_chunks()
    ts = rows["ts"].combine_chunks().to_numpy()
    if (ts[1:] < ts[:-1]).any():
        rows = rows.take(pa.array(np.argsort(ts, kind="stable")))
        ts = rows["ts"].combine_chunks().to_numpy()
    tied = np.flatnonzero(are_tied(ts))
    if len(tied):
        order = np.arange(len(ts))
        order[tied] = tied[order_of_ties(rows.select(ordering(rows.column_names)).take(pa.array(tied)))]
        rows = rows.take(pa.array(order))
    first = (day_number(events.day) << DAY_BITS) + events.before
    made = pa.array(np.arange(first, first + len(ts)))
    own = rows["_own_seq"]
    if own.null_count == len(own):
        return rows.append_column("seq", made)
    rows = rows.append_column("seq", pc.coalesce(own, made))
    return rows.sort_by([("ts", "ascending"), ("seq", "ascending")])


def _read(piece: RunPiece) -> pa.Table:
    return open_run(piece.run).slice(piece.begin, piece.end - piece.begin)


def _facts(events: pa.Table, point: str) -> dict[bytes, bytes]:
    """What a file's footer tells of its events."""
    digest = digest_of(events.drop_columns([name for name in events.column_names if name.startswith("_")]))
    return {
        _EVENTS: str(digest.events).encode(),
        _POINTS: str(_points(events, point)).encode(),
        _PARITY: str(digest.parity).encode(),
        _SUM: str(digest.sum).encode(),
    }


def _points(events: pa.Table, point: str) -> int:
    """The time-points of a range, which holds all events of its stamps."""
    ts: Ints = events["ts"].combine_chunks().to_numpy()
    if point == "ts":
        return int(np.count_nonzero(ts[1:] != ts[:-1])) + 1
    return int(events.group_by(["ts", point], use_threads=False).aggregate([]).num_rows)


def facts_of(path: Path) -> tuple[DigestPart, int]:
    """The digest of a file's events and their time-points, from its footer."""
    metadata = pq.read_schema(opened_by_arrow(path)).metadata
    return DigestPart(int(metadata[_EVENTS]), int(metadata[_PARITY]), int(metadata[_SUM])), int(metadata[_POINTS])


def files_in(rows: Iterable[Mapping[str, Any]]) -> list[TableFile]:
    """The files that workers told of."""
    return [TableFile({"day": str(row["day"])}, row["path"], row["size"], row["stats"]) for row in rows]

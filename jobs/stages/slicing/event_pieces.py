"""The published events of some days, piece by piece, in the log's order: more than memory holds may be looked at.

The files of a day are ordered by their stamps, and the table's log tells the first and the last of each file. Files
whose stamps overlap are read together and sorted, and so are files of which that is not known; all others are read one
after the other. So a piece holds all events of its stamps. Small pieces are brought together.
Cost: linear, if the files are in order, as a load leaves them. Memory: the largest group of files that overlap.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from datetime import date
from pathlib import Path
from typing import Any

import pyarrow as pa
from deltalake import DeltaTable

from jobs.lake.dataset import read_files
from jobs.lake.reading import log_order

EVENTS_AT_ONCE = 500_000
"""Events of a piece, at least, but for the last."""


def event_pieces(folder: Path, columns: Sequence[str], days: Collection[date]) -> Iterator[pa.Table]:
    """The events of some days in (ts, seq) order, with these columns. `folder`: that of the table of events."""
    table = DeltaTable(folder)
    waiting: list[pa.Table] = []
    events = 0
    for group in _groups(table, days):
        piece = log_order(read_files(table, folder, group, columns))
        waiting.append(piece)
        events += piece.num_rows
        if events >= EVENTS_AT_ONCE:
            yield pa.concat_tables(waiting).combine_chunks()
            waiting, events = [], 0
    if events:
        yield pa.concat_tables(waiting).combine_chunks()


def _groups(table: DeltaTable, days: Collection[date]) -> Iterator[list[str]]:
    """The paths of files that must be read together, in the order of their events."""
    actions = pa.table(table.get_add_actions(flatten=True))
    names = ["path", "partition.day", "min.ts", "max.ts"]
    known = [name for name in names if name in actions.column_names]
    wanted = [row for row in actions.select(known).to_pylist() if row["partition.day"] in days]
    group: list[dict[str, Any]] = []
    for row in sorted(wanted, key=lambda row: (row["partition.day"], row.get("min.ts") or 0, row["path"])):
        if group and _is_after(row, group):
            yield [each["path"] for each in group]
            group = []
        group.append(row)
    if group:
        yield [each["path"] for each in group]


def _is_after(row: dict[str, Any], group: Sequence[dict[str, Any]]) -> bool:
    """Whether all events of a file come after those of a group."""
    if row["partition.day"] != group[-1]["partition.day"]:
        return True
    known = [each.get("max.ts") for each in group]
    return row.get("min.ts") is not None and all(last is not None and last < row["min.ts"] for last in known)

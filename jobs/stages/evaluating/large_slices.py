"""Slices with more events than are held at once: their files are read part by part, as their evaluation asks.

A slice's file has a group of rows for each piece of the log that was cut (`jobs/stages/slicing/cutting.py`), so a part
is read from the groups that overlap it. Its stamps, which say where a part begins, are in a file that is mapped. Cost:
each group once for each part that needs it. Memory: a part.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import accumulate
from typing import TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from jobs.stages.evaluating.reading import Stamps
from jobs.stages.slicing.stamps import mapped
from jobs.stored_path import opened_by_arrow, place


class RowsOfFile:
    """The events of a slice's file. `columns`: those that an evaluation reads, with their types."""

    def __init__(self, path: str, columns: Mapping[str, pa.DataType]) -> None:
        self._columns = list(columns)
        texts = [name for name, kind in columns.items() if kind == pa.string()]
        self._file = pq.ParquetFile(opened_by_arrow(place(path)), read_dictionary=texts)
        footer = self._file.metadata
        sizes = (footer.row_group(number).num_rows for number in range(footer.num_row_groups))
        self._starts = np.array([0, *accumulate(sizes)])

    @property
    def num_rows(self) -> int:
        return int(self._starts[-1])

    def stamps(self) -> Stamps:
        """The stamps of all events, read group by group into a file that is mapped."""
        groups = range(len(self._starts) - 1)
        return mapped(
            self._file.read_row_group(group, columns=["ts"], use_threads=False)["ts"].to_numpy() for group in groups
        )

    def slice(self, offset: int, length: int, /) -> pa.Table:
        """The groups that overlap these events are read anew."""
        first = int(np.searchsorted(self._starts, offset, side="right")) - 1
        after = int(np.searchsorted(self._starts, offset + length, side="left"))
        groups = list(range(max(0, first), max(first, after)))
        read = self._file.read_row_groups(groups, columns=self._columns, use_threads=False)
        before = int(self._starts[groups[0]]) if groups else 0
        return in_one_chunk(read.slice(offset - before, length))

    def all(self) -> pa.Table:
        """All events."""
        return in_one_chunk(self._file.read(columns=self._columns, use_threads=False))


Rows: TypeAlias = pa.Table | RowsOfFile
"""A slice's events in (ts, seq) order: in memory, or read part by part."""


def stamps_of(events: Rows) -> Stamps:
    """[events] Their stamps, ascending."""
    return events.stamps() if isinstance(events, RowsOfFile) else events.column("ts").to_numpy()


def in_one_chunk(events: pa.Table) -> pa.Table:
    """Events with one chunk for each column, and each text once in its column's dictionary."""
    if all(column.num_chunks <= 1 for column in events.columns):
        return events
    return events.unify_dictionaries().combine_chunks()

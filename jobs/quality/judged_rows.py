"""The rows that gate rules judge, day by day: held in memory, or in files that a judge opens itself.

So a day of any size reaches the process that judges it, and no process holds the rows of several large days.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Protocol

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from jobs.bundles import bundles
from jobs.stored_path import opened_by_arrow

ROWS_AT_ONCE = 500_000
"""Rows of a piece, about."""


class JudgedRows(Protocol):
    """The rows of some days, without the column `day`."""

    def count(self, day: date) -> int:
        """How many rows a day has."""

    def pieces(self, day: date) -> Iterator[pa.Table]:
        """The rows of a day, at least one table."""

    def of_days(self, days: Collection[date]) -> JudgedRows:
        """The rows of these days alone."""


@dataclass(frozen=True)
class HeldRows:
    """Rows in memory, with a column `day`."""

    rows: pa.Table

    def count(self, day: date) -> int:
        return self._of(day).num_rows

    def pieces(self, day: date) -> Iterator[pa.Table]:
        rows = self._of(day)
        return (rows.slice(begin, ROWS_AT_ONCE) for begin in range(0, max(1, rows.num_rows), ROWS_AT_ONCE))

    def of_days(self, days: Collection[date]) -> HeldRows:
        return HeldRows(self.rows.filter(pc.is_in(self.rows["day"], pa.array(list(days), pa.date32()))))

    def _of(self, day: date) -> pa.Table:
        return self.rows.filter(pc.equal(self.rows["day"], pa.scalar(day, pa.date32()))).drop_columns("day")


@dataclass(frozen=True)
class RowsInFiles:
    """Rows in Parquet files, each of one day. `schema`: the columns to judge, without `day`."""

    files: Mapping[date, Sequence[Path]]
    schema: pa.Schema

    def count(self, day: date) -> int:
        return self._counts.get(day, 0)

    def pieces(self, day: date) -> Iterator[pa.Table]:
        opened = (pq.ParquetFile(opened_by_arrow(file)) for file in self.files.get(day, ()))
        batches = chain.from_iterable(file.iter_batches(columns=self.schema.names) for file in opened)
        read = (pa.Table.from_batches([batch]).cast(self.schema) for batch in batches)
        several = (pa.concat_tables(part) for part in bundles(read, lambda table: table.num_rows, ROWS_AT_ONCE))
        first = next(several, self.schema.empty_table())
        return chain([first], several)

    def of_days(self, days: Collection[date]) -> RowsInFiles:
        return replace(self, files={day: files for day, files in self.files.items() if day in days})

    @cached_property
    def _counts(self) -> dict[date, int]:
        return {day: sum(map(_rows_in, files)) for day, files in self.files.items()}


def _rows_in(file: Path) -> int:
    return int(pq.read_metadata(opened_by_arrow(file)).num_rows)

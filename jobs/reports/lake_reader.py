"""A workload's tables as one report sees them: read without a JVM, every table at one pinned version.

A table that no run has written yet is None, and pages say so in words. A table without rows for a day is an empty
table. Rows are filtered by operating day, the partition column of the tables, so a day's report reads a day's files.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any, TypeVar

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
from deltalake import DeltaTable

from jobs.lake.dataset import dataset_of
from jobs.lake.moments.columns import moments_in
from jobs.reports.masking import Masks

ROWS_AT_ONCE = 500_000
"""Rows of a piece, at least, but for the last."""

Value = TypeVar("Value")


@dataclass(frozen=True)
class ColumnFacts:
    """A column as the table itself describes it."""

    name: str
    type: str
    nullable: bool
    comment: str


@dataclass(frozen=True)
class TableFacts:
    """What a table's own log says about it."""

    name: str
    comment: str
    columns: tuple[ColumnFacts, ...]
    partitioned_by: tuple[str, ...]
    constraints: tuple[str, ...]
    version: int
    written: datetime
    rows: int | None
    """None if the log does not say."""
    last_day: date | None
    """The latest operating day that has rows; None if there is none, or the table is not partitioned by day."""


@dataclass
class LakeReader:
    """The tables below `folder`, each opened once and read at that version from then on.

    `pinned`: the versions of all tables that another reader sees, to see the same; None: the present ones. `masks`:
    what reports must not show.
    """

    folder: Path
    pinned: Mapping[str, int] | None = None
    masks: Masks = field(default_factory=Masks)
    _opened: dict[str, DeltaTable | None] = field(default_factory=dict)
    _datasets: dict[str, ds.Dataset] = field(default_factory=dict)
    """Kept, since listing a table's files takes as long as reading one day of it."""
    _derived: dict[Hashable, Any] = field(default_factory=dict)

    def once(self, name: Hashable, compute: Callable[[], Value]) -> Value:
        """What is computed from the tables under this name: the reports of many days need it once."""
        if name not in self._derived:
            self._derived[name] = compute()
        value: Value = self._derived[name]
        return value

    def pin(self) -> dict[str, int]:
        """Opens every table that exists; returns their versions, by name."""
        for name in self.tables():
            self._open(name)
        return self.versions()

    def tables(self) -> list[str]:
        """Names of the tables that exist, working tables (`_work/...`) last."""
        names = [path.parent.relative_to(self.folder).as_posix() for path in self.folder.glob("*/_delta_log")]
        working = [path.parent.relative_to(self.folder).as_posix() for path in self.folder.glob("_work/*/_delta_log")]
        return sorted(name for name in names if name != "_work") + sorted(working)

    def read(
        self,
        name: str,
        first: date | None = None,
        last: date | None = None,
        columns: Sequence[str] | None = None,
        where: pc.Expression | None = None,
    ) -> pa.Table | None:
        """Rows of the days `first`..`last` (inclusive; None: of all days) for which `where` holds, in no order.

        `columns` that the table lacks are left out.
        """
        dataset = self._of_days(name, first, last)
        if dataset is None:
            return None
        chosen = dataset.to_table(columns=self._present(name, columns, dataset), filter=_condition(first, last, where))
        return self.masks.cover(name, chosen)

    def count(self, name: str, first: date, last: date, where: pc.Expression | None = None) -> int:
        """The number of rows of some days for which `where` holds. No row is read, but of files of which the table's
        log does not tell whether it holds."""
        dataset = self._of_days(name, first, last)
        return 0 if dataset is None else int(dataset.count_rows(filter=_condition(first, last, where)))

    def pieces(
        self,
        name: str,
        first: date | None = None,
        last: date | None = None,
        columns: Sequence[str] | None = None,
        where: pc.Expression | None = None,
    ) -> Iterator[pa.Table]:
        """The same rows in pieces of about ROWS_AT_ONCE: of a day there may be more than memory holds."""
        dataset = self._of_days(name, first, last)
        if dataset is None:
            return
        waiting: list[pa.RecordBatch] = []
        batches = dataset.to_batches(
            columns=self._present(name, columns, dataset),
            filter=_condition(first, last, where),
            batch_readahead=2,
            fragment_readahead=1,
        )
        for batch in batches:
            waiting.append(batch)
            if sum(map(len, waiting)) >= ROWS_AT_ONCE:
                yield self.masks.cover(name, pa.Table.from_batches(waiting))
                waiting = []
        if any(map(len, waiting)):
            yield self.masks.cover(name, pa.Table.from_batches(waiting))

    def _present(self, name: str, columns: Sequence[str] | None, dataset: ds.Dataset) -> list[str] | None:
        """Those of the columns that a table has; None: all. TIMESTAMP columns are for others: reports have clocks."""
        if columns is not None:
            return [column for column in columns if column in dataset.schema.names]
        return self.once(("columns", name), lambda: self._without_moments(name))

    def _without_moments(self, name: str) -> list[str] | None:
        """The columns of a table without TIMESTAMP columns that the program makes; None: it has none of these."""
        table = self._open(name)
        schema = pa.schema([]) if table is None else pa.schema(table.schema().to_arrow())
        made = {moment.name for moment in moments_in(schema)}
        return [column for column in schema.names if column not in made] if made else None

    def _of_days(self, name: str, first: date | None, last: date | None) -> ds.Dataset | None:
        """A table's files of some days: asking every file of a year whether it is of a day takes longer than a read."""
        dataset = self._dataset(name)
        if dataset is None or first is None or last is None:
            return dataset
        by_day = self.once(("files by day", name), lambda: _files_by_day(dataset))
        files = [file for day, own in by_day.items() if day is None or first <= day <= last for file in own]
        return ds.FileSystemDataset(files, dataset.schema, dataset.format, dataset.filesystem)

    def _dataset(self, name: str) -> ds.Dataset | None:
        """A table's files."""
        table = self._open(name)
        if table is not None and name not in self._datasets:
            self._datasets[name] = dataset_of(table, self.folder / name)
        return self._datasets.get(name)

    def facts(self, name: str) -> TableFacts | None:
        """A table's comments, columns, constraints, version and the time of its last write."""
        return self.once(("facts", name), lambda: self._facts(name))

    def _facts(self, name: str) -> TableFacts | None:
        table = self._open(name)
        if table is None:
            return None
        metadata = table.metadata()
        columns = tuple(
            ColumnFacts(item.name, _type_name(item.type), item.nullable, str((item.metadata or {}).get("comment", "")))
            for item in table.schema().fields
        )
        prefix = "delta.constraints."
        constraints = tuple(
            f"{key.removeprefix(prefix)}: {value}"
            for key, value in sorted((metadata.configuration or {}).items())
            if key.startswith(prefix)
        )
        # The library begins with commits that came after this version, so its own one is the last.
        *_, last = table.history(1)
        written = datetime.fromtimestamp(int(last["timestamp"]) / 1000, UTC)
        files = pa.table(table.get_add_actions(flatten=True)).to_pylist()
        counts = [file["num_records"] for file in files]
        days = [file["partition.day"] for file in files if file.get("partition.day") and file["num_records"]]
        return TableFacts(
            name,
            metadata.description or "",
            columns,
            tuple(metadata.partition_columns),
            constraints,
            table.version(),
            written,
            None if None in counts else sum(counts),
            max(days, default=None),
        )

    def versions(self) -> dict[str, int]:
        """The pinned version of every table that was read, by name."""
        return {name: table.version() for name, table in sorted(self._opened.items()) if table is not None}

    def _open(self, name: str) -> DeltaTable | None:
        if name not in self._opened:
            path = self.folder / name
            if self.pinned is None:
                self._opened[name] = DeltaTable(path) if (path / "_delta_log").is_dir() else None
            else:
                version = self.pinned.get(name)
                self._opened[name] = None if version is None else DeltaTable(path, version=version)
        return self._opened[name]


def _files_by_day(dataset: ds.Dataset) -> dict[date | None, list[ds.Fragment]]:
    """The files of a table by their operating day; None: of a table that is not partitioned by it."""
    by_day: dict[date | None, list[ds.Fragment]] = {}
    for file in dataset.get_fragments():
        by_day.setdefault(ds.get_partition_keys(file.partition_expression).get("day"), []).append(file)
    return by_day


def _condition(first: date | None, last: date | None, where: pc.Expression | None) -> pc.Expression | None:
    """`where`, on the days `first`..`last`."""
    condition = where
    for bound in (
        None if first is None else ds.field("day") >= pa.scalar(first, pa.date32()),
        None if last is None else ds.field("day") <= pa.scalar(last, pa.date32()),
    ):
        condition = bound if condition is None else condition if bound is None else condition & bound
    return condition


def _type_name(kind: Any) -> str:
    """`string`, `array<bigint>`, `decimal(38,0)`: a Delta type's name in SQL."""
    text = str(getattr(kind, "type", kind))
    if text == "array":
        return f"array<{_type_name(kind.element_type)}>"
    return {"long": "bigint", "integer": "int"}.get(text, text)


def rows(table: pa.Table | None, *order: str) -> list[dict[str, Any]]:
    """A small table's rows as dictionaries, sorted by the columns `order` (nulls first), for deterministic pages.

    >>> rows(pa.table({"a": [2, 1], "b": ["x", "y"]}), "a")
    [{'a': 1, 'b': 'y'}, {'a': 2, 'b': 'x'}]
    """
    if table is None:
        return []
    records: list[dict[str, Any]] = table.to_pylist()
    return sorted(records, key=lambda row: tuple((row[name] is not None, row[name]) for name in order if name in row))

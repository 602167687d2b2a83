"""The rows of a result as they come from the merge: held while they are few, else written to files beside the table.

Cost: a file for each day that has rows. Memory: the rows that are held, or of one part, and those of the part that is
written meanwhile.
"""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from datetime import date
from pathlib import Path
from types import TracebackType

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from jobs.lake.arrow_write import in_table_order
from jobs.lake.table_files import TableFile, new_path, writer_of, written
from jobs.stages.evaluating import merging


class ResultRows:
    """Rows with the columns of a table that is partitioned by day. `folder`: the table's.

    In a `with` statement, which ends what is written.
    """

    def __init__(self, folder: Path) -> None:
        self.by_day: dict[date, int] = {}
        """The number of rows of each day that has rows."""
        self._folder = folder
        self._held: list[pa.Table] = []
        self._rows = 0
        self._numbers: list[str] = []
        self._files: dict[date, tuple[str, pq.ParquetWriter]] = {}
        self._stack = ExitStack()
        self._writing: ThreadPoolExecutor | None = None
        self._begun: Future[None] | None = None

    def __enter__(self) -> ResultRows:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._writing is not None:
            self._writing.shutdown()
        self._stack.close()

    def add(self, rows: pa.Table) -> None:
        """Rows of any days."""
        for row in pc.value_counts(rows["day"]).to_pylist():
            self.by_day[row["values"]] = self.by_day.get(row["values"], 0) + row["counts"]
        self._rows += rows.num_rows
        self._held.append(rows)
        if self._rows > merging.ROWS_AT_ONCE:
            self._write_held()

    def end(self) -> pa.Table | list[TableFile]:
        """All rows, or the files that have them. Something was added, at least no rows."""
        if self._writing is None:
            return pa.concat_tables(self._held)
        self._write_held()
        self._wait()
        self._stack.close()
        of_days = [(path, {"day": day.isoformat()}) for day, (path, _) in self._files.items()]
        return [written(self._folder, path, partition, self._numbers) for path, partition in of_days]

    def _write_held(self) -> None:
        """Hand what is held to the writer, when it has written what came before."""
        if self._writing is None:
            self._writing = ThreadPoolExecutor(1)
        self._wait()
        parts, self._held = self._held, []
        self._begun = self._writing.submit(self._write, parts)

    def _wait(self) -> None:
        if self._begun is not None:
            self._begun.result()

    def _write(self, parts: list[pa.Table]) -> None:
        """Add rows to the files of their days."""
        for part in parts:
            rows = in_table_order(part, self._folder)
            for name in (field.name for field in rows.schema if not field.nullable and rows[field.name].null_count):
                raise ValueError(f"{self._folder.name}: {name} may not be null")
            self._numbers = [field.name for field in rows.schema if field.type == pa.int64()]
            for day in pc.unique(rows["day"]).to_pylist():
                own = rows.filter(pc.equal(rows["day"], day)).drop_columns(["day"])
                self._writer_of(day, own.schema).write_table(own)

    def _writer_of(self, day: date, schema: pa.Schema) -> pq.ParquetWriter:
        if day not in self._files:
            path = new_path(self._folder, {"day": day.isoformat()}, "result")
            self._files[day] = path, self._stack.enter_context(writer_of(self._folder / path, schema))
        return self._files[day][1]

"""The files of one log as one table: the columns of the first, the rows of all, in the order in which they are named.

Files without rows are passed over and told, unless no file has one. A file that lacks a column, or holds it as a type
that the others do not fit, is an error with its name. Numbers of rows count over all files.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from cep_core.progress.ranges import Tick
from jobs.exits import RunError, UnreadableSource
from jobs.log_files.reading.log_file import FileOptions, LogFile, NoRows, look_at
from jobs.log_files.reading.named_files import NamedFiles, named_files
from jobs.reports.words.quantities import quantity

_PARTS = 1000
_SHOWN = 4


@dataclass(frozen=True)
class LogFiles:
    """The files of a log. `first`: the first one that has rows; `sample`: its first rows."""

    named: NamedFiles
    first: LogFile
    options: FileOptions

    @property
    def sample(self) -> pa.Table:
        return self.first.sample

    @property
    def name(self) -> str:
        """How a message calls the log."""
        if self.named.kept is not None:
            return "standard input"
        return str(self.first.path) + (f" and {len(self.named.paths) - 1} more" if len(self.named.paths) > 1 else "")

    def read(self, columns: Sequence[str], tick: Tick) -> tuple[pa.Table, list[str]]:
        """These columns of every row of all files, and remarks. Raises UnreadableSource."""
        with _by_its_name(self.named):
            return self._read(columns, tick)

    def _read(self, columns: Sequence[str], tick: Tick) -> tuple[pa.Table, list[str]]:
        many = len(self.named.paths)
        notes, rows = list(self.named.notes), 0
        tables: list[tuple[Path, pa.Table]] = []
        places: list[str] = []
        empty: list[str] = []
        for number, path in enumerate(self.named.paths):
            try:
                file = self.first if path == self.first.path else look_at(path, self.options)
            except NoRows:
                empty.append(path.name)
                continue
            for name in columns:
                if name not in file.sample.column_names:
                    raise UnreadableSource(path, f"it has no column '{name}', which {self.first.path} has")

            def tell(done: int, total: int, before: int = number) -> None:
                tick(before * _PARTS + done * _PARTS // max(total, 1), many * _PARTS)

            table, remarks = file.read(columns, tell)
            tables.append((path, table))
            notes += [f"{path.name}: {remark}" for remark in remarks] if many > 1 else remarks
            places.append(f"{path.name} from {quantity(rows + 1)}")
            rows += table.num_rows
        if many > 1:
            more = [f"and {many - _SHOWN} more"] if many > _SHOWN else []
            notes.append(f"rows are numbered over {many} files: {', '.join([*places[:_SHOWN], *more])}")
        if empty:
            notes.append(f"without rows: {', '.join(empty)}")
        return self._together(tables), notes

    def _together(self, tables: Sequence[tuple[Path, pa.Table]]) -> pa.Table:
        _, whole = tables[0]
        for path, table in tables[1:]:
            try:
                whole = pa.concat_tables([whole, table], promote_options="permissive")
            except pa.ArrowException:
                for name in whole.column_names:
                    have, kind = whole.schema.field(name).type, table.schema.field(name).type
                    if not _fit(have, kind):
                        message = f"its column '{name}' is {kind}, in {self.first.path} it is {have}"
                        raise UnreadableSource(path, message) from None
                raise
        return whole


def open_log(texts: Sequence[str], options: FileOptions) -> LogFiles:
    """The files that a command line names. Raises RunError for names of nothing, and what `look_at` raises."""
    named = named_files(texts)
    with _by_its_name(named):
        for path in named.paths[:-1]:
            try:
                return LogFiles(named, look_at(path, options), options)
            except NoRows:
                continue
        return LogFiles(named, look_at(named.paths[-1], options), options)


@contextmanager
def _by_its_name(named: NamedFiles) -> Iterator[None]:
    """Messages about the copy of standard input call it so."""
    try:
        yield
    except RunError as error:
        if named.kept is not None:
            error.args = (str(error).replace(str(named.paths[0]), "standard input"),)
        raise


def _fit(have: pa.DataType, other: pa.DataType) -> bool:
    try:
        pa.unify_schemas([pa.schema([("x", have)]), pa.schema([("x", other)])], promote_options="permissive")
    except pa.ArrowException:
        return False
    return True

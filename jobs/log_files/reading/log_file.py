"""A log's file: CSV, JSON lines, Parquet or Arrow, compressed or not. First its columns, from its first rows; then all.

Only the needed columns are read. Fields of nested records are columns of their own, `user_id` for `user.id`. Reading
reports how many bytes (for Parquet: rows) are done. Cost: one pass; memory holds the needed columns.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.json
import pyarrow.parquet
import pyarrow.types as kinds

from cep_core.events.frame_columns import flat
from cep_core.progress.ranges import Tick
from jobs.exits import RunError, UnreadableSource, WrongWorkload
from jobs.log_files.reading.csv_form import CsvForm, csv_form
from jobs.log_files.reading.json_rows import file_fault, is_list, lines_of
from jobs.log_files.reading.long_numbers import Places, as_decimals, may_be_long, with_whole
from jobs.log_files.reading.named_files import form_suffix
from jobs.log_files.reading.opened_file import opened, readable, whole_source
from jobs.log_files.reading.ragged_rows import EVERY, RaggedRows, ragged_fault

FORMS = ("csv", "json", "parquet", "arrow")
_FORMS = {
    **dict.fromkeys((".parquet", ".pq"), "parquet"),
    **dict.fromkeys((".json", ".jsonl", ".ndjson"), "json"),
    **dict.fromkeys((".arrow", ".arrows", ".ipc", ".feather"), "arrow"),
}
ENCODED = "; --encoding says what its text is, such as latin-1 or cp1252"
"""What is added to a message about bytes that are not UTF-8."""

_BATCH = 1 << 17
_SAMPLE = 1000
_JSON_BLOCK = 1 << 25
"""Bytes of JSON whose fields are known before all is read: a field may be rare."""


@dataclass(frozen=True)
class FileOptions:
    """What the user says of files. `missing`: texts that mean a missing value; in CSV empty text always does.

    `form`: one of FORMS; None: by the suffix. `names`: of a CSV file's columns. `skip_bad`: how many rows of another
    number of fields may be left out of a CSV file. `separator`, `encoding`: of CSV; None: by its first lines.
    """

    missing: tuple[str, ...] = ()
    form: str | None = None
    names: tuple[str, ...] = ()
    skip_bad: int = 0
    separator: str | None = None
    encoding: str | None = None


class NoRows(UnreadableSource):
    """A file without a row, which says nothing of its columns' types."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, "it has no rows")


@dataclass(frozen=True)
class LogFile:
    """A file and its first rows, with all its columns. `places`: for each, the file's column and the fields down to it.

    `csv`: what a CSV file looks like.
    """

    path: Path
    form: str
    sample: pa.Table
    places: dict[str, tuple[str, ...]]
    options: FileOptions
    csv: CsvForm | None

    def read(self, columns: Sequence[str], tick: Tick) -> tuple[pa.Table, list[str]]:
        """These columns of every row, and remarks on what was left out or taken.

        Raises UnreadableSource, naming the byte where a compressed file is damaged.
        """
        ragged = RaggedRows(self.options.skip_bad)
        with readable(self.path, lambda: _fault(self.path, self.form, self.options, self.csv)):
            table = self._read(columns, ragged, tick)
            again = RaggedRows(self.options.skip_bad)
            table, notes = self._with_whole(table, lambda long: self._read(list(long), again, tick, long))
        notes = [*(self.csv.notes if self.csv else ()), *notes]
        if ragged.count:
            notes.append(f"{ragged.count:,} rows are left out (--skip-bad), the first has {ragged.first}")
        return _without(table, self.missing), notes

    def sampled(self) -> LogFile:
        """This file with its first rows as `read` gives them."""

        def again(long: Places) -> pa.Table:
            first = _first_rows(self.path, self.form, self.options, self.csv, long)
            return flat(cast(pa.Table, first))[0].select(list(long))

        with readable(self.path):
            sample, _ = self._with_whole(self.sample, again)
        return replace(self, sample=_without(sample, self.missing))

    def _with_whole(self, table: pa.Table, read: Callable[[Places], pa.Table]) -> tuple[pa.Table, list[str]]:
        """A table with long whole numbers as texts; `read` gives columns as they are written."""
        long = may_be_long(table) if self.form in ("csv", "json") else []
        return with_whole(table, read, {name: self.places[name] for name in long})

    def _read(
        self, columns: Sequence[str], ragged: RaggedRows, tick: Tick, as_written: Places | None = None
    ) -> pa.Table:
        tops = list(dict.fromkeys(self.places[name][0] for name in columns))
        if self.form == "parquet":
            table = _read_parquet(self.path, tops, tick)
        elif self.form == "arrow":
            table = _read_arrow(self.path, tops)
        else:
            with opened(self.path, tick) as stream:
                if self.csv is None:
                    lines, how = _json_lines(self.path, stream), _json_options(as_written)
                    table = pa.json.read_json(lines, parse_options=how).select(tops)
                else:
                    table = pa.csv.read_csv(stream, **_csv_options(self.csv, self.options, ragged, tops, as_written))
        return flat(table)[0].select(list(columns))

    @property
    def begin(self) -> bytes:
        """The first million bytes of a text."""
        with opened(self.path) as stream:
            return bytes(stream.read(1 << 20))

    @property
    def is_list(self) -> bool:
        """Whether a JSON file is one list of objects."""
        return self.form == "json" and is_list(self.begin)

    @property
    def missing(self) -> tuple[str, ...]:
        """Texts that mean no value, and that the file's reader does not know."""
        return self.options.missing if self.csv is None else ()


def form_of(path: Path) -> str:
    """The form that the suffix of a file tells.

    >>> form_of(Path("a.ndjson.gz")), form_of(Path("a.log"))
    ('json', 'csv')
    """
    return _FORMS.get(form_suffix(path), "csv")


def look_at(path: Path, options: FileOptions) -> LogFile:
    """The file and its first rows. Raises RunError if there is none, UnreadableSource if it has no row to read."""
    if not path.is_file():
        raise RunError(f"no such file: {path}")
    form = options.form or form_of(path)
    if form != "csv" and (fault := _of_csv(options)):
        raise WrongWorkload(f"{fault}: {path} is no CSV file")
    with readable(path):
        of_csv = _csv_form(path, options) if form == "csv" else None
    with readable(path, lambda: _fault(path, form, options, of_csv)):
        sample = _first_rows(path, form, options, of_csv)
    if sample is None or not sample.num_rows:
        raise NoRows(path)
    try:
        names = Counter(sample.schema.names)
    except UnicodeDecodeError as error:
        raise UnreadableSource(path, f"the names of its columns are not UTF-8{ENCODED}") from error
    twice = [name for name, times in names.items() if times > 1]
    if twice:
        raise UnreadableSource(path, f"it has two columns named '{twice[0]}'; --names A,B,... names the columns of CSV")
    return LogFile(path, form, *flat(sample), options, of_csv).sampled()


def _without(table: pa.Table, missing: Sequence[str]) -> pa.Table:
    """The table with null for these texts."""
    for place, field in enumerate(table.schema if missing else ()):
        if kinds.is_string(field.type):
            values = table.column(place)
            kept = pc.if_else(pc.is_in(values, pa.array(missing)), None, values)
            table = table.set_column(place, field.name, kept)
    return table


def _of_csv(options: FileOptions) -> str | None:
    """The first option that only CSV files have."""
    said = {
        "--names": options.names,
        "--skip-bad": options.skip_bad,
        "--sep": options.separator,
        "--encoding": options.encoding,
    }
    return next((name for name, value in said.items() if value), None)


def _csv_form(path: Path, options: FileOptions) -> CsvForm:
    with opened(path) as stream:
        return csv_form(path, stream.read(1 << 16), options.names, options.separator, options.encoding)


def _json_lines(path: Path, stream: pa.NativeFile) -> Any:
    """The stream of a JSON file from its begin, a list as lines."""
    with opened(path) as begin:
        return lines_of(path, stream) if is_list(begin.read(64)) else stream


def _first_rows(
    path: Path, form: str, options: FileOptions, of_csv: CsvForm | None, as_written: Places | None = None
) -> pa.Table | None:
    if form == "parquet":
        with pa.parquet.ParquetFile(whole_source(path)) as file:
            batch = next(file.iter_batches(batch_size=_SAMPLE), None)
            return None if batch is None else pa.Table.from_batches([batch])
    if form == "arrow":
        return _read_arrow(path, None).slice(0, _SAMPLE)
    with opened(path) as stream:
        if not stream.read(1):
            return None
    with opened(path) as stream:
        try:
            if of_csv is None:
                block = pa.json.ReadOptions(block_size=_JSON_BLOCK)
                lines = pa.json.open_json(_json_lines(path, stream), block, _json_options(as_written))
                return pa.Table.from_batches([lines.read_next_batch()])
            how = _csv_options(of_csv, options, RaggedRows(options.skip_bad), None, as_written)
            with pa.csv.open_csv(stream, **how) as rows:
                return pa.Table.from_batches([rows.read_next_batch()])
        except StopIteration:
            return None


def _json_options(as_written: Places | None) -> pa.json.ParseOptions:
    return pa.json.ParseOptions(explicit_schema=as_decimals(as_written) if as_written else None)


def _fault(path: Path, form: str, options: FileOptions, of_csv: CsvForm | None) -> str | None:
    """What is wrong with the rows of a text that Arrow does not read; None: not their number of fields, nor a line of
    JSON by itself."""
    if of_csv is None:
        return file_fault(path) if form == "json" else None
    every = replace(options, skip_bad=EVERY)
    return ragged_fault(path, lambda ragged: _csv_options(of_csv, every, ragged, None, None))


def _csv_options(
    form: CsvForm,
    options: FileOptions,
    ragged: RaggedRows,
    columns: Sequence[str] | None,
    as_written: Places | None,
) -> dict[str, Any]:
    read = pa.csv.ReadOptions(encoding=form.encoding)
    if options.names:
        read.column_names, read.skip_rows = list(options.names), form.header
    return {
        "read_options": read,
        "parse_options": pa.csv.ParseOptions(
            delimiter=form.separator,
            newlines_in_values=True,
            invalid_row_handler=ragged if options.skip_bad else None,
        ),
        "convert_options": pa.csv.ConvertOptions(
            null_values=["", *options.missing],
            strings_can_be_null=True,
            include_columns=None if columns is None else list(columns),
            column_types={top: pa.string() for top, *_ in (as_written or {}).values()},
        ),
    }


def _read_arrow(path: Path, columns: Sequence[str] | None) -> pa.Table:
    """A file or a stream of Arrow's own format."""
    source = whole_source(path)
    with pa.memory_map(str(source)) if isinstance(source, Path) else source as memory:
        try:
            table = pa.ipc.open_file(memory).read_all()
        except pa.ArrowInvalid:
            memory.seek(0)
            table = pa.ipc.open_stream(memory).read_all()
        return table if columns is None else table.select(list(columns))


def _read_parquet(path: Path, columns: Sequence[str], tick: Tick) -> pa.Table:
    with pa.parquet.ParquetFile(whole_source(path)) as file:
        total, done, batches = file.metadata.num_rows, 0, []
        for batch in file.iter_batches(batch_size=_BATCH, columns=list(columns)):
            batches.append(batch)
            done += batch.num_rows
            tick(done, total)
        schema = pa.schema([file.schema_arrow.field(name) for name in columns])
    return pa.Table.from_batches([batch.select(list(columns)) for batch in batches], schema)

"""A log's file: CSV, JSON lines, Parquet or Arrow, compressed or not. First its columns, from its first rows; then all.

Only the needed columns are read. Fields of nested records are columns of their own, `user_id` for `user.id`. Reading
reports how many bytes (for Parquet: rows) are done. Cost: one pass; memory holds the needed columns.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.json
import pyarrow.parquet
import pyarrow.types as kinds

from cep_core.progress.ranges import Tick
from jobs.exits import RunError, UnreadableSource, WrongWorkload
from jobs.log_files.reading.csv_form import CsvForm, csv_form
from jobs.log_files.reading.json_rows import is_list, lines_of
from jobs.log_files.reading.named_files import COMPRESSED, form_suffix
from jobs.log_files.reading.nested_columns import flat
from jobs.log_files.reading.ragged_rows import RaggedRows
from jobs.raw.damage import refuse_damaged

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
_SECONDS_BETWEEN_LOOKS = 0.1


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
        tops = list(dict.fromkeys(self.places[name][0] for name in columns))
        ragged = RaggedRows(self.options.skip_bad)
        with readable(self.path):
            if self.form == "parquet":
                table = _read_parquet(self.path, tops, tick)
            elif self.form == "arrow":
                table = _read_arrow(self.path, tops)
            else:
                with _opened(self.path, tick) as stream:
                    if self.csv is None:
                        table = pa.json.read_json(_json_lines(self.path, stream)).select(tops)
                    else:
                        how = _csv_options(self.csv, self.options, ragged, tops)
                        table = pa.csv.read_csv(stream, **how)
        notes = [] if self.csv is None else list(self.csv.notes)
        if ragged.count:
            notes.append(f"{ragged.count:,} rows are left out (--skip-bad), the first has {ragged.first}")
        return _without(flat(table)[0].select(list(columns)), self.missing), notes

    @property
    def begin(self) -> bytes:
        """The first million bytes of a text."""
        with _opened(self.path) as stream:
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
    if form != "csv" and (told := _of_csv(options)):
        raise WrongWorkload(f"{told}: {path} is no CSV file")
    with readable(path):
        of_csv = _csv_form(path, options) if form == "csv" else None
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
    file = LogFile(path, form, *flat(sample), options, of_csv)
    return replace(file, sample=_without(file.sample, file.missing))


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
    with _opened(path) as stream:
        return csv_form(path, stream.read(1 << 16), options.names, options.separator, options.encoding)


def _json_lines(path: Path, stream: pa.NativeFile) -> Any:
    """The stream of a JSON file from its begin, a list as lines."""
    with _opened(path) as begin:
        return lines_of(path, stream) if is_list(begin.read(64)) else stream


def _first_rows(path: Path, form: str, options: FileOptions, of_csv: CsvForm | None) -> pa.Table | None:
    if form == "parquet":
        with pa.parquet.ParquetFile(_whole_source(path)) as file:
            batch = next(file.iter_batches(batch_size=_SAMPLE), None)
            return None if batch is None else pa.Table.from_batches([batch])
    if form == "arrow":
        return _read_arrow(path, None).slice(0, _SAMPLE)
    with _opened(path) as stream:
        if not stream.read(1):
            return None
    with _opened(path) as stream:
        try:
            if of_csv is None:
                return pa.Table.from_batches([pa.json.open_json(_json_lines(path, stream)).read_next_batch()])
            how = _csv_options(of_csv, options, RaggedRows(options.skip_bad))
            with pa.csv.open_csv(stream, **how) as rows:
                return pa.Table.from_batches([rows.read_next_batch()])
        except StopIteration:
            return None


def _csv_options(
    form: CsvForm, options: FileOptions, ragged: RaggedRows, columns: Sequence[str] | None = None
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
        ),
    }


def _read_arrow(path: Path, columns: Sequence[str] | None) -> pa.Table:
    """A file or a stream of Arrow's own format."""
    source = _whole_source(path)
    with pa.memory_map(str(source)) if isinstance(source, Path) else source as memory:
        try:
            table = pa.ipc.open_file(memory).read_all()
        except pa.ArrowInvalid:
            memory.seek(0)
            table = pa.ipc.open_stream(memory).read_all()
        return table if columns is None else table.select(list(columns))


def _read_parquet(path: Path, columns: Sequence[str], tick: Tick) -> pa.Table:
    with pa.parquet.ParquetFile(_whole_source(path)) as file:
        total, done, batches = file.metadata.num_rows, 0, []
        for batch in file.iter_batches(batch_size=_BATCH, columns=list(columns)):
            batches.append(batch)
            done += batch.num_rows
            tick(done, total)
        schema = pa.schema([file.schema_arrow.field(name) for name in columns])
    return pa.Table.from_batches([batch.select(list(columns)) for batch in batches], schema)


def _whole_source(path: Path) -> Any:
    """What formats with an end are read from: the file, or its content if the whole file is compressed."""
    if path.suffix.lower() not in COMPRESSED:
        return path
    with pa.input_stream(str(path), compression=COMPRESSED[path.suffix.lower()]) as stream:
        return pa.BufferReader(stream.read())


@contextmanager
def _opened(path: Path, tick: Tick | None = None) -> Iterator[pa.NativeFile]:
    """The file's content as a stream, decompressed.

    Arrow reads it by threads of its own, which may still read when an error ends the program. So it is no Python file,
    and how far it is read is looked at from outside.
    """
    compression = COMPRESSED.get(path.suffix.lower())
    with pa.OSFile(str(path)) as file, _watched(file, path.stat().st_size, tick):
        yield file if compression is None else pa.CompressedInputStream(file, compression)


@contextmanager
def _watched(file: pa.OSFile, size: int, tick: Tick | None) -> Iterator[None]:
    """Calls `tick` from another thread, as long as the file is read."""
    if tick is None:
        yield
        return
    is_read = threading.Event()

    def watch(tick: Tick) -> None:
        while not is_read.wait(_SECONDS_BETWEEN_LOOKS) and not file.closed:
            tick(min(file.tell(), size), size)

    watcher = threading.Thread(target=watch, args=(tick,), daemon=True)
    watcher.start()
    try:
        yield
    finally:
        is_read.set()
        watcher.join()


@contextmanager
def readable(path: Path) -> Iterator[None]:
    """Errors of reading a file, with its name and the byte where it is damaged: UnreadableSource."""
    try:
        yield
    except (OSError, pa.ArrowException) as error:
        raise unreadable(path, error) from error


def unreadable(path: Path, error: Exception) -> RunError:
    """The error for a file that cannot be read. Raises one that names the byte where the file is damaged."""
    refuse_damaged([str(path)])
    advice = "; --names A,B,... names columns, --skip-bad N leaves out N such rows" if "Expected" in str(error) else ""
    return UnreadableSource(path, f"{error}{advice}")

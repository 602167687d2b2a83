"""A log's file: CSV, JSON lines or Parquet, compressed or not. First its columns, from its first rows; then all rows.

Only the needed columns are read. Reading reports how many bytes (for Parquet: rows) are done. Cost: one pass; memory
holds the needed columns.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import pyarrow as pa
import pyarrow.csv
import pyarrow.json
import pyarrow.parquet

from jobs.exits import RunError, UnreadableSource
from jobs.raw.damage import refuse_damaged

Tick = Callable[[int, int], None]
"""Called with the amount that is done and the total amount."""

_FORMS = {".parquet": "parquet", ".pq": "parquet", ".json": "json", ".jsonl": "json", ".ndjson": "json"}
COMPRESSED = {".gz": "gzip", ".bz2": "bz2", ".zst": "zstd", ".lz4": "lz4"}
"""By suffix, the names of compressions that are read."""
_BATCH = 1 << 17


@dataclass(frozen=True)
class LogFile:
    """A file and its first rows, with all its columns."""

    path: Path
    form: str
    sample: pa.Table
    missing: tuple[str, ...]

    def read(self, columns: Sequence[str], tick: Tick) -> pa.Table:
        """These columns of every row. Raises UnreadableSource, naming the byte where a compressed file is damaged."""
        try:
            if self.form == "parquet":
                return _read_parquet(self.path, columns, tick)
            with _counted(self.path, tick) as stream:
                if self.form == "json":
                    return pa.json.read_json(stream).select(list(columns))
                return pa.csv.read_csv(stream, convert_options=_conversion(self.missing, columns))
        except (OSError, pa.ArrowException) as error:
            raise unreadable(self.path, error) from error


def look_at(path: Path, missing: Sequence[str] = (), form: str | None = None) -> LogFile:
    """The file and its first rows. `missing`: texts that mean a missing value in a CSV file; empty text always does.

    `form`: csv, json or parquet; None: by the file's suffix.

    Raises RunError if there is no such file, UnreadableSource if it cannot be read or holds no row.
    """
    if not path.is_file():
        raise RunError(f"no such file: {path}")
    suffixes = [suffix.lower() for suffix in path.suffixes if suffix.lower() not in COMPRESSED]
    form = form or _FORMS.get(suffixes[-1] if suffixes else "", "csv")
    try:
        if form == "parquet":
            with pa.parquet.ParquetFile(_parquet_source(path)) as file:
                sample = next(file.iter_batches(batch_size=1000), None)
        elif form == "json":
            with _counted(path, _silent) as stream:
                sample = pa.json.open_json(stream).read_next_batch()
        else:
            with (
                _counted(path, _silent) as stream,
                pa.csv.open_csv(stream, convert_options=_conversion(missing)) as rows,
            ):
                sample = rows.read_next_batch()
    except StopIteration:
        sample = None
    except (OSError, pa.ArrowException) as error:
        raise unreadable(path, error) from error
    if sample is None:
        raise UnreadableSource(path, "it has no rows")
    try:
        names = Counter(sample.schema.names)
    except UnicodeDecodeError as error:
        raise UnreadableSource(path, "the names of its columns are not UTF-8") from error
    twice = [name for name, times in names.items() if times > 1]
    if twice:
        raise UnreadableSource(path, f"it has two columns named '{twice[0]}'")
    return LogFile(path, form, pa.Table.from_batches([sample]), tuple(missing))


def _conversion(missing: Sequence[str], columns: Sequence[str] | None = None) -> pa.csv.ConvertOptions:
    return pa.csv.ConvertOptions(
        null_values=["", *missing], strings_can_be_null=True, include_columns=None if columns is None else list(columns)
    )


def _read_parquet(path: Path, columns: Sequence[str], tick: Tick) -> pa.Table:
    with pa.parquet.ParquetFile(_parquet_source(path)) as file:
        total, done, batches = file.metadata.num_rows, 0, []
        for batch in file.iter_batches(batch_size=_BATCH, columns=list(columns)):
            batches.append(batch)
            done += batch.num_rows
            tick(done, total)
        schema = pa.schema([file.schema_arrow.field(name) for name in columns])
    return pa.Table.from_batches([batch.select(list(columns)) for batch in batches], schema)


def _parquet_source(path: Path) -> Any:
    """What Parquet is read from: the file, or its content if the whole file is compressed."""
    if path.suffix.lower() not in COMPRESSED:
        return path
    with pa.input_stream(str(path), compression=COMPRESSED[path.suffix.lower()]) as stream:
        return pa.BufferReader(stream.read())


class _Counting:
    """A file that reports how much of it has been read."""

    def __init__(self, file: IO[bytes], size: int, tick: Tick) -> None:
        self._file = file
        self._size = size
        self._tick = tick
        self._done = 0

    @property
    def closed(self) -> bool:
        return self._file.closed

    def read(self, size: int = -1) -> bytes:
        block = self._file.read(size)
        self._done += len(block)
        self._tick(self._done, self._size)
        return block

    def close(self) -> None:
        self._file.close()


def _counted(path: Path, tick: Tick) -> pa.NativeFile:
    """The file's content as a stream, decompressed."""
    file = pa.PythonFile(_Counting(path.open("rb"), path.stat().st_size, tick), "r")
    compression = COMPRESSED.get(path.suffix.lower())
    return file if compression is None else pa.CompressedInputStream(file, compression)


def _silent(done: int, total: int) -> None:
    pass


def unreadable(path: Path, error: Exception) -> RunError:
    """The error for a file that cannot be read. Raises one that names the byte where the file is damaged."""
    refuse_damaged([str(path)])
    return UnreadableSource(path, str(error))

"""Parquet files written beside a table and then made part of it by one commit.

Workers write such files; the driver commits what they tell. delta-rs compares nothing that stands in a file, so who
writes one must know that its rows keep the table's constraints. A file may have columns that the table lacks; readers
go by the table's. Until the commit no reader sees the files; those of a writer that died are removed by the vacuum.
"""

from __future__ import annotations

import json
import os
import uuid
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from deltalake.transaction import AddAction

from jobs.stored_path import StoredPath, copy_file, opened_by_arrow

LONGEST = 32
"""Characters of a text that the statistics in a table's log repeat."""


@dataclass(frozen=True)
class TableFile:
    """A file of one partition. `path`: below the table's folder; `stats`: the statistics of its columns, as in the
    table's log."""

    partition: Mapping[str, str]
    path: str
    size: int
    stats: str


@dataclass(frozen=True)
class TableFiles:
    """Files that replace the rows of some days, or, if no days are named, all rows that their commit replaces."""

    files: Sequence[TableFile]
    days: Collection[date] | None = None


def in_columns(rows: pa.Table, schema: pa.Schema, constants: Mapping[str, str | bool | date]) -> pa.Table:
    """Rows with the columns of a schema: their own, in its types, or a constant, or null.

    >>> in_columns(pa.table({"n": [7]}), pa.schema([("run", pa.string()), ("n", pa.int64())]), {"run": "r"}).to_pylist()
    [{'run': 'r', 'n': 7}]
    """
    columns = []
    for field in schema:
        if field.name in rows.column_names:
            columns.append(rows[field.name].cast(field.type))
        else:
            value = pa.scalar(constants.get(field.name), field.type)
            columns.append(pa.chunked_array([pa.repeat(value, rows.num_rows)]))
    return pa.table(columns, schema=schema)


def new_path(folder: Path, partition: Mapping[str, str], name: str) -> str:
    """The path of a new file below a table's folder, whose own folder is made."""
    path = Path(*(f"{column}={value}" for column, value in partition.items()), f"{name}-{uuid.uuid4().hex}.parquet")
    (folder / path).parent.mkdir(parents=True, exist_ok=True)
    return str(path)


def writer_of(
    path: Path, schema: pa.Schema, ascending: Collection[str] = (), *, is_transient: bool = False
) -> pq.ParquetWriter:
    """Writes a file's rows, packed as the lake's are. Codes of a dictionary are written as the texts they stand for.

    `ascending`: columns of whole numbers that hardly change from row to row, kept as differences. `is_transient`: the
    file is soon read and removed, so it is packed for speed: slices take half as long to write and to read.
    """
    coded = [field.name for field in schema if pa.types.is_dictionary(field.type)]
    texts = [field.name for field in schema if pa.types.is_string(field.type)]
    where, storage = (path.key, path.filesystem) if isinstance(path, StoredPath) else (path, None)
    return pq.ParquetWriter(
        where,
        schema,
        filesystem=storage,
        compression="lz4" if is_transient else "zstd",
        compression_level=None if is_transient else 1,
        column_encoding=dict.fromkeys(ascending, "DELTA_BINARY_PACKED") or None,
        use_dictionary=[*texts, *coded],
        store_schema=not coded,
    )


def written(folder: Path, path: str, partition: Mapping[str, str], columns: Collection[str]) -> TableFile:
    """A file that was written, with the statistics of these columns."""
    place = folder / path
    return TableFile(partition, path, place.stat().st_size, _statistics(place, columns))


def _statistics(path: Path, columns: Collection[str]) -> str:
    """The statistics of a file's columns: rows, nulls, and least and greatest whole numbers and short texts."""
    footer = pq.read_metadata(opened_by_arrow(path))
    nulls: dict[str, int] = {}
    least: dict[str, int | str] = {}
    greatest: dict[str, int | str] = {}
    for group in map(footer.row_group, range(footer.num_row_groups)):
        for column in map(group.column, range(group.num_columns)):
            name, statistics = column.path_in_schema, column.statistics
            if name not in columns:
                continue
            nulls[name] = nulls.get(name, 0) + statistics.null_count
            if statistics.has_min_max and column.physical_type in ("INT64", "BYTE_ARRAY"):
                least[name] = min(least.get(name, statistics.min), statistics.min)
                greatest[name] = max(greatest.get(name, statistics.max), statistics.max)
    short = {name for name in least if all(_is_short(bound[name]) for bound in (least, greatest))}
    content = {
        "numRecords": footer.num_rows,
        "minValues": {name: value for name, value in least.items() if name in short},
        "maxValues": {name: value for name, value in greatest.items() if name in short},
        "nullCount": nulls,
    }
    return json.dumps(content)


def _is_short(value: int | str) -> bool:
    return isinstance(value, int) or len(value) <= LONGEST


def linked(file: TableFile, folder: Path, target: Path, columns: Collection[str]) -> TableFile:
    """The same file below the folder of another table with these columns; a link, where the file system has links."""
    path = new_path(target, file.partition, "part")
    try:
        os.link(folder / file.path, target / path)
    except OSError:
        copy_file(folder / file.path, target / path)
    return written(target, path, file.partition, columns)


def actions_of(files: Iterable[TableFile], folder: Path) -> list[AddAction]:
    """What a commit says of files below a table's folder."""
    actions = []
    for file in files:
        changed = int((folder / file.path).stat().st_mtime * 1000)
        actions.append(AddAction(file.path, file.size, file.partition, changed, True, file.stats))
    return actions

"""Parquet files of one day each, written beside a table partitioned by day and then made part of it by one commit.

Workers write such files; the driver commits what they tell. delta-rs compares nothing that stands in a file, so who
writes one must know that its rows keep the table's constraints. A file may have columns that the table lacks; readers
go by the table's. Until the commit no reader sees the files; those of a writer that died are removed by the vacuum.
"""

from __future__ import annotations

import json
import os
import shutil
import uuid
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from deltalake.transaction import AddAction

LONGEST = 32
"""Characters of a text that the statistics in a table's log repeat."""


@dataclass(frozen=True)
class DayFile:
    """A file. `path`: below the table's folder; `stats`: the statistics of its columns, as the table's log has them."""

    day: date
    path: str
    size: int
    stats: str


@dataclass(frozen=True)
class DayFiles:
    """Files that replace the rows of some days, or join the table; None: they join."""

    files: Sequence[DayFile]
    days: Collection[date] | None


def day_file(rows: pa.Table, folder: Path, day: date, name: str) -> DayFile:
    """Write the rows of a day, without the column `day`, below a table's folder."""
    path = f"day={day}/{name}-{uuid.uuid4().hex}.parquet"
    place = folder / path
    place.parent.mkdir(exist_ok=True)
    texts = [field.name for field in rows.schema if pa.types.is_string(field.type)]
    pq.write_table(rows, place, compression="zstd", compression_level=1, use_dictionary=texts)
    return DayFile(day, path, place.stat().st_size, _statistics(place, rows.column_names))


def _statistics(path: Path, columns: Collection[str]) -> str:
    """The statistics of a file's columns: rows, nulls, and least and greatest whole numbers and short texts."""
    footer = pq.read_metadata(path)
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


def linked(file: DayFile, folder: Path, target: Path, columns: Collection[str]) -> DayFile:
    """The same file below the folder of another table with these columns; a link, where the file system has links."""
    path = f"day={file.day}/part-{uuid.uuid4().hex}.parquet"
    place = target / path
    place.parent.mkdir(exist_ok=True)
    try:
        os.link(folder / file.path, place)
    except OSError:
        shutil.copyfile(folder / file.path, place)
    return DayFile(file.day, path, file.size, _statistics(place, columns))


def actions_of(files: Iterable[DayFile], folder: Path) -> list[AddAction]:
    """What a commit says of files below a table's folder."""
    actions = []
    for file in files:
        changed = int((folder / file.path).stat().st_mtime * 1000)
        actions.append(AddAction(file.path, file.size, {"day": str(file.day)}, changed, True, file.stats))
    return actions

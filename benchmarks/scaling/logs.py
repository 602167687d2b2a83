"""Logs of a day or more, written part by part: a hundred million rows take as much memory as a million.

A log has three event types, Zipf keys and whole values, in the order of time. Each part has its own seed and its own
span of the day, so a log is the same in whatever format. Cost: some 12 bytes of Parquet for each row, and a second
for two million rows.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq

from jobs.bundles import bundles

DAY = date(2026, 1, 5)
BEGIN = 1_767_571_200_000
"""2026-01-05 in milliseconds."""
LENGTH = 86_400_000
PART = 1_000_000
FILES = 24
KEYS = 100_000
SCHEMA = pa.schema([("kind", pa.string()), ("at", pa.int64()), ("key", pa.int64()), ("value", pa.int64())])
HEAVY = 0
"""The key that a third of the rows of a heavy log have; Zipf keys begin at 1."""


@dataclass(frozen=True)
class Log:
    """`rows` of each of `days`; `heavy`: a third of them has one key."""

    rows: int
    days: int = 1
    heavy: bool = False

    @property
    def last(self) -> date:
        """Its last day."""
        return DAY + timedelta(days=self.days - 1)

    def __str__(self) -> str:
        days = f" on each of {self.days} days" if self.days > 1 else ""
        return f"{self.rows:>12,} rows{days}{', a third of them of one key' if self.heavy else ''}"

    def parts(self, day: int, first: int, last: int, count: int) -> Iterator[pa.Table]:
        """The parts `first` to `last` of `count` of a day, which have the same number of rows, within one."""
        for number in range(first, last):
            rows = self.rows * (number + 1) // count - self.rows * number // count
            begin, end = (BEGIN + day * LENGTH + LENGTH * place // count for place in (number, number + 1))
            yield _part(np.random.default_rng([self.rows, day, number]), rows, begin, end, self.heavy)


def _part(random: np.random.Generator, rows: int, begin: int, end: int, heavy: bool) -> pa.Table:
    at = np.sort(random.integers(begin, end, rows))
    kind = pa.DictionaryArray.from_arrays(random.integers(0, 3, rows, dtype=np.int8), pa.array(["A", "B", "C"]))
    key = np.minimum(random.zipf(1.3, rows), KEYS)
    value = random.integers(0, 1_000_000, rows)
    if heavy:
        key[random.random(rows) < 1 / 3] = HEAVY
    return pa.table([kind.cast(pa.string()), at, key, value], schema=SCHEMA)


def _parquet(parts: Iterable[pa.Table], path: Path) -> None:
    with pq.ParquetWriter(path, SCHEMA) as file:
        for together in bundles(parts, lambda part: part.num_rows, PART):
            file.write_table(pa.concat_tables(together).combine_chunks())


def _csv(parts: Iterable[pa.Table], path: Path) -> None:
    with gzip.open(path, "wb", compresslevel=1) as file:
        for number, part in enumerate(parts):
            pc.write_csv(part, file, pc.WriteOptions(include_header=number == 0, quoting_style="none"))


def _json(parts: Iterable[pa.Table], path: Path) -> None:
    with path.open("w", encoding="utf-8") as file:
        for part in parts:
            for batch in part.to_batches(100_000):
                file.writelines(f"{json.dumps(row)}\n" for row in batch.to_pylist())


@dataclass(frozen=True)
class Form:
    """A format of files: Spark's name of it, the end of their names, how many a day has, who writes one."""

    spark: str
    suffix: str
    write: Callable[[Iterable[pa.Table], Path], None]
    files: int = 1


FORMS: Mapping[str, Form] = {
    "parquet": Form("parquet", "parquet", _parquet),
    "csv": Form("csv", "csv.gz", _csv),
    "csv24": Form("csv", "csv.gz", _csv, FILES),
    "json": Form("json", "json", _json),
}


def write_log(log: Log, form: Form, folder: Path) -> str:
    """The log's files in a folder, unless a file says that they are there; returns the pattern of their names."""
    complete = folder / "complete"
    for day in range(0 if complete.exists() else log.days):
        count = FILES * -(-log.rows // (FILES * PART))
        of_file = count // form.files
        for number in range(form.files):
            path = folder / f"log-{DAY + timedelta(days=day)}-{number:02}.{form.suffix}"
            form.write(log.parts(day, number * of_file, (number + 1) * of_file, count), path)
    complete.touch()
    return f"log*.{form.suffix}"

"""The equation of rows of a large load: rows with events are counted in bitmaps, and refused rows are taken off.

The left side is what the readers gave. A row counts once however many events it gave, and however many tasks saw them:
bitmaps of the same rows and kind are brought together first (`row_bitmaps.py`). What is refused was counted by day and
file (`sql/load/refused_counts.sql`). `equation.py` says the same of rows that this process holds.
Cost: a few operations on 4 KB for each 32,768 rows and kind.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

import pyarrow as pa

from jobs.raw.raw_frame import ROWS_BITS
from jobs.raw.row_days import FarRows, SeenRows
from jobs.stages.loading.row_bitmaps import BEFORE, GONE, OUTSIDE, OWN, ROWS, TIMELESS

File = tuple[str, int]
"""A source, and the number of its file; -1 stands for all files that Spark's readers read."""

ROWS_OF_FILE = (1 << ROWS_BITS) - 1

_COLUMNS = pa.schema(
    [
        ("day", pa.date32()),
        ("source", pa.string()),
        ("number", pa.int32()),
        ("read", pa.int64()),
        ("gave_event", pa.int64()),
        ("refused", pa.int64()),
        ("other_days", pa.int64()),
        ("without_event", pa.int64()),
        ("suppressed", pa.int64()),
        ("missed", pa.int64()),
        ("missed_ts", pa.int64()),
    ]
)


@dataclass
class FileRows:
    """Rows of a file. `dated`: with an event on a day; `missed`: all of whose events lie before the log or outside the
    calendar, `missed_ts` the last of them; `on_day`: rows by the kind of their events; `last`: the last row named;
    `own`: those dated, by the day that their time tells; `gone`: not refused, all of whose events of a day were erased,
    by this day."""

    dated: int
    missed: int
    missed_ts: int | None
    on_day: dict[str, int]
    last: int = -1
    own: dict[str, int] = field(default_factory=dict)
    gone: dict[str, int] = field(default_factory=dict)


def bitmap_equation(
    files: pa.Table,
    of_files: Mapping[File, FileRows],
    seen: Mapping[File, SeenRows],
    refused: Iterable[Mapping[str, Any]],
    days: Sequence[date],
) -> pa.Table:
    """A row for each of `days` and each file, with the columns of `equation`.

    `files`: source, number, read (`file_ledgers.file_counts`); `seen`: `file_ledgers.seen_rows`; `refused`: of
    refused_counts.sql.
    """
    refusals = {(row["day"], row["source"], row["number"]): row for row in refused}
    none = {"all_days": 0, "dated": 0, "with_event": 0, "recorded": 0, "hidden": 0}
    rows = []
    for day in days:
        for file in files.to_pylist():
            source, number, read = file["source"], file["number"], file["read"]
            counted = of_files.get((source, number), FileRows(0, 0, None, {}))
            off = refusals.get((day, source, number), none)
            of_day, gone = counted.on_day.get(str(day), 0) - off["with_event"], counted.gone.get(str(day), 0)
            near, near_dated, far = read, counted.dated, FarRows()
            if of_file := seen.get((source, number)):
                own = SeenRows(of_file.slack, {_day_of(kind): dated for kind, dated in counted.own.items()})
                near, near_dated, far = of_file.of(day), own.of(day), of_file.far
            dated = near_dated - off["dated"]
            terms = {
                "gave_event": of_day - gone,
                "refused": off["recorded"] - off["hidden"],
                "other_days": dated - of_day + off["all_days"] - off["recorded"] + read - near,
                "without_event": near - dated - off["all_days"],
                "suppressed": gone + off["hidden"],
            }
            missed = FarRows(0, counted.missed, counted.missed_ts) + far
            of_missed = {"missed": missed.missed, "missed_ts": missed.last}
            rows.append({"day": day, "source": source, "number": number, "read": read} | terms | of_missed)
    return pa.Table.from_pylist(rows, _COLUMNS)


def rows_of_files(
    bitmaps: Iterable[Mapping[str, Any]],
    sources: Sequence[tuple[str, bool]],
    refused: Callable[[int, int], int] = lambda rank, bucket: 0,
) -> dict[File, FileRows]:
    """The rows of each file. `bitmaps`: as `RowBitmaps.rows` gives them, of any tasks; `sources`: the name of each, and
    whether its files are read strictly; `refused`: the bitmap of refused rows of a rank and bucket.

    >>> row = {"rank": 0, "bucket": 1, "kind": "2024-01-01", "rows": bytes([3]), "last_ts": 5}
    >>> rows_of_files([row, row | {"rows": bytes([6])}], [("log", True)])
    {('log', 0): FileRows(dated=3, missed=0, missed_ts=None, on_day={'2024-01-01': 3}, last=2, own={}, gone={})}
    """
    merged: defaultdict[tuple[int, int], defaultdict[str, int]] = defaultdict(lambda: defaultdict(int))
    last: dict[File, int] = {}
    for row in bitmaps:
        merged[row["rank"], row["bucket"]][row["kind"]] |= int.from_bytes(row["rows"], "little")
        if row["kind"] in (BEFORE, OUTSIDE):
            file = _file_of(row["rank"], row["bucket"], sources)
            last[file] = max(last.get(file, row["last_ts"]), row["last_ts"])
    of_files: dict[File, FileRows] = {}
    for (rank, bucket), kinds in merged.items():
        file = _file_of(rank, bucket, sources)
        rows = of_files.setdefault(file, FileRows(0, 0, last.get(file), {}))
        first = (bucket - 1) * ROWS & ROWS_OF_FILE
        rows.last = max(rows.last, first + _union(kinds.values()).bit_length() - 1)
        for kind in [kind for kind in kinds if kind.startswith(GONE)]:
            day, bits = kind.removeprefix(GONE), kinds.pop(kind)
            only = bits & ~kinds[day] & ~refused(rank, bucket)
            rows.gone[day] = rows.gone.get(day, 0) + only.bit_count()
            kinds[day] |= bits
        for kind in [kind for kind in kinds if kind.startswith(OWN)]:
            rows.own[kind] = rows.own.get(kind, 0) + kinds.pop(kind).bit_count()
        timed = _union(bits for kind, bits in kinds.items() if kind != TIMELESS)
        rows.dated += _union(bits for kind, bits in kinds.items() if kind not in (OUTSIDE, TIMELESS)).bit_count()
        present = _union(bits for kind, bits in kinds.items() if kind not in (BEFORE, OUTSIDE, TIMELESS))
        rows.missed += timed.bit_count() - present.bit_count()
        for kind, bits in kinds.items():
            rows.on_day[kind] = rows.on_day.get(kind, 0) + bits.bit_count()
    return of_files


def names_unknown_rows(files: pa.Table, of_files: Mapping[File, FileRows]) -> bool:
    """Whether an event names a row that no strictly read file has. `files`: as of `bitmap_equation`."""
    read = {(file["source"], file["number"]): file["read"] for file in files.to_pylist()}
    return any(rows.last >= read.get(file, 0) for file, rows in of_files.items() if file[1] >= 0)


def _file_of(rank: int, bucket: int, sources: Sequence[tuple[str, bool]]) -> File:
    name, is_strict = sources[rank]
    return name, ((bucket - 1) * ROWS >> ROWS_BITS) if is_strict else -1


def _day_of(kind: str) -> date | None:
    day = kind.removeprefix(OWN)
    return date.fromisoformat(day) if day else None


def _union(bitmaps: Iterable[int]) -> int:
    whole = 0
    for bits in bitmaps:
        whole |= bits
    return whole

"""Checks that a lake is whole: every table's log, the files that it names, and counts that two tables share.

Logs: each commit is JSON to its end, no version is absent after the oldest one or the checkpoint that replaces it.
Files: each file that the present version names exists, with the length, the footer and the rows that the log says.
Counts: the rows of each query and day are those of `result_days`; a day's events are those of `loaded_days`. Files that
no version names, left by killed writes, are listed but are not faults.

Needs no JVM and reads no row, only the files' footers, unless `deep` asks for every row; it also asks whether rows are
there that were forgotten. Cost: a quarter of a
millisecond a file.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pyarrow as pa
import pyarrow.parquet as pq
from deltalake import DeltaTable
from deltalake.exceptions import DeltaError

from jobs.exits import LeaseUnreadable
from jobs.lake.dataset import read_table
from jobs.lake.leasing.lease import lease_file, read
from jobs.lake.register import table_folders
from jobs.runs.run import Progress
from jobs.stored_path import opened_by_arrow
from jobs.tasks.forgetting.returned_rows import returned_rows

OUTDATED = ""
"""The definition hash of results whose table is being built again."""


@dataclass(frozen=True)
class Fault:
    """Something wrong in a lake: where, and what."""

    place: str
    what: str

    def __str__(self) -> str:
        return f"{self.place}: {self.what}"


@dataclass
class Verification:
    """What was checked, and the faults. `orphans`: files that no version of their table names."""

    tables: int = 0
    files: int = 0
    size: int = 0
    faults: list[Fault] = field(default_factory=list)
    orphans: list[Path] = field(default_factory=list)
    holder: str = ""
    """The run that is at work on the lake now, whose unfinished work may look like faults."""


@dataclass(frozen=True)
class NamedFile:
    """A data file as its table's log describes it. `rows`: None if the log does not say."""

    path: Path
    size: int
    rows: int | None
    day: date | None


def verify(workload: str, lake: Path, progress: Progress, *, deep: bool = False) -> Verification:
    """Look at every table of a workload's lake."""
    folders, verification = table_folders(workload, lake), Verification()
    named: dict[str, list[NamedFile]] = {}
    for name, folder in folders.items():
        faults, files = _logged(name, folder)
        verification.faults += faults
        if files is not None:
            named[name] = files
    total, done = sum(map(len, named.values())), 0
    for name, files in named.items():
        for file in files:
            verification.faults += _of_file(name, file, lake, deep)
            done += 1
            progress.advance(done, total, name)
    for name, folder in folders.items():
        verification.orphans += _orphans(folder, named[name]) if name in named else []
    verification.tables, verification.files = len(folders), total
    verification.size = sum(file.size for files in named.values() for file in files)
    verification.faults += _counts(workload, lake, named)
    if deep:
        verification.faults += [Fault(place, what) for place, what in returned_rows(workload, lake)]
    try:
        lease = read(lease_file(lake, workload))
    except LeaseUnreadable as error:
        verification.faults.append(Fault("lease", str(error)))
    else:
        verification.holder = lease.holder if lease is not None and not lease.is_over(datetime.now(UTC)) else ""
    return verification


def _logged(name: str, folder: Path) -> tuple[list[Fault], list[NamedFile] | None]:
    """What is wrong with a table's log, and the files of the present version; None if it cannot be read."""
    faults = list(_of_log(name, folder / "_delta_log"))
    try:
        table = DeltaTable(folder)
        actions = pa.table(table.get_add_actions(flatten=True)).to_pylist()
    except (DeltaError, OSError, ValueError) as error:
        if not faults:
            faults.append(Fault(name, f"its log cannot be read: {_first_line(error)}"))
        return faults, None
    return faults, [_named(folder, action) for action in actions]


def _named(folder: Path, action: dict[str, Any]) -> NamedFile:
    day = action.get("partition.day")
    return NamedFile(
        folder / unquote(action["path"]),
        action["size_bytes"],
        action.get("num_records"),
        date.fromisoformat(day) if isinstance(day, str) else day,
    )


def _of_log(name: str, log: Path) -> Iterator[Fault]:
    commits = {int(file.stem): file for file in sorted(log.glob("*.json")) if file.stem.isdigit()}
    checkpoints = {int(file.name[:20]): file for file in sorted(log.glob("*.checkpoint*.parquet"))}
    for file in commits.values():
        yield from _spoilt_commit(name, file)
    for file in checkpoints.values():
        yield from _of_footer(name, file, None)
    if not commits and not checkpoints:
        yield Fault(
            name, f"its log {log} has no version; a creation that was killed leaves that, the next run mends it"
        )
        return
    first = 0 if 0 in commits else max((v for v in checkpoints if v <= max(commits, default=v)), default=0)
    absent = sorted(set(range(first, max([*commits, *checkpoints]) + 1)) - set(commits) - set(checkpoints))
    if absent:
        shown = ", ".join(map(str, absent[:5])) + (" ..." if len(absent) > 5 else "")
        yield Fault(name, f"versions {shown} are not in its log {log}")


def _spoilt_commit(name: str, file: Path) -> Iterator[Fault]:
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
        if not lines:
            yield Fault(name, f"the commit {file} is empty")
        for line in lines:
            json.loads(line)
    except (OSError, ValueError) as error:
        yield Fault(name, f"the commit {file} is cut off or damaged: {_first_line(error)}")


def _of_file(name: str, file: NamedFile, lake: Path, deep: bool) -> Iterator[Fault]:
    where = _shown(file.path, lake)
    try:
        size = file.path.stat().st_size
    except OSError:
        yield Fault(name, f"{where} is named by the log and is not there")
        return
    if size != file.size:
        yield Fault(name, f"{where} has {size:,} bytes, its log says {file.size:,}")
        return
    yield from _of_footer(name, file.path, file.rows, shown=where, deep=deep)


def _of_footer(name: str, path: Path, rows: int | None, *, shown: str = "", deep: bool = False) -> Iterator[Fault]:
    try:
        with pq.ParquetFile(opened_by_arrow(path)) as file:
            held = file.metadata.num_rows
            if deep:
                held = sum(batch.num_rows for batch in file.iter_batches())
    except (pa.ArrowException, OSError) as error:
        yield Fault(name, f"{shown or path} is damaged: {_first_line(error)}")
        return
    if rows is not None and held != rows:
        yield Fault(name, f"{shown or path} has {held:,} rows, its log says {rows:,}")


def _orphans(folder: Path, present: list[NamedFile]) -> list[Path]:
    """Data files that neither the present version nor any commit that is still in the log names."""
    named = {file.path for file in present}
    for commit in (folder / "_delta_log").glob("*.json"):
        for line in commit.read_text(encoding="utf-8", errors="replace").splitlines():
            try:
                action = json.loads(line)
            except ValueError:
                continue  # reported as a fault of the log
            for kind in ("add", "remove"):
                if kind in action:
                    named.add(folder / unquote(action[kind]["path"]))
    named |= _tombstones(folder)
    files = (path for path in folder.rglob("*.parquet") if "_delta_log" not in path.relative_to(folder).parts)
    return sorted(path for path in files if path not in named)


def _tombstones(folder: Path) -> set[Path]:
    """Files that the newest checkpoint still lists as removed: VACUUM has not deleted them yet."""
    checkpoints = sorted((folder / "_delta_log").glob("*.checkpoint*.parquet"))
    if not checkpoints:
        return set()
    try:
        removed = pq.read_table(checkpoints[-1], columns=["remove.path"])["remove"].to_pylist()
    except (pa.ArrowException, OSError, KeyError):
        return set()  # reported as a fault of the log, or a checkpoint without removals
    return {folder / unquote(action["path"]) for action in removed if action and action["path"]}


def _counts(workload: str, lake: Path, named: dict[str, list[NamedFile]]) -> Iterator[Fault]:
    """Days for which one table records the number of another table's rows, and that table has a different number."""
    home = lake / workload
    if {"work_loaded_days", "events"} <= named.keys():
        facts = ["day", "events", "expired"]
        recorded = _recorded_rows(
            home / "_work" / "loaded_days", facts, lambda row: {row["day"]: 0 if row.get("expired") else row["events"]}
        )
        yield from _differences("events", recorded, _rows_by_day(named["events"]), "loaded_days", "load the day again")
    if "result_days" not in named:
        return
    rows = _read(home / "result_days", ["day", "query", "rows", "definition"])
    being_rebuilt = {row["query"] for row in rows if row["definition"] == OUTDATED}
    for query in sorted({row["query"] for row in rows} - being_rebuilt):
        recorded = {row["day"]: row["rows"] for row in rows if row["query"] == query}
        if query in named:
            held = _rows_by_day(named[query])
            yield from _differences(query, recorded, held, "result_days", f"trendmill rebuild {workload} {query}")
        elif not (home / query / "_delta_log").is_dir():
            yield Fault(query, f"result_days tells of {len(recorded)} days, and there is no such table")


def _recorded_rows(
    folder: Path, columns: list[str], pair: Callable[[dict[str, Any]], dict[date, int]]
) -> dict[date, int]:
    return {day: rows for row in _read(folder, columns) for day, rows in pair(row).items()}


def _read(folder: Path, columns: list[str]) -> list[dict[str, Any]]:
    """A small table's rows; none if its files are damaged, which is reported elsewhere."""
    try:
        table = read_table(folder, columns)
    except (pa.ArrowException, OSError, DeltaError):
        return []
    return [] if table is None else table.to_pylist()


def _differences(
    name: str, expected: dict[date, int], held: Counter[date], teller: str, remedy: str
) -> Iterator[Fault]:
    for day in sorted({*expected, *held}):
        if day not in expected:
            yield Fault(name, f"{held[day]:,} rows of {day}, of which {teller} knows nothing; {remedy}")
        elif expected[day] != held[day]:
            yield Fault(name, f"{held[day]:,} rows of {day}, {teller} says {expected[day]:,}; {remedy}")


def _rows_by_day(files: list[NamedFile]) -> Counter[date]:
    """Rows by day, from the log; a table is partitioned by day."""
    rows: Counter[date] = Counter()
    for file in files:
        if file.day is not None and file.rows is not None:
            rows[file.day] += file.rows
    return rows


def _shown(path: Path, lake: Path) -> str:
    return str(path.relative_to(lake)) if path.is_relative_to(lake) else str(path)


def _first_line(error: BaseException) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0][:200]

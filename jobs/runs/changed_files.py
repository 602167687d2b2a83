"""Days that were loaded from files whose bytes are others by now.

The ledger of files (`_work/source_files`) keeps the size and the digest of every file that a day was loaded from. Of a
file of a day every other byte counts. A file without a day may grow, as a log does: its first bytes must be those that
were loaded; rows that it gained for an earlier day are late ones, of which a person says which days to load again.
Files that are gone, remote ones, and those that Spark's readers read, are not looked at.

Cost: reads the bytes of all files that the lake's days were loaded from, each once.
"""

from __future__ import annotations

import glob
import hashlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any

from jobs.lake.dataset import read_table
from jobs.workload.declaration import Workload
from jobs.workload.sections.sources import Source, local_path

_STEP = 1 << 20


def changed_files(lake: Path, workload: Workload, held: Iterable[date]) -> dict[date, tuple[str, ...]]:
    """The days of the lake that no longer are what their files say, ascending, each with the names of these files."""
    ledgers = read_table(lake / workload.name / "_work" / "source_files", ["day", "source", "file", "size", "digest"])
    if ledgers is None:
        return {}
    rows, days = ledgers.to_pylist(), set(held)
    present = {name: _present(source, sorted(days), workload.base) for name, source in workload.sources.items()}
    known: dict[tuple[Path, int, str], bool] = {}
    changed: dict[date, set[str]] = defaultdict(set)
    for row in rows:
        path = _present_path(row, present.get(row["source"], {}))
        if path is None or row["day"] not in days:
            continue
        was = (path, row["size"], row["digest"])
        if was not in known:
            known[was] = _is_as_loaded(*was, may_grow=not workload.sources[row["source"]].daily)
        if not known[was]:
            changed[row["day"]].add(path.name)
    return {day: tuple(sorted(changed[day])) for day in sorted(changed)}


def _present(source: Source, days: Sequence[date], base: Path) -> Mapping[str, list[Path]]:
    """The source's local files, by name."""
    files: dict[str, list[Path]] = defaultdict(list)
    try:
        places = source.paths(days, base)
    except FileNotFoundError:  # of a package that is not installed here
        return files
    for place in places:
        for file in _files_at(local_path(place)):
            files[file.name].append(file)
    return files


def _files_at(place: Path | None) -> Iterator[Path]:
    if place is None:
        return
    for entry in [place] if place.exists() else map(Path, glob.glob(str(place))):
        yield from (entry.iterdir() if entry.is_dir() else [entry])


def _present_path(row: Mapping[str, Any], present: Mapping[str, list[Path]]) -> Path | None:
    """The file of a ledger's row, also if the workload has moved; None if it is gone, or several may be meant."""
    file = Path(row["file"])
    named = present.get(file.name, [])
    return file if file in named else named[0] if len(named) == 1 else None


def _is_as_loaded(path: Path, size: int, digest: str, *, may_grow: bool) -> bool:
    try:
        stored = path.stat().st_size
        if stored < size or (stored > size and not may_grow):
            return False
        read = hashlib.sha256()
        with path.open("rb") as file:
            left = size
            while left and (piece := file.read(min(left, _STEP))):
                read.update(piece)
                left -= len(piece)
    except FileNotFoundError:
        return True
    return left == 0 and read.hexdigest() == digest

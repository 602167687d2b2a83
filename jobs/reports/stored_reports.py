"""Reports that are published to a storage: written in a folder of this machine, and what changed is copied.

Pages are made beside those that stand: a day's drawings are taken over from its former report, an overview lists the
days that have one. So the folder first gets what the storage has and it lacks. Then pages are written there as
anywhere, and files that changed are copied, pages after what they show, and what is gone is removed. A reader may for a
moment see a day's new figures on its old page; on this machine a report is replaced at once.

Cost: one listing of the workload's reports, and the files that differ. Two workloads may publish at once; the page of
all workloads is then the later one's.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from jobs import places
from jobs.stored_path import StoredPath, copy_file

KNOWN = ".stored.json"
"""Beside the pages: each file's size and time in the storage and the hash of its content here, when they were equal."""


def places_of_reports() -> list[Path]:
    """The folders in which reports lie: the one of the environment, and of a storage the copy on this machine."""
    reports = places.reports()
    return [reports, _copy_of(reports)] if isinstance(reports, StoredPath) else [reports]


@contextmanager
def reports_here() -> Iterator[Path]:
    """The folder in which reports are written during the block: the one of the environment, or a copy of a storage."""
    reports = places.reports()
    if not isinstance(reports, StoredPath):
        yield reports
        return
    here = _copy_of(reports)
    here.mkdir(parents=True, exist_ok=True)
    known = _fetch(reports, here)
    yield here
    _store(here, reports, known)


def _copy_of(reports: StoredPath) -> Path:
    return places.cache().joinpath("reports", *reports.parts[1:])


def _fetch(reports: StoredPath, here: Path) -> dict[str, str]:
    """Make the folder equal to the storage. Returns the hash of each file."""
    noted = here / KNOWN
    before = json.loads(noted.read_text()) if noted.is_file() else {}
    stored = _stored(reports)
    known: dict[str, str] = {}
    for name, version in stored.items():
        file = here / name
        if not (file.is_file() and before.get(name, [None])[0] == version and before[name][1] == _hash(file)):
            file.parent.mkdir(parents=True, exist_ok=True)
            copy_file(reports / name, file)
        known[name] = _hash(file)
    for name in _names(here) - stored.keys():
        (here / name).unlink()
    noted.write_text(json.dumps({name: [version, known[name]] for name, version in stored.items()}))
    return known


def _store(here: Path, reports: StoredPath, known: dict[str, str]) -> None:
    """Copy what differs from what the storage has, pages last, and remove what is gone."""
    hashes = {name: _hash(here / name) for name in _names(here)}
    changed = [name for name, content in hashes.items() if known.get(name) != content]
    for name in sorted(changed, key=lambda name: (name.endswith(".html"), name.endswith("index.html"), name)):
        copy_file(here / name, reports / name)
    for name in known.keys() - hashes.keys():
        (reports / name).unlink(missing_ok=True)
    noted = {name: [version, hashes[name]] for name, version in _stored(reports).items() if name in hashes}
    (here / KNOWN).write_text(json.dumps(noted))


def _stored(reports: StoredPath) -> dict[str, list[int]]:
    """Size and time of change of each file in the storage, by its name below the reports."""
    versions = {}
    for file, info in reports.files():
        versions[file.relative_to(reports).as_posix()] = [info.size or 0, info.mtime_ns or 0]
    return versions


def _names(here: Path) -> set[str]:
    names = {file.relative_to(here).as_posix() for file in here.rglob("*") if file.is_file()}
    return names - {KNOWN}


def _hash(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()

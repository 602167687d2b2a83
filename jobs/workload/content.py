"""A workload folder by its content: its hash, and a stored copy that later tasks of the same run use.

The hash covers what defines the workload: workload.yaml, events.sql, expectations.yaml, queries, policies, experiments.
Bundled data is input, not definition. A stored copy reads it from the original folder (`base` of `load_workload`).
"""

from __future__ import annotations

import hashlib
import os
import shutil
from pathlib import Path

from jobs.stored_path import StoredPath, copy_file
from jobs.workload.sections.experiment_grids import grid_files
from jobs.workload.sections.query_settings import question_files

DEFINITIONS = ("workload.yaml", "events.sql", "expectations.yaml")


def definition_files(folder: Path) -> list[Path]:
    """The files that define a workload, in a fixed order."""
    return (
        [folder / name for name in DEFINITIONS if (folder / name).is_file()]
        + question_files(folder)
        + grid_files(folder)
    )


def content_hash(folder: Path) -> str:
    """The first 16 hex digits of the SHA-256 of the definition files' names and bytes."""
    digest = hashlib.sha256()
    for path in definition_files(folder):
        content = path.read_bytes()
        digest.update(f"{path.relative_to(folder).as_posix()}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()[:16]


def fetched(copy: Path, into: Path) -> Path:
    """A stored copy as a folder of this machine, below `into` if it is in a storage."""
    if not isinstance(copy, StoredPath):
        return copy
    target = into / copy.name
    for file in (each for each in copy.rglob("*") if each.is_file()):
        here = target / file.relative_to(copy)
        here.parent.mkdir(parents=True, exist_ok=True)
        fresh = here.with_name(f".{here.name}.{os.getpid()}")
        copy_file(file, fresh)
        fresh.replace(here)
    return target


def store(folder: Path, into: Path) -> Path:
    """Copy the definition files to `into/<hash>`, all or none, if they are not there yet. Returns that folder."""
    target = into / content_hash(folder)
    if isinstance(target, StoredPath):  # copied again each time, which also renews its age: a copy may be half there
        for path in definition_files(folder):
            copy_file(path, target / path.relative_to(folder))
        return target
    if target.is_dir():
        os.utime(target)  # it is removed by its age, counted from its last use
        return target
    into.mkdir(parents=True, exist_ok=True)
    unfinished = into / f".{target.name}"
    shutil.rmtree(unfinished, ignore_errors=True)
    for path in definition_files(folder):
        copy = unfinished / path.relative_to(folder)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, copy)
    unfinished.rename(target)
    return target

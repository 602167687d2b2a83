"""The lake's folder: may be written, knows links, lets one run at a time have the lease, and holds a Delta table whose
versions are made once.

All of it is tried in a folder of its own, which is removed. Cost: a few small files.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

import pyarrow as pa

from jobs.doctor.findings import OK, SLOW, WRONG, Finding
from jobs.exits import LeaseHeld
from jobs.stored_path import StoredPath, remove_tree


@contextmanager
def scratch_of(lake: Path) -> Iterator[Path]:
    """A new folder of the lake while the block runs. Raises OSError if there can be none."""
    folder = lake / f".doctor-{uuid4().hex}"
    folder.mkdir(parents=True)
    try:
        yield folder
    finally:
        remove_tree(folder)


def lake_findings(folder: Path) -> Iterator[Finding]:
    """What was seen of the lake, tried in a scratch folder of it."""
    if not isinstance(folder, StoredPath):
        yield _links(folder)
    yield _lease(folder)
    yield _tables(folder)


def unwritable(lake: Path, error: OSError) -> Finding:
    """The finding for a lake in which no folder can be made."""
    mend = "let TRENDMILL_LAKE name a folder that this user may write"
    return Finding("lake", WRONG, f"{lake}: {error.strerror}", mend)


def _links(folder: Path) -> Finding:
    (folder / "file").write_bytes(b"1")
    try:
        os.link(folder / "file", folder / "link")
    except OSError as error:
        mend = "large loads copy files that they would link: choose a file system with hard links"
        return Finding("lake, links", SLOW, f"none here ({error.strerror})", mend)
    return Finding("lake, links", OK, "a file may have two names")


def _lease(folder: Path) -> Finding:
    from jobs.lake.leasing.lease import give_back, take

    path = folder / "_work" / "lease.json"
    mend = (
        "a lake needs flock and files that are at once as written, or a storage that makes a file only if it is absent"
    )
    try:
        take(path, "first", "doctor")
        try:
            take(path, "second", "doctor")
        except LeaseHeld:
            give_back(path, "first")
            take(path, "second", "doctor")
            return Finding("lake, lease", OK, "one run has it, another one waits")
    except OSError as error:
        return Finding("lake, lease", WRONG, error.strerror or str(error), mend)
    return Finding("lake, lease", WRONG, "two runs got it", mend)


def _tables(folder: Path) -> Finding:
    from deltalake import DeltaTable, write_deltalake

    table, rows = str(folder / "table"), pa.table({"n": [1, 2]})
    try:
        write_deltalake(table, rows)
        write_deltalake(table, rows, mode="append")
        twice = _is_made_twice(table)
        read = DeltaTable(table).to_pyarrow_table().num_rows
    except Exception as error:  # noqa: BLE001  # the library names its errors in many ways; each is told
        return Finding("lake, tables", WRONG, str(error), "see what the file system or the storage refuses")
    if twice:
        mend = "a lake needs a storage that makes a file only if it is absent"
        return Finding("lake, tables", WRONG, "two programs made the same version of a table", mend)
    state = OK if read == 4 else WRONG
    return Finding("lake, tables", state, f"a Delta table was written twice and read: {read} rows", "see the disk")


def _is_made_twice(table: str) -> bool:
    """Whether two programs that saw the same version may both make the next one: one of them would be lost."""
    from deltalake import CommitProperties, DeltaTable
    from deltalake.exceptions import CommitFailedError

    first, second = DeltaTable(table), DeltaTable(table)
    once = CommitProperties(max_commit_retries=0)
    first.create_write_transaction([], "append", first.schema(), [], commit_properties=once)
    try:
        second.create_write_transaction([], "append", second.schema(), [], commit_properties=once)
    except CommitFailedError:
        return False
    return True

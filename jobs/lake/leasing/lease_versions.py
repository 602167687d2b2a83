"""A lease in a storage that has no file locks: each content is a version of a small Delta table of its own.

A version of a Delta table is made once, by whoever is first: delta-rs has the storage make its file only if it is
absent. A content is read with its version, and written as the next one. If another program came before, `Overtaken` is
raised, and what was decided by the former content is decided anew.

Cost: a read lists a folder and opens a file or two; a write makes one file, and every hundredth a checkpoint. Files of
versions older than a day go with it.
"""

from __future__ import annotations

from deltalake import CommitProperties, DeltaTable, Field, Schema
from deltalake.exceptions import CommitFailedError
from deltalake.schema import PrimitiveType

from jobs.stored_path import StoredPath

CONTENT = "lease"
"""The name of the content in a version's own facts. The table has no rows."""

SETTINGS = {"delta.checkpointInterval": "100", "delta.logRetentionDuration": "interval 1 days"}


class Overtaken(Exception):
    """Another program wrote after this one had read."""


def read_version(path: StoredPath) -> tuple[str | None, int]:
    """The content, None if nobody wrote any yet, and its version, -1 if there is not even a table."""
    place = str(_table_of(path))
    if not DeltaTable.is_deltatable(place):
        return None, -1
    *_, newest = DeltaTable(place).history(1)
    return newest.get(CONTENT), int(newest["version"])


def write_version(path: StoredPath, content: str, after: int) -> None:
    """Make a content the version that comes after the one that was read. Raises Overtaken, and OSError."""
    place = str(_table_of(path))
    if after < 0:
        schema = Schema([Field("nothing", PrimitiveType("long"))])
        DeltaTable.create(place, schema, mode="ignore", configuration=SETTINGS)
    table = DeltaTable(place)
    if table.version() != max(after, 0):
        raise Overtaken
    properties = CommitProperties(custom_metadata={CONTENT: content}, max_commit_retries=0)
    try:
        table.create_write_transaction([], "append", table.schema(), [], commit_properties=properties)
    except CommitFailedError as error:
        raise Overtaken from error


def _table_of(path: StoredPath) -> StoredPath:
    """Below the folders in which the lake's tables are looked for."""
    return path.with_suffix("") / "versions"

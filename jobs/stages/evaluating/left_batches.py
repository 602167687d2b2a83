"""Batches that a worker leaves in a file, each where an IPC stream begins, and that the driver reads one by one.

What passes the JVM is copied there some twenty times, and what the driver holds of all slices at once is its peak of
memory. A file is mapped anew for each batch that is read, so only the batches in use take memory; and of these, the
columns that are looked at.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import pyarrow as pa


@dataclass(frozen=True)
class LeftBatch:
    """Where a batch is: `size` bytes from `begin` on."""

    path: str
    begin: int
    size: int

    def read(self) -> pa.RecordBatch:
        """The batch. Its file may be removed while it is in use."""
        with pa.memory_map(self.path) as file:
            file.seek(self.begin)
            return batch_of(file.read_buffer(self.size))


Batch: TypeAlias = bytes | LeftBatch
"""A record batch as an IPC stream, or where a file has one."""

Keep = Callable[[pa.RecordBatch], Batch]
"""Takes a batch that a slice gave."""


class Leaving:
    """Leaves batches in a new file of a folder, one after the other."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / uuid.uuid4().hex
        self._end = 0

    def __call__(self, batch: pa.RecordBatch) -> LeftBatch:
        content = stream_of(batch)
        with self._path.open("ab") as file:
            file.write(content)
        begin, self._end = self._end, self._end + content.size
        return LeftBatch(str(self._path), begin, content.size)


def to_bytes(batch: pa.RecordBatch) -> bytes:
    """A batch, with its schema and the schema's metadata, as an IPC stream."""
    return stream_of(batch).to_pybytes()


def from_bytes(content: Batch) -> pa.RecordBatch:
    """The batch that `to_bytes` wrote, or that a worker left in a file.

    >>> batch = pa.RecordBatch.from_pydict({"n": [1]}).replace_schema_metadata({"totals": "{}"})
    >>> from_bytes(to_bytes(batch)).equals(batch, check_metadata=True)
    True
    """
    return content.read() if isinstance(content, LeftBatch) else batch_of(content)


def stream_of(batch: pa.RecordBatch) -> pa.Buffer:
    """A batch as an IPC stream, not copied once more."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batch.schema) as stream:
        stream.write_batch(batch)
    return sink.getvalue()


def batch_of(content: bytes | pa.Buffer) -> pa.RecordBatch:
    """The batch of an IPC stream, without a copy."""
    with pa.ipc.open_stream(content) as stream:
        return stream.read_next_batch()

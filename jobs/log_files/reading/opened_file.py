"""A file's content as a stream, decompressed; and errors of reading it, with its name and where it is damaged."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa

from cep_core.progress.ranges import Tick
from jobs.exits import RunError, UnreadableSource
from jobs.log_files.reading.named_files import COMPRESSED
from jobs.raw.damage import refuse_damaged

_SECONDS_BETWEEN_LOOKS = 0.1


def whole_source(path: Path) -> Any:
    """What formats with an end are read from: the file, or its content if the whole file is compressed."""
    if path.suffix.lower() not in COMPRESSED:
        return path
    with pa.input_stream(str(path), compression=COMPRESSED[path.suffix.lower()]) as stream:
        return pa.BufferReader(stream.read())


@contextmanager
def opened(path: Path, tick: Tick | None = None) -> Iterator[pa.NativeFile]:
    """The file's content as a stream, decompressed.

    Arrow reads it by threads of its own, which may still read ahead when the caller has all it wants, or when an error
    ends the program. So it is no Python file, and how far it is read is looked at from outside. It is not closed here:
    a thread that still reads would take bytes from whichever file is opened next and has its descriptor. It closes
    with its last owner, here or in Arrow.
    """
    compression = COMPRESSED.get(path.suffix.lower())
    file = pa.OSFile(str(path))
    with _watched(file, path.stat().st_size, tick):
        yield file if compression is None else pa.CompressedInputStream(file, compression)


@contextmanager
def _watched(file: pa.OSFile, size: int, tick: Tick | None) -> Iterator[None]:
    """Calls `tick` from another thread, as long as the file is read."""
    if tick is None:
        yield
        return
    is_read = threading.Event()

    def watch(tick: Tick) -> None:
        while not is_read.wait(_SECONDS_BETWEEN_LOOKS):
            tick(min(file.tell(), size), size)

    watcher = threading.Thread(target=watch, args=(tick,), daemon=True)
    watcher.start()
    try:
        yield
    finally:
        is_read.set()
        watcher.join()


@contextmanager
def readable(path: Path, explain: Callable[[], str | None] = lambda: None) -> Iterator[None]:
    """Errors of reading a file, with its name and the byte where it is damaged: UnreadableSource.

    `explain`: what is wrong with a file that is not damaged, if it knows.
    """
    try:
        yield
    except (OSError, pa.ArrowException) as error:
        raise unreadable(path, error, explain) from error


def unreadable(path: Path, error: Exception, explain: Callable[[], str | None] = lambda: None) -> RunError:
    """The error for a file that cannot be read. Raises one that names the byte where the file is damaged."""
    refuse_damaged([str(path)])
    return UnreadableSource(path, explain() or str(error))

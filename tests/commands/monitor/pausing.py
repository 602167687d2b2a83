"""Standard input from a writer that goes on only when it has read the answer to what it wrote."""

from __future__ import annotations

import io
import os
import queue
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import SimpleNamespace

import pytest


class Flushed(io.StringIO):
    """A standard output that shows what has been flushed so far; `answered`: whether each piece had its answer."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: queue.Queue[str] = queue.Queue()
        self.answered: list[bool] = []

    def flush(self) -> None:
        self.seen.put(self.getvalue())


@contextmanager
def paused_writer(said: Sequence[tuple[bytes, str]], monkeypatch: pytest.MonkeyPatch) -> Iterator[Flushed]:
    """Standard input and output, in which each piece is written when the answer to the one before has been flushed."""
    reading, writing = os.pipe()
    out = Flushed()

    def wait_for(line: str) -> None:
        seen = ""
        while line not in seen:
            try:
                seen = out.seen.get(timeout=120)  # kernels may have to be compiled
            except queue.Empty:
                break
        out.answered.append(line in seen)

    def write_slowly() -> None:
        with open(writing, "wb", buffering=0) as sink:
            for piece, line in said:
                sink.write(piece)
                wait_for(line)

    with open(reading, "rb") as source:
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=source))
        monkeypatch.setattr(sys, "stdout", out)
        writer = threading.Thread(target=write_slowly)
        writer.start()
        yield out
        writer.join()

"""The progress of a long call: nothing for a second, then a bar on a terminal, or a line every few seconds in a log."""

from __future__ import annotations

import io
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TextIO

WIDTH = 24
SECONDS_BETWEEN_LINES = 5.0
QUIET_SECONDS = 1.0
"""Seconds before anything is shown: a short wait needs no bar."""
SECONDS_BETWEEN_BARS = 0.1


def bar(done: int, total: int) -> str:
    """A bar of fixed width.

    >>> bar(1, 4)
    '[######..................]'
    """
    filled = WIDTH if total <= 0 else WIDTH * min(done, total) // total
    return f"[{'#' * filled}{'.' * (WIDTH - filled)}]"


class Meter:
    """Receives how much of a step is done, and shows it at a pace that suits the terminal or the log."""

    def __init__(self, out: TextIO | None = None, now: Callable[[], float] = time.monotonic) -> None:
        self._out = out or sys.stderr
        self._now = now
        self._terminal = self._out.isatty()
        self._drawn = False
        self._next = now() + (QUIET_SECONDS if self._terminal else SECONDS_BETWEEN_LINES)

    def tell(self, step: str, done: int, total: int) -> None:
        """Report `done` of `total`, in the unit of the step."""
        moment = self._now()
        if moment < self._next:
            return
        self._next = moment + (SECONDS_BETWEEN_BARS if self._terminal else SECONDS_BETWEEN_LINES)
        percent = f"{100 * done // max(total, 1)} %"
        if self._terminal:
            self._drawn = True
            print(f"\r\x1b[2K{step:<9} {bar(done, total)} {percent}", end="", file=self._out, flush=True)
        else:
            print(f"{step} {percent}", file=self._out, flush=True)

    def clear(self) -> None:
        """Remove the bar from the terminal."""
        if self._drawn:
            print("\r\x1b[2K", end="", file=self._out, flush=True)
            self._drawn = False


class MeteredFile(io.FileIO):
    """A file open for reading bytes, which tells a meter how much of it has been read."""

    def __init__(self, path: Path, meter: Meter) -> None:
        super().__init__(path)
        self._meter = meter
        self._size = path.stat().st_size

    def read(self, size: int | None = -1) -> bytes:
        """The next bytes of the file."""
        self._meter.tell("reading", self.tell(), self._size)
        return super().read(-1 if size is None else size) or b""

"""Showing a run's progress: a bar on a terminal, a few lines in a log, one summary line for each stage."""

from __future__ import annotations

import sys
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING, TextIO

from cep_core.progress.meter import SECONDS_BETWEEN_LINES, bar

if TYPE_CHECKING:
    from jobs.runs.run import Progress, StageOutcome


def summary(stage: str, outcome: StageOutcome, seconds: float) -> str:
    """The one summary line of a finished stage.

    >>> from jobs.runs.run import StageOutcome
    >>> summary("ingest", StageOutcome(1834, 1830, "4 rows refused"), 2.345)
    'ingest            2.3 s       1,834 rows in       1,830 out   4 rows refused'
    """
    line = (
        f"{stage:<14} {seconds:6.1f} s {outcome.rows_in:>11,} rows in {outcome.rows_out:>11,} out   {outcome.message}"
    )
    return line.rstrip()


class Terminal:
    """A line that is drawn again and again while a stage works, then its summary."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._stage = ""

    def start(self, stage: str) -> None:
        self._stage = stage
        self._draw(f"{stage:<14} ...")

    def advance(self, done: int, total: int, note: str = "") -> None:
        self._draw(f"{self._stage:<14} {bar(done, total)} {done}/{total} {note}".rstrip())

    def note(self, text: str) -> None:
        self._draw("")
        print(f"{'':<14} {text}", file=self._out, flush=True)

    def finish(self, stage: str, outcome: StageOutcome, seconds: float) -> None:
        self._draw("")
        print(summary(stage, outcome, seconds), file=self._out, flush=True)

    def _draw(self, text: str) -> None:
        print(f"\r\x1b[2K{text[:119]}", end="", file=self._out, flush=True)


class LogLines:
    """Lines with the time: at most one every few seconds while a stage works, and its summary."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._stage = ""
        self._last = time.monotonic()

    def start(self, stage: str) -> None:
        self._stage = stage
        self._last = time.monotonic()

    def advance(self, done: int, total: int, note: str = "") -> None:
        if time.monotonic() - self._last >= SECONDS_BETWEEN_LINES:
            self._last = time.monotonic()
            self._say(f"{self._stage:<14} {done}/{total} {note}".rstrip())

    def note(self, text: str) -> None:
        self._say(text)

    def finish(self, stage: str, outcome: StageOutcome, seconds: float) -> None:
        self._say(summary(stage, outcome, seconds))

    def _say(self, text: str) -> None:
        print(f"{datetime.now(UTC):%H:%M:%S} {text}", file=self._out, flush=True)


def to_person(out: TextIO | None = None) -> Progress:
    """The kind of progress display that suits the terminal or the log."""
    out = out or sys.stderr
    return Terminal(out) if out.isatty() else LogLines(out)

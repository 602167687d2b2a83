"""Removes the lines that Spark and its JVM print at every start from a person's terminal. All other lines stay.

Two kinds of programs need this. The first starts a JVM itself (`without_greeting`). The JVM inherits stderr when it
starts, before any setting can silence it. So it inherits a pipe, and a thread of this process passes its lines on. The
second runs a DAG (`WithoutGreetings`), since Airflow prints the lines of spark-submit as its own.
"""

from __future__ import annotations

import io
import os
import re
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

_ALWAYS = (
    r"WARNING: Using incubator modules|Using Spark's default log4j|Setting (default|Spark) log level"
    r"|To adjust logging level use"
)
_OWN_START = re.compile(
    rf"{_ALWAYS}|\S+ \S+ WARN (NativeCodeLoader: Unable to load native|Utils: (Your hostname|Set SPARK))".encode()
)
"""Lines that every JVM prints when this process starts it. Its other warnings are shown."""
_SUBMITTED = re.compile(rf"{_ALWAYS}|Spark-Submit cmd:|\d\d/\d\d/\d\d \d\d:\d\d:\d\d (INFO|WARN) ")
"""Lines of spark-submit; at a terminal only its errors are shown."""


@contextmanager
def without_greeting() -> Iterator[None]:
    """In this block, a JVM that is started prints no greeting."""
    sys.stderr.flush()
    terminal = os.dup(2)
    reading, writing = os.pipe()
    os.dup2(writing, 2)
    os.close(writing)
    threading.Thread(target=_pass_on, args=(reading, os.dup(terminal)), name="jvm-stderr", daemon=True).start()
    try:
        yield
    finally:
        sys.stderr.flush()
        os.dup2(terminal, 2)
        os.close(terminal)


class WithoutGreetings(io.TextIOBase):
    """A text stream that passes on every line except those that spark-submit prints at each start."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._begun = ""

    def write(self, text: str) -> int:
        *lines, self._begun = (self._begun + text).split("\n")
        for line in lines:
            if not _SUBMITTED.match(line):
                self._out.write(line + "\n")
        return len(text)

    def flush(self) -> None:
        self._out.flush()


def _pass_on(reading: int, writing: int) -> None:
    """Copy line by line until the last writer has closed its end."""
    begun = b""
    while chunk := os.read(reading, 65_536):
        *lines, begun = (begun + chunk).split(b"\n")
        passed = b"".join(line + b"\n" for line in lines if not _OWN_START.match(line))
        if passed:
            os.write(writing, passed)
    if begun and not _OWN_START.match(begun):
        os.write(writing, begun)
    os.close(reading)
    os.close(writing)

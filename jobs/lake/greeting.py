"""What Spark and its JVM print at every start, kept from a person's terminal; all that they say otherwise passes.

The JVM inherits stderr when it is started, before any of its settings can quieten it. So it inherits a pipe, and a
thread of this process passes its lines on for as long as it lives.
"""

from __future__ import annotations

import os
import re
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

GREETING = re.compile(
    rb"WARNING: Using incubator modules|Using Spark's default log4j|Setting (default|Spark) log level"
    rb"|To adjust logging level use"
    rb"|\S+ \S+ WARN (NativeCodeLoader: Unable to load native|Utils: (Your hostname|Set SPARK))"
)


@contextmanager
def without_greeting() -> Iterator[None]:
    """A JVM that is started in the block prints no greeting."""
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


def _pass_on(reading: int, writing: int) -> None:
    """Copy line by line until the last writer has closed its end."""
    begun = b""
    while chunk := os.read(reading, 65_536):
        *lines, begun = (begun + chunk).split(b"\n")
        passed = b"".join(line + b"\n" for line in lines if not GREETING.match(line))
        if passed:
            os.write(writing, passed)
    if begun and not GREETING.match(begun):
        os.write(writing, begun)
    os.close(reading)
    os.close(writing)

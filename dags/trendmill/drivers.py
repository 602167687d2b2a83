"""Drivers of Spark that this process started through spark-submit: Python programs whose parent is a JVM.

spark-submit is killed at once when a task is. Its Python program then meets a closed connection in the middle of its
work, and its run keeps the lake's lease for half an hour. Asked first, by SIGTERM, it stops its work and gives the
lease back. Only where /proc tells of processes; elsewhere there is nothing to ask.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

PROGRAM = b"spark_task.py"
PATIENCE = 3.0
"""Seconds until a driver must have ended. Airflow kills a task five seconds after it has told it to end."""


def end_drivers() -> None:
    """Let the drivers below this process end, and wait for them."""
    asked = [process for process in descendants(os.getpid()) if is_driver(process)]
    for process in asked:
        with suppress(ProcessLookupError):
            os.kill(process, signal.SIGTERM)
    until = time.monotonic() + PATIENCE
    while any(is_driver(process) for process in asked) and time.monotonic() < until:
        time.sleep(0.1)


def descendants(process: int) -> Iterator[int]:
    """The processes that a process started, those that they started, and so on."""
    for listed in Path(f"/proc/{process}/task").glob("*/children"):
        with suppress(OSError):  # it has ended
            for child in map(int, listed.read_text().split()):
                yield child
                yield from descendants(child)


def is_driver(process: int) -> bool:
    """Whether the process lives, is a Python and runs a task: spark-submit itself has the same arguments."""
    with suppress(OSError):
        words = Path(f"/proc/{process}/cmdline").read_bytes().split(b"\0")
        return Path(os.fsdecode(words[0])).name.startswith("python") and any(word.endswith(PROGRAM) for word in words)
    return False

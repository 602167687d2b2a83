"""SIGTERM ends a program as Ctrl-C does: work is stopped, the lease is given back, no child process stays.

By default Python ends at once on SIGTERM and cleans up nothing. Spark's JVM ends when this program's end of its pipe
closes, and its Python workers end with it. That is a moment after this program, so the program waits for the JVM.

Python drops what is raised while it destroys an object or calls back, as the gateway to the JVM lets it do often. So
SIGTERM is raised again each second until it is on its way, and what fails after it arrived was interrupted.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

SECONDS = 10.0
"""The seconds that a JVM may take to end before it is killed."""

AGAIN = 1.0
"""The seconds after which SIGTERM is raised again if nothing is on its way."""


class Terminated(KeyboardInterrupt):
    """SIGTERM arrived."""


@contextmanager
def terminable() -> Iterator[None]:
    """In this block SIGTERM raises Terminated once, and an interrupted block leaves none of its JVMs behind."""
    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread receives signals
        return
    before = signal.signal(signal.SIGTERM, _terminate), signal.signal(signal.SIGALRM, _terminate_again)
    try:
        yield
    except BaseException as error:
        arrived = signal.setitimer(signal.ITIMER_REAL, 0)[1] > 0
        if arrived or interruption(error) is not None:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            end_jvm()
        if interruption(error) is None and arrived:
            raise Terminated from error
        raise
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGTERM, before[0])
        signal.signal(signal.SIGALRM, before[1])


def interruption(error: BaseException | None) -> KeyboardInterrupt | None:
    """The interruption that caused an error, since cleaning up after an interruption may fail as well."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        if isinstance(error, KeyboardInterrupt):
            return error
        seen.add(id(error))
        error = error.__cause__ or error.__context__
    return None


def end_with_parent() -> None:
    """Let this process, which `multiprocessing` started, end with the one that waits for it, even if that is killed."""
    parent = multiprocessing.parent_process()
    assert parent is not None

    def leave_with_it() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=leave_with_it, daemon=True).start()


def jvm() -> subprocess.Popen[bytes] | None:
    """The JVM that this process started; None if it started none, or if spark-submit did."""
    context = sys.modules.get("pyspark.core.context")
    gateway = context.SparkContext._gateway if context is not None else None
    process: subprocess.Popen[bytes] | None = getattr(gateway, "proc", None)
    return process


def end_jvm() -> None:
    """Let the JVM go and wait for it."""
    process = jvm()
    if process is None:
        return
    _let_go(process)
    try:
        process.wait(SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _let_go(process: subprocess.Popen[bytes]) -> None:
    if process.stdin is not None:
        process.stdin.close()


def _terminate(_: int, __: FrameType | None) -> None:
    """Kill the JVM at once. Asked to stop by the thread that waits for its answer, it would first finish its work."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    process = jvm()
    if process is not None:
        _let_go(process)
    signal.setitimer(signal.ITIMER_REAL, AGAIN, AGAIN)
    raise Terminated


def _terminate_again(_: int, __: FrameType | None) -> None:
    if interruption(sys.exc_info()[1]) is None:
        raise Terminated

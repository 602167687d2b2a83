"""Spark's progress: while a stage of a run works, shows that Spark starts, and how many of its tasks are done."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from py4j.protocol import Py4JError

from jobs.runs.run import Progress

if TYPE_CHECKING:
    from jobs.lake.session import LateSession

SECONDS = 0.5


@contextmanager
def watched(session: LateSession, progress: Progress) -> Iterator[None]:
    """Report Spark's tasks to `progress` twice a second during the block."""
    done = threading.Event()
    watcher = threading.Thread(target=_watch, args=(session, progress, done), name="progress", daemon=True)
    watcher.start()
    try:
        yield
    finally:
        done.set()
        watcher.join()


def _watch(session: LateSession, progress: Progress, done: threading.Event) -> None:
    has_started = session.running is not None
    while not done.wait(SECONDS):
        if session.running is None:
            continue
        if not has_started:
            progress.note("Spark has started")
            has_started = True
        try:
            tracker = session.running.sparkContext.statusTracker()
            stages = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
        except (Py4JError, OSError):
            return  # the JVM is gone; the code that waits for the stage gets that error too
        running = [stage for stage in stages if stage is not None]
        if running and not done.is_set():
            progress.advance(sum(s.numCompletedTasks for s in running), sum(s.numTasks for s in running), "tasks")

"""One task of a run that is killed, JVM and all, right after the first table that a stage writes: a program.

`python dying_task.py WORKLOAD_FOLDER TASK STAGE FIRST LAST RUN_ID`; what it leaves behind is for a retry to mend.
Within a session that goes on, a task can die of an error that nobody catches (`ended_after_writing`).
"""

from __future__ import annotations

import importlib
import os
import signal
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import date
from types import ModuleType
from typing import Any

import pytest

from jobs import places
from jobs.lake import write
from jobs.lake.session import start_session
from jobs.runs.run import Silent
from jobs.tasks import nightly as tasks
from jobs.workload.declaration import folder_of
from tests.leases import leased


def die_after_writing(stage: ModuleType) -> None:
    """Let a stage's first write that ends be the process's last act, whatever else is being written just then."""

    def write_and_die(*arguments: Any) -> None:
        replace(*arguments)
        os.killpg(os.getpgid(0), signal.SIGKILL)

    def write_all_and_die(replacements: Iterable[write.Replacement]) -> None:
        write.replace = write_and_die
        replace_all(replacements)

    replace, replace_all = write.replace, write.replace_all
    for name, dying in (("replace", write_and_die), ("replace_all", write_all_and_die)):
        if hasattr(stage, name):
            setattr(stage, name, dying)


class Ended(BaseException):
    """The end of a task in the middle of a stage. As after kill -9, no code of the task notes it as a failure."""


@contextmanager
def ended_after_writing(stage: ModuleType) -> Iterator[None]:
    """Let a stage's first write be the last act of the block: further writes do not begin, and no diary is kept."""

    def write_and_end(*arguments: Any) -> None:
        write.replace(*arguments)
        raise Ended

    def write_one_and_end(replacements: Iterable[write.Replacement]) -> None:
        first = next(iter(replacements))
        write_and_end(first.rows, first.table, first.condition)

    with pytest.MonkeyPatch.context() as patch:
        for name, ending in (("replace", write_and_end), ("replace_all", write_one_and_end)):
            if hasattr(stage, name):
                patch.setattr(stage, name, ending)
        patch.setattr("jobs.runs.journal.append", lambda *_: None)
        with pytest.raises(Ended):
            yield


def main() -> None:
    workload, task, stage, first, last, run_id = sys.argv[1:]
    spark = start_session("dying")
    die_after_writing(importlib.import_module(f"jobs.stages.{stage}"))
    days, lake = (date.fromisoformat(first), date.fromisoformat(last)), places.lake()
    with leased(lake, folder_of(workload).name, run_id):
        run = tasks.begin(workload, *days, run_id, spark=spark, lake=lake, progress=Silent())
        tasks.TASKS[task](run)
    print(f"stage {stage} wrote nothing")


if __name__ == "__main__":
    main()

"""One task of a run that is killed, JVM and all, right after the first table that a stage writes: a program.

`python dying_task.py WORKLOAD_FOLDER TASK STAGE FIRST LAST RUN_ID`; what it leaves behind is for a retry to mend.
"""

from __future__ import annotations

import importlib
import os
import signal
import sys
from collections.abc import Iterable
from datetime import date
from types import ModuleType
from typing import Any

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

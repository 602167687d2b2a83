"""One task of a run that is killed, JVM and all, right after the first table that a stage writes: a program.

`python dying_task.py WORKLOAD_FOLDER TASK STAGE FIRST LAST RUN_ID`; what it leaves behind is for a retry to mend.
"""

from __future__ import annotations

import importlib
import os
import signal
import sys
from datetime import date

from jobs import places
from jobs.lake.session import start_session
from jobs.runs import tasks
from jobs.runs.run import Silent


def main() -> None:
    workload, task, stage, first, last, run_id = sys.argv[1:]
    spark = start_session("dying")
    module = importlib.import_module(f"jobs.stages.{stage}")
    write = module.replace

    def write_and_die(*arguments: object) -> None:
        write(*arguments)
        os.killpg(os.getpgid(0), signal.SIGKILL)

    module.replace = write_and_die
    run = tasks.begin(
        workload,
        date.fromisoformat(first),
        date.fromisoformat(last),
        run_id,
        spark=spark,
        lake=places.lake(),
        progress=Silent(),
    )
    tasks.TASKS[task](run)
    print(f"stage {stage} wrote nothing")


if __name__ == "__main__":
    main()

"""The end of a task and of a run. A run that ends returns the lake's lease and forgets its stored workload.

A run ends with its last task, or with an exit code after which no retry can help (jobs/exits.py). Until then a retry
needs the lease and the workload.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

from jobs.exits import FINAL, OK, exit_code, is_expected, message, task_code
from jobs.lake.leasing.lease import give_back, lease_file
from jobs.signals import interruption, terminable
from jobs.tasks.stored_workload import forget
from jobs.workload.declaration import folder_of


def done(work: Callable[[str], None], lake: Path, workload: str, run_id: str) -> int:
    """Does a task's work by calling `work` with the workload's name. Returns the exit code.

    An error is printed, with its trace if it was not expected. If no retry can help, the run ends, even if nobody reads
    what is printed any more: spark-submit, through which it goes, may have been killed first.
    """
    name = ""
    try:
        name = folder_of(workload).name
        with terminable():
            work(name)
        return OK
    except (Exception, KeyboardInterrupt) as error:
        with ExitStack() as afterwards:
            if name:
                afterwards.callback(end_after, error, lake, name, run_id)
            if not is_expected(error):
                logging.getLogger("trendmill").exception("this was not expected")
            print(message(error), file=sys.stderr, flush=True)
        return task_code(error)


def end(lake: Path, workload: str, run_id: str) -> None:
    """Forget the run's stored workload and give its lease back."""
    forget(workload, run_id, lake)
    give_back(lease_file(lake, workload), run_id)


def end_after(error: BaseException, lake: Path, workload: str, run_id: str) -> None:
    """End the run if trying again cannot help. A run that a person interrupted only gives back the lease."""
    if exit_code(error) in FINAL:
        end(lake, workload, run_id)
    elif interruption(error) is not None:
        give_back(lease_file(lake, workload), run_id)

"""A run over days of the small workload as one Spark application of the cluster that the environment names.

`python -m tests.runs.cluster.night HOME LAKE FIRST LAST TASK...` prints each task's name before it begins.
"""

from __future__ import annotations

import sys

from jobs.lake.session import LateSession
from jobs.runs.run import Silent
from jobs.stored_path import place
from jobs.tasks.nightly import TASKS, begin
from tests.leases import leased
from tests.runs.lake.small_workload import day


def main(home: str, lake: str, first: str, last: str, *tasks: str) -> None:
    session = LateSession("night", "cluster")
    days = day(int(first)), day(int(last))
    with leased(place(lake), "machines", "on-cluster"):
        run = begin(home, *days, "on-cluster", session=session, lake=place(lake), progress=Silent())
        for task in tasks:
            print(task, flush=True)
            TASKS[task](run)
    session.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])

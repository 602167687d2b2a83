"""A large run of the small workload on a lake in a storage, its slices read by path and by Spark's scan.

`python -m tests.runs.storage.ways HOME LAKE` prints the seconds of each way. It fails if their tables differ.
"""

from __future__ import annotations

import sys
import time
from dataclasses import replace
from typing import get_args

from jobs.lake.session import LateSession
from jobs.runs.run import Silent
from jobs.stages.evaluate import evaluate
from jobs.stages.evaluating.partials import Way
from jobs.stored_path import place
from jobs.tasks import nightly
from tests.leases import leased
from tests.runs.lake.lakes import StoredLake
from tests.runs.lake.small_workload import day


def main(home: str, lake: str) -> None:
    folder = place(lake)
    session = LateSession("storage", "local", "large")
    with leased(folder, "machines", "in-storage"):
        run = nightly.begin(home, day(1), day(2), "in-storage", session=session, lake=folder, progress=Silent())
        for task in (nightly.load, nightly.slice_, nightly.evaluate):
            task(run)
        tables = StoredLake(folder).tables()
        edited = {name: replace(query, definition="edited") for name, query in run.compiled.items()}
        everything = nightly.with_scope(replace(run, scope=None, compiled=edited)).scope
        for way in get_args(Way):
            began = time.monotonic()
            evaluate(replace(run, scope=everything), way=way)
            print(f"{way} {time.monotonic() - began:.1f} s", flush=True)
            assert StoredLake(folder).tables() == tables
    session.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])

"""The workload as a run began with it: the first task stores the folder by its hash, later tasks and retries use that.

Someone may edit a query while a night is running; the night then ends as it began, and the edit is seen by the next
run.
"""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote

from jobs.workload.content import store
from jobs.workload.declaration import Workload, load_workload


def workload_of_run(name: str, run_id: str, lake: Path) -> Workload:
    """The workload that a run works with, stored under the lake by the first task that asks."""
    original = load_workload(name)
    home = lake / original.name / "_work" / "workloads"
    begun = home / f"{quote(run_id, safe='')}.hash"
    if begun.is_file() and (home / begun.read_text()).is_dir():
        copy = home / begun.read_text()
    else:
        copy = store(original.folder, home)
        unfinished = begun.with_suffix(".new")
        unfinished.write_text(copy.name)
        unfinished.replace(begun)
    return load_workload(copy, base=original.folder)

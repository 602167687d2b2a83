"""The workload as a run began with it: the first task stores the folder by its hash, later tasks and retries use that.

Someone may edit a query while a night is running; the night then ends as it began, and the edit is seen by the next
run. A run that has ended forgets its copy: whoever starts it again, mostly after a correction, means the folder as it
is then.
"""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote

from jobs.analysis.folder import refuse_wrong
from jobs.workload.content import store
from jobs.workload.declaration import Workload, folder_of, load_workload


def workload_of_run(name: str, run_id: str, lake: Path) -> Workload:
    """The workload that a run works with, stored under the lake by the first task that asks.

    Its sources' relative paths start in the original folder. Raises WorkloadError for a wrong workload.
    """
    original = folder_of(name)
    begun = _mark(lake, original.name, run_id)
    if not (begun.is_file() and (begun.parent / begun.read_text()).is_dir()):
        refuse_wrong(original)
        unfinished = begun.with_suffix(".new")
        unfinished.parent.mkdir(parents=True, exist_ok=True)
        unfinished.write_text(store(original, begun.parent).name)
        unfinished.replace(begun)
    return load_workload(begun.parent / begun.read_text(), base=original)


def forget(workload: str, run_id: str, lake: Path) -> None:
    """Let the run begin anew with the folder as it is then; the copy itself stays until `maintain` removes it."""
    _mark(lake, workload, run_id).unlink(missing_ok=True)


def _mark(lake: Path, workload: str, run_id: str) -> Path:
    """The file that says by its hash which copy a run uses."""
    return lake / workload / "_work" / "workloads" / f"{quote(run_id, safe='')}.hash"

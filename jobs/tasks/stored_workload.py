"""The workload as it was when a run began: the first task stores the folder, later tasks and retries use the copy.

If somebody edits a query while a night is running, the night still ends as it began, and the next run sees the edit. A
run that has ended forgets its copy. If it is started again, usually after a correction, it uses the folder as it is
then.
"""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote

from jobs import places
from jobs.analysis.folder import refuse_wrong
from jobs.workload.content import fetched, store
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
    copy = fetched(begun.parent / begun.read_text(), places.cache() / "workloads" / original.name)
    return load_workload(copy, base=original)


def forget(workload: str, run_id: str, lake: Path) -> None:
    """Let the run begin again with the folder as it is then. The copy itself stays until `maintain` removes it."""
    _mark(lake, workload, run_id).unlink(missing_ok=True)


def _mark(lake: Path, workload: str, run_id: str) -> Path:
    """The file that holds the hash of the copy that a run uses."""
    return lake / workload / "_work" / "workloads" / f"{quote(run_id, safe='')}.hash"

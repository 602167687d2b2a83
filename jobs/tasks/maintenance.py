"""Upkeep of a lake: removes what no reader needs any more.

Staging is kept for 14 days after it was written, so that a refused day can be examined. Stored workload copies are kept
for 14 days after their last use. Plans and their comparisons are kept as long as some day's results were evaluated by
them. A vacuum removes files that no table version of the last seven days needs, and those of writes that died before.
delta-rs does it, in 10 ms a table; Spark would need a second. Where something was forgotten, old commits go, too.
"""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pyarrow.dataset as ds
from deltalake import DeltaTable

from jobs.erasure.log_commits import drop_old_commits
from jobs.erasure.rules import read_erasures
from jobs.lake.arrow_write import schema_of
from jobs.lake.conditions import EVERY_ROW, one_of
from jobs.lake.dataset import read_table
from jobs.lake.leasing.fence import fence_of
from jobs.lake.register import table_folders
from jobs.lake.write import replace
from jobs.runs.run import Progress, StageOutcome
from jobs.stages.compare import EXPERIMENT
from jobs.stored_path import remove_tree
from jobs.tasks.expiry import expire, removal_text
from jobs.tasks.forgetting.derived_rows import remove_discarded
from jobs.workload.sections.retention import Retention

STAGING = timedelta(days=14)


def maintain(workload: str, lake: Path, progress: Progress, retention: Retention | None = None) -> None:
    """Remove superseded plans and files, old staging and workload copies of one workload's lake, and what is older than
    its retention allows."""
    begin = time.perf_counter()
    remove_discarded(lake / workload)
    tables = table_folders(workload, lake)
    progress.start("maintain")
    expired = removal_text(expire(workload, lake, retention or Retention(), datetime.now(UTC).date()))
    if "work_staged_events" in tables:
        _drop_old_staging(workload, lake)
    if "result_days" in tables:
        _drop_superseded_plans(workload, lake)
    has_erasures = bool(read_erasures(lake, workload))
    for done, (table, folder) in enumerate(tables.items(), start=1):
        fence_of(workload).check()
        DeltaTable(folder).vacuum(dry_run=False, full=True)
        if has_erasures:
            drop_old_commits(folder)
        progress.advance(done, len(tables), table)
    copies = _drop_old_copies(lake / workload / "_work" / "workloads")
    message = f"{len(tables)} tables vacuumed, {copies} workload copies removed" + (f"; {expired}" if expired else "")
    progress.finish("maintain", StageOutcome(message=message), time.perf_counter() - begin)


def _drop_old_staging(workload: str, lake: Path) -> None:
    """Delete staged rows of runs that began more than two weeks ago, by the journal's clock."""
    recent = _runs_in(lake / workload / "runs", ds.field("started_at") > datetime.now(UTC) - STAGING)
    nothing = schema_of(lake / workload / "_work" / "staged_events").empty_table()
    replace(nothing, f"{workload}.work_staged_events", f"NOT ({one_of('run_id', recent)})")


def _drop_superseded_plans(workload: str, lake: Path) -> None:
    """Delete plans and comparisons of runs of which every result has been replaced by another run."""
    superseded = f"NOT ({one_of('run_id', _runs_in(lake / workload / 'result_days'))})"
    for name, of_plans in (("slicing_plans", EVERY_ROW), ("experiments", f"`experiment` LIKE '{EXPERIMENT}%'")):
        nothing = schema_of(lake / workload / name).empty_table()
        replace(nothing, f"{workload}.{name}", f"{of_plans} AND {superseded}")


def _runs_in(folder: Path, where: ds.Expression | None = None) -> list[str]:
    """The runs that a table names, in rows for which `where` holds."""
    stored = read_table(folder, ["run_id"], where=where)
    return [] if stored is None else sorted(set(stored["run_id"].to_pylist()))


def _drop_old_copies(home: Path) -> int:
    limit = time.time() - STAGING.total_seconds()
    for mark in [mark for mark in home.glob("*.hash") if mark.stat().st_mtime < limit]:
        mark.unlink()
    needed = {mark.read_text() for mark in home.glob("*.hash")}
    unused = [copy for copy in home.glob("*/") if copy.name not in needed and copy.stat().st_mtime < limit]
    for copy in unused:
        remove_tree(copy)
    return len(unused)

"""A table's log without commits that nobody needs: each tells the least and greatest values of the files it added.

Delta removes a commit when it is older than 30 days and a later checkpoint is that old, too: with it, versions of the
last 30 days can still be read. So a checkpoint must be made in time, and must not be made anew, which makes it young.
"""

from __future__ import annotations

import time
from datetime import timedelta
from pathlib import Path

from deltalake import DeltaTable

KEPT = timedelta(days=30)
"""How long Delta keeps commits."""


def checkpoint(folder: Path) -> None:
    """Write the present version as a checkpoint, from which on the log may be read; not if it is one."""
    table = DeltaTable(folder)
    if not (folder / "_delta_log" / f"{table.version():020}.checkpoint.parquet").exists():
        table.create_checkpoint()


def drop_old_commits(folder: Path) -> None:
    """Remove commits and checkpoints that are no longer needed. Where old ones stay, for lack of a checkpoint, make
    one: they are removed when it is old enough."""
    limit = time.time() - KEPT.total_seconds()
    if _older(folder, limit):
        DeltaTable(folder).cleanup_metadata()
        if _older(folder, limit):
            checkpoint(folder)


def _older(folder: Path, limit: float) -> bool:
    return any(commit.stat().st_mtime < limit for commit in (folder / "_delta_log").glob("*.json"))

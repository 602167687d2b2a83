"""The end of a run: it gives back the lake's lease and forgets the stored workload.

A run ends with its last task, or with an exit code after which no retry can help (jobs/exits.py). Until then a retry
needs both.
"""

from __future__ import annotations

from pathlib import Path

from jobs.exits import FINAL, exit_code
from jobs.lake.leasing.lease import give_back, lease_file
from jobs.signals import interruption
from jobs.tasks.stored_workload import forget


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

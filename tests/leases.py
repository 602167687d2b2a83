"""A lease for tests that write to a lake without the command line."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from jobs.lake.leasing.keeping import kept
from jobs.lake.leasing.lease import give_back, lease_file, take


@contextmanager
def leased(lake: Path, workload: str, run_id: str = "tests") -> Iterator[None]:
    """Hold a workload's lease in a lake while the block works."""
    path = lease_file(lake, workload)
    with kept(path, take(path, run_id, "a test")):
        yield
    give_back(path, run_id)

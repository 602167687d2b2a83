"""Disks that fail and programs that die in the middle of a run: what was published stays, and the message says why.

`benchmarks/faults.py` does the same at many more writes, and before and behind every commit.
"""

from __future__ import annotations

import random
import shutil
import sys
from pathlib import Path

import pytest

from tests.faults.faulty_disk import Fault, FaultyDisk, names_fault, unpublished
from tests.runs.lake.lakes import StoredLake, Tables
from tests.runs.lake.small_workload import day, write_day, write_workload

pytestmark = [
    pytest.mark.spark,
    pytest.mark.processes,
    pytest.mark.long,
    pytest.mark.skipif(sys.platform != "linux" or shutil.which("cc") is None, reason="needs Linux and a C compiler"),
]
TABLES = ("load", "slice", "evaluate")
SEED = 16


def test_nothing_published_is_lost_and_the_message_says_why(
    undisturbed_lake: StoredLake, undisturbed: Tables, tmp_path: Path
) -> None:
    """A day's rows are late, then they are there: runs of both fail at three writes drawn by chance, and die in
    evaluate and in publish. Each table and day is as before or as after, and pages are whole; then all is right."""
    disk = FaultyDisk(tmp_path, write_workload(tmp_path / "workloads"))
    shutil.copytree(undisturbed_lake.folder, disk.lake.folder)
    drawn = random.Random(SEED)
    write_day(disk.home, 1, early=True)
    full = Fault("full", drawn.randrange(1, 150))
    with disk.program() as run:
        ended = run(full, *TABLES)
        assert ended.code == 1, ended.output
        assert names_fault(full, ended), ended.output
        between = disk.lake.tables()
        assert run(None).code == 0
        early, pages = disk.lake.tables(), disk.pages()
        assert early != undisturbed
        assert unpublished(between, undisturbed, early) == []

        write_day(disk.home, 1)
        for fault in (
            Fault("error", drawn.randrange(1, 150)),
            Fault("late", drawn.randrange(1, 150)),
            Fault("kill", 1, "/climbs/_delta_log/"),
        ):
            ended = run(fault, *TABLES)
            assert ended.writes >= fault.at
            assert names_fault(fault, ended), (fault, ended.output)
            assert unpublished(disk.lake.tables(), early, undisturbed) == [], fault
        assert ended.code < 0
    with disk.program() as run:
        ended = run(Fault("after", 1, f"machines/{day(2)}"))
    assert ended.code < 0
    assert disk.lake.tables() == undisturbed
    died = disk.pages()
    assert died.keys() == pages.keys()
    assert [name for name, page in died.items() if not page.rstrip().endswith(b"</html>")] == []

"""Reports of many days are the same to the byte, however many processes write them."""

from __future__ import annotations

from pathlib import Path

import pytest

from jobs.reports import writing_processes
from jobs.reports.publish import publish
from jobs.workload.declaration import load_workload
from tests.reports.lake.small_days import DAY, INCOMPLETE
from tests.reports.pages.test_determinism import bytes_of


def test_two_processes_write_the_same_bytes(site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Days published one by one in this process, and at once by two others; every day is told as it is done."""
    workload, told = load_workload("lines"), list[tuple[int, int, str]]()

    class Progress:
        def advance(self, done: int, of: int, what: str) -> None:
            told.append((done, of, what))

    monkeypatch.setattr(writing_processes, "DAYS_OF_A_PROCESS", 1)
    monkeypatch.setattr(writing_processes.os, "cpu_count", lambda: 2)
    monkeypatch.setenv("TRENDMILL_REPORTS", str(tmp_path))
    published = publish(workload, DAY, INCOMPLETE, "a-run", Progress())
    assert list(published.pages) == [DAY, INCOMPLETE]
    assert sorted(told) in ([(1, 2, str(DAY)), (2, 2, str(INCOMPLETE))], [(1, 2, str(INCOMPLETE)), (2, 2, str(DAY))])
    for day in published.pages:
        assert bytes_of(tmp_path / "lines" / str(day)) == bytes_of(site / "lines" / str(day)), day

"""The same tables give the same bytes, apart from run id, timestamps, measured seconds and memory."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from jobs.reports import writing_processes
from jobs.reports.publish import publish
from jobs.workload.declaration import load_workload
from tests.reports.lake.small_days import DAY, INCOMPLETE


def bytes_of(folder: Path) -> dict[str, bytes]:
    """Every file of a report; what is marked as measured is left out, and so is run.json, which is all about that."""
    measured = re.compile(rb'<(td|dd) class="[^"]*\bmeasured\b[^"]*">[^<]*</')
    return {
        path.relative_to(folder).as_posix(): measured.sub(b"", path.read_bytes())
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != "run.json"
    }


def test_publishing_twice_gives_the_same_bytes(places: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another run id and another moment change nothing that is not marked as measured; nor do two processes in place
    of one, which tell of each day once it is done."""
    progress = []

    class Progress:
        def advance(self, done: int, of: int, what: str) -> None:
            progress.append((done, of, what))

    days = (DAY, INCOMPLETE)
    with monkeypatch.context() as patch:
        patch.setenv("TRENDMILL_REPORTS", str(tmp_path / "one"))
        patch.setattr(writing_processes, "DAYS_OF_A_PROCESS", 1)
        patch.setattr("os.cpu_count", lambda: 2)
        published = publish(load_workload("lines"), days, "a-run", Progress())
    assert list(published.pages) == list(days)
    assert [done for done, _, _ in progress] == [1, 2]
    assert {(of, what) for _, of, what in progress} == {(2, str(day)) for day in days}
    monkeypatch.setenv("TRENDMILL_REPORTS", str(tmp_path / "two"))  # where no drawing stands that could be taken over
    publish(load_workload("lines"), days, "a-later-run")
    before, after = bytes_of(tmp_path / "one"), bytes_of(tmp_path / "two")
    assert list(before) == list(after)
    for name, content in before.items():
        assert content == after[name], name


def test_only_marked_places_tell_of_the_run(site: Path) -> None:
    """The run id is nowhere in a report but on the run page, where it is marked."""
    for name, content in bytes_of(site / "lines" / str(DAY)).items():
        assert b"run-1" not in content, name
        assert b"night" not in content, name

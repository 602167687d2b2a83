"""The same tables give the same bytes, apart from run id, timestamps, measured seconds and memory."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from jobs.reports.publish import publish
from jobs.workload.declaration import load_workload
from tests.reports.lake.small_days import DAY


def bytes_of(folder: Path) -> dict[str, bytes]:
    """Every file of a report; what is marked as measured is left out, and so is run.json, which is all about that."""
    measured = re.compile(rb'<(td|dd) class="[^"]*\bmeasured\b[^"]*">[^<]*</')
    return {
        path.relative_to(folder).as_posix(): measured.sub(b"", path.read_bytes())
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != "run.json"
    }


def test_publishing_twice_gives_the_same_bytes(places: Path, site: Path) -> None:
    """Another run id and another moment change nothing that is not marked as measured."""
    folder = site / "lines" / str(DAY)
    publish(load_workload("lines"), DAY, DAY, "a-run")  # of the tables as other tests have left them
    before = bytes_of(folder)
    shutil.rmtree(folder)
    publish(load_workload("lines"), DAY, DAY, "a-later-run")
    after = bytes_of(folder)
    assert list(before) == list(after)
    for name, content in before.items():
        assert content == after[name], name


def test_only_marked_places_tell_of_the_run(site: Path) -> None:
    """The run id is nowhere in a report but on the run page, where it is marked."""
    for name, content in bytes_of(site / "lines" / str(DAY)).items():
        assert b"run-1" not in content, name
        assert b"night" not in content, name

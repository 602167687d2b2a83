"""A small published site, made once a session."""

from __future__ import annotations

from pathlib import Path

import pytest

from jobs.reports.publish import publish
from jobs.workload.declaration import load_workload
from tests.reports.lake.small_days import REPORTED
from tests.reports.lake.small_lake import write_lake
from tests.reports.lake.small_workload import write_workload


@pytest.fixture(scope="session")
def _root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with workload and lake."""
    root = tmp_path_factory.mktemp("reports")
    write_workload(root / "workloads" / "lines")
    write_lake(root / "lake")
    return root


@pytest.fixture(scope="session")
def _published(_root: Path) -> None:
    """The reports of `REPORTED`."""
    with pytest.MonkeyPatch.context() as patch:
        _point(patch, _root)
        for day in REPORTED:
            publish(load_workload("lines"), [day], "night")


@pytest.fixture
def places(_root: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with workload, lake and reports, to which the environment points while the test runs."""
    _point(monkeypatch, _root)
    return _root


@pytest.fixture
def site(places: Path, _published: None) -> Path:
    """The folder of all reports, with those of `REPORTED` published."""
    return places / "reports"


def _point(patch: pytest.MonkeyPatch, root: Path) -> None:
    for name, folder in {"WORKLOADS": "workloads", "LAKE": "lake", "REPORTS": "reports"}.items():
        patch.setenv(f"TRENDMILL_{name}", str(root / folder))

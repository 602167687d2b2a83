"""A small published site, made once a session."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from jobs.reports.publish import publish
from jobs.workload.declaration import load_workload
from tests.reports.small_days import REPORTED
from tests.reports.small_lake import write_lake
from tests.reports.small_workload import write_workload


@pytest.fixture(scope="session")
def places(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with workload, lake and reports, to which the environment points."""
    root = tmp_path_factory.mktemp("reports")
    write_workload(root / "workloads" / "lines")
    write_lake(root / "lake")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TRENDMILL_WORKLOADS", str(root / "workloads"))
        patch.setenv("TRENDMILL_LAKE", str(root / "lake"))
        patch.setenv("TRENDMILL_REPORTS", str(root / "reports"))
        yield root


@pytest.fixture(scope="session")
def site(places: Path) -> Path:
    """The folder of all reports, with those of `REPORTED` published."""
    for day in REPORTED:
        publish(load_workload("lines"), day, day, "night")
    return places / "reports"

"""A small workload and its lake after one run, made once: what disturbed runs are compared with."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from jobs import cli
from tests.runs.lake.lakes import CommandLine, SmallLake, StoredLake, Tables
from tests.runs.lake.small_workload import write_workload
from tests.sharing import made_once

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.fixture(scope="session")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The workload's folder; a test that writes there puts back what it found."""
    return write_workload(tmp_path_factory.mktemp("workload"))


@pytest.fixture
def lake(spark: SparkSession, home: Path, tmp_path: Path) -> Iterator[SmallLake]:
    """An empty lake."""
    made = SmallLake(tmp_path / "lake", spark, home)
    made.forget()
    yield made
    made.forget()


@pytest.fixture(scope="session")
def undisturbed_lake(
    request: pytest.FixtureRequest, home: Path, tmp_path_factory: pytest.TempPathFactory
) -> StoredLake:
    """The lake of one run over days 1 and 2, from an empty folder; nobody writes there.

    Only the process that makes it needs Spark.
    """

    def run(folder: Path) -> None:
        made = SmallLake(folder, request.getfixturevalue("spark"), home)
        made.forget()
        made.run(1, 2)
        made.forget()

    return StoredLake(made_once(tmp_path_factory, "undisturbed", run))


@pytest.fixture(scope="session")
def undisturbed(undisturbed_lake: StoredLake) -> Tables:
    """Its tables."""
    return undisturbed_lake.tables()


@pytest.fixture
def copied(
    spark: SparkSession, undisturbed_lake: StoredLake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[SmallLake]:
    """A copy of the undisturbed lake and of its workload, for the command line in this process and session."""
    folder = shutil.copytree(undisturbed_lake.folder, tmp_path / "lake")
    made = SmallLake(folder, spark, write_workload(tmp_path / "workloads"), runs=1)
    made.forget()
    monkeypatch.setenv("TRENDMILL_LAKE", str(folder))
    monkeypatch.setenv("TRENDMILL_REPORTS", str(tmp_path / "reports"))
    # The gate judges in this process: a judge of each command line's own would import its library each time anew.
    monkeypatch.setattr("jobs.tasks.application.judges_for", lambda *_: nullcontext())
    monkeypatch.setattr("jobs.lake.session.start_session", lambda *_, **__: spark)
    monkeypatch.setattr(spark, "stop", lambda: None)
    yield made
    made.forget()


@pytest.fixture
def trendmill(copied: SmallLake, capsys: pytest.CaptureFixture[str]) -> CommandLine:
    """The command line on the copied workload: its exit code and what it printed. Figures of reports are empty."""

    def command(name: str, *arguments: str) -> tuple[int, str]:
        code = cli.main([name, str(copied.home), *arguments])
        printed = capsys.readouterr()
        return code, printed.out + printed.err

    return command

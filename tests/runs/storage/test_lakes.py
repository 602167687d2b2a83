"""Lakes in S3 and HDFS, against servers from packages (`make storage`): tables are those of a lake in a folder."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from jobs import places
from jobs.erasure.value_hashes import words_of
from jobs.lake.leasing.lease import give_back, lease_file, take
from jobs.lake.leasing.lease_versions import Overtaken, read_version, write_version
from jobs.reports.stored_reports import places_of_reports
from jobs.stored_path import StoredPath, place
from jobs.tasks.nightly import TASKS
from scripts.standalone_cluster import standalone_cluster
from tests.runs.lake.lakes import StoredLake, Tables
from tests.runs.lake.small_workload import day
from tests.runs.storage import servers
from tests.runs.storage.servers import Storage

CONNECTOR = places.project() / ".cache" / "jars-s3"
OF_S3 = pytest.mark.skipif(not servers.PYTHON.is_file(), reason="no S3 server is installed here: make storage")
OF_HDFS = pytest.mark.skipif(not any(servers.JARS.glob("*.jar")), reason="no HDFS is installed here: make storage")

pytestmark = [pytest.mark.spark, pytest.mark.processes]


@pytest.fixture(scope="module", params=[pytest.param("s3", marks=OF_S3), pytest.param("hdfs", marks=OF_HDFS)])
def storage(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Storage]:
    """A server of one kind, and the variables by which all clients find it."""
    with getattr(servers, request.param)(tmp_path_factory.mktemp(request.param)) as started:
        before = dict(os.environ)
        os.environ |= started.variables
        try:
            yield started
        finally:
            os.environ.clear()
            os.environ |= before


@pytest.fixture
def for_spark(storage: Storage) -> Storage:
    """The storage, if Spark has what it needs for it."""
    if storage.root.startswith("s3:") and not any(CONNECTOR.glob("*.jar")):
        pytest.skip("no connector for Spark is here: make s3")
    return storage


def trendmill(lake: str, *words: str, **more: str) -> subprocess.CompletedProcess[str]:
    """A command on a lake."""
    environment = {**os.environ, "TRENDMILL_LAKE": lake, "PYTHONPATH": str(places.project()), **more}
    command = [sys.executable, "-m", "jobs.cli", *words]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


def test_a_run_and_every_command(
    storage: Storage, home: Path, undisturbed: Tables, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lake, days = f"{storage.root}/small", ("--from", str(day(1)), "--to", str(day(2)))
    ran = trendmill(lake, "run", str(home), *days, TRENDMILL_REPORTS=f"{storage.root}/pages")
    assert ran.returncode == 0, ran.stderr
    assert StoredLake(place(lake)).tables() == undisturbed
    for words, printed in (
        (("verify", str(home), "--deep"), "nothing wrong"),
        (("status", str(home)), f"evaluated: {day(1)}..{day(2)}"),
        (("try", str(home), "climbs", "--day", str(day(1))), "events of"),
        (("doctor", "--no-spark"), "things looked at"),
    ):
        done = trendmill(lake, *words)
        assert (done.returncode, printed in done.stdout) == (0, True), done.stdout + done.stderr
    monkeypatch.setenv("TRENDMILL_REPORTS", f"{storage.root}/pages")
    reports = places.reports()
    pages = {page.relative_to(reports).as_posix() for page in reports.rglob("*.html")}
    assert {"index.html", "machines/index.html", f"machines/{day(2)}/index.html"} <= pages
    lease = lease_file(place(lake), "machines")
    take(lease, "another", "a test")
    held = trendmill(lake, "status", str(home))
    give_back(lease, "another")
    assert "in use by a test" in held.stdout
    key = {"TRENDMILL_REPORTS": str(reports), "TRENDMILL_ERASURE_KEY": "k" * 40, "TRENDMILL_SCRATCH": str(tmp_path)}
    done = trendmill(lake, "forget", str(home), "--where", "machine = 'm1'", **key)
    assert done.returncode == 0, done.stderr
    stored = StoredLake(place(lake))
    assert len(stored.rows("events")) == sum(row["machine"] != "m1" for row in undisturbed["events"])
    shown = [page for of in places_of_reports() for page in of.rglob("*.html") if "m1" in words_of(page.read_text())]
    assert [name for name, rows in stored.tables().items() if "m1" in words_of(str(rows))] == shown == []
    again = trendmill(lake, "run", str(home), *days, "--stage", "load", **key)
    assert again.returncode == 0, again.stderr
    done = trendmill(lake, "verify", str(home), "--deep", **key)
    assert (done.returncode, "nothing wrong" in done.stdout) == (0, True), done.stdout + done.stderr


def test_a_large_run_reads_slices_by_path_and_by_scan(
    for_spark: Storage, home: Path, undisturbed: Tables, tmp_path: Path
) -> None:
    lake = f"{for_spark.root}/large"
    environment = {**os.environ, "TRENDMILL_LAKE": lake, "TRENDMILL_SCRATCH": str(tmp_path)}
    environment["PYTHONPATH"] = str(places.project())
    command = [sys.executable, "-m", "tests.runs.storage.ways", str(home), lake]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    print(done.stdout)
    assert [line.split()[0] for line in done.stdout.splitlines()] == ["here", "paths", "scan"]
    assert StoredLake(place(lake)).tables() == undisturbed
    asked = trendmill(lake, "sql", "SELECT count(*) AS n FROM machines.events", "--csv")
    assert asked.stdout.split() == ["n", str(len(undisturbed["events"]))], asked.stderr


def test_a_cluster_works_on_a_lake(
    for_spark: Storage, home: Path, undisturbed: Tables, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A master and two workers of this machine; what programs hand to each other is in a folder that all see."""
    lake = f"{for_spark.root}/cluster"
    monkeypatch.setenv("TRENDMILL_LAKE", lake)
    monkeypatch.setenv("TRENDMILL_SCRATCH", str(tmp_path / "scratch"))
    (tmp_path / "cluster").mkdir()
    with standalone_cluster(tmp_path / "cluster", workers=2) as cluster:
        environment = {**os.environ, **cluster.environment, "PYTHONPATH": str(places.project())}
        command = [sys.executable, "-m", "tests.runs.cluster.night", str(home), lake, "1", "2", *TASKS]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert StoredLake(place(lake)).tables() == undisturbed


def test_of_all_who_write_a_version_one_does(storage: Storage) -> None:
    """Whatever the storage does of itself to make a file only if it is absent."""
    lease = place(f"{storage.root}/versions/lease.json")
    assert isinstance(lease, StoredPath)

    def write(content: str, after: int) -> str | None:
        try:
            write_version(lease, content, after)
        except Overtaken:
            return None
        return content

    write_version(lease, "first", -1)
    for _ in range(5):
        version = read_version(lease)[1]
        with ThreadPoolExecutor(8) as several:
            written = [done for done in several.map(write, map(str, range(8)), [version] * 8) if done is not None]
        assert (read_version(lease), len(written)) == ((written[0], version + 1), 1)


@OF_S3
@pytest.mark.parametrize("storage", ["s3"], indirect=True)
def test_a_storage_that_would_make_a_version_twice_is_refused(storage: Storage) -> None:
    done = trendmill(f"{storage.root}/unsafe", "doctor", "--no-spark", AWS_CONDITIONAL_PUT="disabled")
    assert done.returncode == 1
    assert "conditional put is disabled" in done.stdout

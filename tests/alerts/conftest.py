"""A small lake and its workload with alerts, and the servers that they reach."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.alerts.servers import Received, mail_server, web_server
from tests.reports.lake.small_lake import write_lake
from tests.reports.lake.small_workload import write_workload

ALERTS = """alerts:
  places:
    ops: {webhook: "${env:TEST_OPS:-}"}
    duty: {mail: duty@example.com, from: trendmill@example.com, server: "${env:TEST_SMTP:-}"}
  when:
    - snowball.total > 5
    - {if: late_chains.rows < 10, to: ops}
    - all_departures.max > 1.5 * median(2)
    - {late: 06:00, to: [ops]}
    - gate: failed
"""


@pytest.fixture(scope="session")
def _lake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    lake = tmp_path_factory.mktemp("alerts") / "lake"
    write_lake(lake)
    return lake


@pytest.fixture
def home(_lake: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with workload and lake, to which the environment points. Its tables are links: nobody writes there."""
    (tmp_path / "lake" / "lines" / "_work").mkdir(parents=True)
    for table in [*_lake.glob("lines/[!_]*"), *_lake.glob("lines/_work/*")]:
        (tmp_path / "lake" / table.relative_to(_lake)).symlink_to(table)
    write_workload(tmp_path / "workloads" / "lines")
    declare(tmp_path, ALERTS)
    for name in ("workloads", "lake", "reports"):
        monkeypatch.setenv(f"TRENDMILL_{name.upper()}", str(tmp_path / name))
    monkeypatch.delenv("TRENDMILL_REPORTS_URL", raising=False)
    return tmp_path


@pytest.fixture
def ops(monkeypatch: pytest.MonkeyPatch) -> Iterator[Received]:
    """The server that the place `ops` is at."""
    with web_server() as received:
        monkeypatch.setenv("TEST_OPS", received.address)
        yield received


@pytest.fixture
def duty(monkeypatch: pytest.MonkeyPatch) -> Iterator[Received]:
    """The server that takes the mail for the place `duty`."""
    with mail_server() as received:
        monkeypatch.setenv("TEST_SMTP", received.address)
        yield received


def declare(home: Path, alerts: str) -> None:
    """Let the workload have these alerts and no others."""
    file = home / "workloads" / "lines" / "workload.yaml"
    file.write_text(file.read_text(encoding="utf-8").partition("alerts:")[0] + alerts, encoding="utf-8")


def forget_days_after(home: Path, last: str) -> None:
    """Let the lake end with a day, as far as its results go."""
    from datetime import date

    import pyarrow as pa
    from deltalake import DeltaTable, write_deltalake

    folder = home / "lake" / "lines" / "result_days"
    rows = DeltaTable(str(folder.resolve())).to_pyarrow_table()
    kept = [row for row in rows.to_pylist() if row["day"] <= date.fromisoformat(last)]
    folder.unlink()
    write_deltalake(str(folder), pa.Table.from_pylist(kept, rows.schema), partition_by=["day"])


def published(home: Path, day: str, *pages: str) -> None:
    """Let a day's report be there: empty pages, as nobody looks into them."""
    folder = home / "reports" / "lines" / day
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for page in ("index.html", *pages):
        (folder / page).write_text("")

"""Lakes that earlier versions left: this one tells their state, asks them, repairs a night and goes on with another.

`keep.py` makes the next one, whenever what stands in a lake changes. A file that fails here is a lake of somebody's.
"""

from __future__ import annotations

import csv
import shutil
from datetime import date
from pathlib import Path

import pytest

from jobs import cli
from tests.archives import unpack
from tests.runs.golden.keep import HERE, JOINED
from tests.runs.lake.lakes import CommandLine, SmallLake, Tables
from tests.runs.lake.small_workload import RESULTS, day

pytestmark = pytest.mark.spark

FRESH: dict[frozenset[tuple[Path, bytes]], Tables] = {}
"""The tables of fresh lakes, by the files of their workloads."""
LATE = "61,Start,{moment},m2,88\n"


@pytest.fixture(params=sorted(HERE.glob("*.tar.gz")), ids=lambda path: path.name.removesuffix(".tar.gz"))
def golden(
    request: pytest.FixtureRequest, copied: SmallLake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> SmallLake:
    """A lake of an earlier version, and the workload's folder as it was then, in the place of the copied one."""
    unpack(request.param, tmp_path / "golden")
    shutil.rmtree(copied.home)
    shutil.move(tmp_path / "golden" / "workloads" / "machines", copied.home)
    monkeypatch.setenv("TRENDMILL_LAKE", str(tmp_path / "golden" / "lake"))
    copied.forget()
    return SmallLake(tmp_path / "golden" / "lake", copied.spark, copied.home)


def loads_of(home: Path, days: list[date]) -> int:
    """The sum of the loads of all good rows in the files of some days."""
    files = [home / "data" / f"{on}.csv" for on in days]
    rows = (row for file in files for row in csv.DictReader(file.read_text().splitlines()))
    return sum(int(row["load"]) for row in rows if int(row["load"]) >= 0)


def fresh_tables(golden: SmallLake, folder: Path) -> Tables:
    """The tables of a fresh lake of all days. Kept workloads are often alike: such ones share it."""
    home = golden.home
    files = frozenset((file.relative_to(home), file.read_bytes()) for file in home.rglob("*") if file.is_file())
    if files not in FRESH:
        fresh = SmallLake(folder / "fresh", golden.spark, home)
        golden.forget()
        fresh.run(0, 3)
        FRESH[files] = fresh.tables(*JOINED)
    return FRESH[files]


def test_a_lake_of_an_earlier_version_is_told_asked_repaired_and_gone_on_with(
    golden: SmallLake,
    trendmill: CommandLine,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Every table of results has rows; in the end it holds what a fresh lake of this version holds."""
    kept = [day(0), day(1), day(2)]
    code, printed = trendmill("status")
    assert code == 0, printed
    assert "machines: 3 days, " in printed
    assert "loaded: 2013-01-01..2013-01-03" in printed
    assert "changed since" not in printed
    assert [name for name in (*RESULTS, *JOINED) if not golden.table(name).num_rows] == []
    monkeypatch.setattr("jobs.commands.sql.start_session", lambda *_: golden.spark)
    assert asked("SELECT sum(load) FROM machines.events", capsys) == str(loads_of(golden.home, kept))
    episodes = asked("SELECT sum(points) FROM machines.steady_episodes_over_days", capsys)
    assert episodes == str(golden.table("steady").num_rows)

    file = golden.home / "data" / f"{day(1)}.csv"
    file.write_text(file.read_text() + LATE.format(moment=(day(1) - date(1970, 1, 1)).days * 86_400 + 5_000))
    printed = trendmill("status")[1]
    assert "loaded from files that have changed since: 2013-01-02\n" in printed
    assert trendmill("run", "--stale")[0] == 0
    assert "stale" not in trendmill("status")[1]
    assert trendmill("run", "--from", str(day(3)))[0] == 0
    assert asked("SELECT sum(load) FROM machines.events", capsys) == str(loads_of(golden.home, [*kept, day(3)]))
    tables = golden.tables(*JOINED)
    assert tables == fresh_tables(golden, tmp_path)


def asked(statement: str, capsys: pytest.CaptureFixture[str]) -> str:
    """The only value that a statement gives."""
    code = cli.main(["sql", statement, "--csv"])
    printed = capsys.readouterr()
    assert code == 0, printed.err
    return printed.out.splitlines()[-1]

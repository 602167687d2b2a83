"""What can be wrong with a delivery or a folder: each ends in its message and exit code, and changes no table."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.runs.lake.lakes import CommandLine, SmallLake, Tables
from tests.runs.lake.small_workload import day, write_day

pytestmark = [pytest.mark.spark, pytest.mark.long]

Break = Callable[[Path, Path], None]
"""Spoils a workload; the second path is the file of day 2."""

DAYS = ("--from", day(1).isoformat(), "--to", day(2).isoformat())


def lose(_: Path, file: Path) -> None:
    file.unlink()


def point_nowhere(_: Path, file: Path) -> None:
    file.unlink()
    file.symlink_to(file.with_name("on a disk that is not mounted"))


def truncate(_: Path, file: Path) -> None:
    whole = gzip.compress(file.read_bytes(), mtime=0)
    file.unlink()
    file.with_name(f"{file.name}.gz").write_bytes(whole[: len(whole) // 2])


def corrupt(_: Path, file: Path) -> None:
    whole = bytearray(gzip.compress(file.read_bytes(), mtime=0))
    whole[-6] ^= 0xFF
    file.unlink()
    file.with_name(f"{file.name}.gz").write_bytes(whole)


def rename_a_column(_: Path, file: Path) -> None:
    file.write_text(file.read_text().replace("row,kind,moment,machine,load", "row,kind,moment,engine,load"))


def spoil_a_query(home: Path, _: Path) -> None:
    (home / "queries" / "climbs.cep").write_text("-- Which?\nPATTERN SEQ(Start a, Stopp c) WITHIN 5 minutes\n")


def spoil_the_declaration(home: Path, _: Path) -> None:
    text = (home / "workload.yaml").read_text()
    (home / "workload.yaml").write_text(text.replace("max_reach:", "max_raech:"))


def spoil_the_sql(home: Path, _: Path) -> None:
    text = (home / "events.sql").read_text()
    (home / "events.sql").write_text(text.replace("machine, load", "machine, weight AS load"))


FAILURES: dict[str, tuple[Break, int, tuple[str, ...]]] = {
    "missing file": (lose, 1, ("source missing: 'steps'", "2013-01-03.csv", "nothing was written")),
    "unreadable file": (point_nowhere, 1, ("cannot read", "2013-01-03.csv", "nothing was written")),
    "truncated gzip": (truncate, 1, ("2013-01-03.csv.gz at byte", "ends early", "nothing was written")),
    "corrupt gzip": (corrupt, 1, ("2013-01-03.csv.gz at byte", "incorrect data check", "nothing was written")),
    "wrong header": (rename_a_column, 2, ("2013-01-03.csv", "missing: ['machine']; not declared: ['engine']")),
    "wrong query": (spoil_a_query, 2, ("queries/climbs.cep:2:", "Stopp", "did you mean")),
    "wrong workload.yaml": (spoil_the_declaration, 2, ("unknown key 'max_raech'", "did you mean 'max_reach'")),
    "wrong events.sql": (spoil_the_sql, 2, ("events.sql:2:51: unknown column 'weight'", "has 1 problem")),
}


def test_each_failure_tells_itself_and_changes_nothing(
    copied: SmallLake, trendmill: CommandLine, undisturbed: Tables, tmp_path: Path
) -> None:
    """One after another on one lake: the message, the exit code, no report, every table as it was; then all is right
    again, and so is a run."""
    declared = {path: path.read_text() for path in copied.home.rglob("*") if path.is_file()}
    declared[copied.home / "workload.yaml"] = declared[copied.home / "workload.yaml"].replace("{day}.csv", "{day}.csv*")
    file = copied.home / "data" / f"{day(2)}.csv"
    for name, (spoil, code, words) in FAILURES.items():
        restore(copied.home, declared)
        spoil(copied.home, file)
        ended, printed = trendmill("run", *DAYS)
        assert ended == code, (name, printed)
        assert [word for word in words if word not in printed.partition("trendmill: ")[2]] == [], (name, printed)
        assert copied.tables() == undisturbed, name
        assert not (tmp_path / "reports").exists(), name
    restore(copied.home, declared)
    ended, printed = trendmill("run", *DAYS)
    assert ended == 0, printed
    assert copied.tables() == undisturbed
    assert (tmp_path / "reports" / "machines" / str(day(2)) / "index.html").is_file()


def restore(home: Path, declared: dict[Path, str]) -> None:
    for path in (home / "data").iterdir():
        path.unlink()
    for path, text in declared.items():
        path.write_text(text)


def test_refused_days_keep_what_is_published(copied: SmallLake, trendmill: CommandLine, tmp_path: Path) -> None:
    """Exit code 3 with the gate's reason, whether all days of a run are refused or some; events, results and reports
    of refused days stay, a row of bytes that are not UTF-8 is told in quarantine, and the repaired day is whole."""
    assert trendmill("run", *DAYS, "--stage", "publish")[0] == 0
    reports = {path: path.read_bytes() for path in (tmp_path / "reports").rglob("*.html")}
    before = copied.tables()
    for number in (1, 2):
        write_day(copied.home, number, broken=True)
    ended, printed = trendmill("run", *DAYS)
    assert ended == 3, printed
    last = printed.splitlines()[-1]
    assert last.startswith("trendmill: quality gate failed on 2 day(s), which keep their former tables: 2013-01-02: ")
    assert "load_plausible" in last
    results = ("events", "chains", "climbs", "stream_statistics")
    after = copied.tables()
    assert {name: after[name] for name in results} == {name: before[name] for name in results}
    assert {path: path.read_bytes() for path in (tmp_path / "reports").rglob("*.html")} == reports

    write_day(copied.home, 2)
    file = copied.home / "data" / f"{day(2)}.csv"
    file.write_bytes(file.read_bytes() + b"61,Start,1357171300,\xff\xe9,1\n")
    ended, printed = trendmill("run", *DAYS)
    assert ended == 3, printed
    assert "failed on 1 day(s)" in printed.splitlines()[-1]
    assert copied.tables()["events"] == before["events"]
    [odd] = [row for row in copied.rows("quarantine") if row["rule"] == "utf8"]
    assert odd["raw"] == "61,Start,1357171300,\\xff\\xe9,1"

    for number in (1, 2):
        write_day(copied.home, number)
    ended, printed = trendmill("run", *DAYS)
    assert ended == 0, printed
    assert copied.tables() == before

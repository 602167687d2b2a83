"""What `trendmill diff` compares with, and which rows it calls added, gone and changed."""

from __future__ import annotations

import subprocess
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobs.cli import main
from jobs.exits import WrongWorkload
from jobs.questions.changes.comparing import whole_until
from jobs.questions.changes.former_text import former_text
from jobs.questions.changes.row_changes import RowKeys
from jobs.workload.compiled import compile_workload
from jobs.workload.declaration import load_workload
from tests.questions.lines import lines

ROWS = st.dictionaries(st.tuples(st.integers(0, 3), st.integers(0, 9)), st.integers(0, 1), max_size=12)


@given(ROWS, ROWS)
def test_rows_are_told_apart_by_their_keys(
    before: dict[tuple[int, int], int], after: dict[tuple[int, int], int]
) -> None:
    """Each row is in one of the kinds, or is the same."""
    keys = RowKeys(("group", "ts"), (), (), ("n",))
    changes = keys.changes(*([{"group": g, "ts": t, "n": n} for (g, t), n in rows.items()] for rows in (before, after)))
    assert {(row["group"], row["ts"]) for row in changes.added} == after.keys() - before.keys()
    assert {(row["group"], row["ts"]) for row in changes.gone} == before.keys() - after.keys()
    different = {key for key in before.keys() & after.keys() if before[key] != after[key]}
    assert {(row["group"], row["ts"]) for row, _ in changes.changed} == different
    assert all(keys.different(*pair) == ["n"] for pair in changes.changed)


@given(ROWS, ROWS, st.integers(1, 6))
def test_cut_listings_are_compared_where_both_are_whole(
    before: dict[tuple[int, int], int], after: dict[tuple[int, int], int], most: int
) -> None:
    """What is told of the first rows of both is what all rows say up to that moment, whatever was cut off."""
    keys = RowKeys(("group", "ts"), (), (), ("n",), "ts")
    whole = [
        [{"group": g, "ts": t, "n": n} for (g, t), n in sorted(rows.items(), key=lambda row: row[0][::-1])]
        for rows in (before, after)
    ]
    listed = [rows[:most] for rows in whole]
    until = whole_until("ts", [len(rows) for rows in whole], listed)
    assert (until is None) == all(len(rows) <= most for rows in whole)
    if until is not None:
        listed, whole = ([[row for row in rows if row["ts"] < until] for rows in some] for some in (listed, whole))
    assert keys.changes(*listed) == keys.changes(*whole)


@pytest.fixture
def committed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workload in a git repository, with an edit that is not committed."""
    home = lines(tmp_path)
    monkeypatch.setenv("TRENDMILL_LAKE", str(tmp_path / "lake"))
    author = ("-c", "user.name=tests", "-c", "user.email=tests@localhost")
    for command in (("init", "-q"), ("add", "-A"), (*author, "commit", "-q", "-m", "first")):
        subprocess.run(["git", "-C", str(tmp_path), *command], check=True)
    query = home / "queries" / "snowball.cep"
    query.write_text(query.read_text().replace("6 hours", "7 hours"))
    return home


def test_the_former_text(committed: Path, tmp_path: Path) -> None:
    """HEAD by default, a revision, or a file of the same language; nothing if it is the same and there is no lake."""
    workload = load_workload(committed)
    compiled = compile_workload(workload)
    lake, days = tmp_path / "lake", [date(2013, 3, 8)]
    for against in (None, "HEAD", "HEAD~0"):
        former = former_text(workload, compiled["snowball"], against, days, lake)
        assert former is not None
        assert "WITHIN 6 hours" in former.text
        assert former.called == (against or "HEAD")
    file = tmp_path / "other.cep"
    file.write_text("-- Any?\nPATTERN Depart a WITHIN 1 hour\n")
    former = former_text(workload, compiled["snowball"], str(file), days, lake)
    assert former is not None
    assert former.text == file.read_text()
    assert former_text(workload, compiled["late_chains"], None, days, lake) is None
    for against, said in (
        ("nothing", "no such file, and git says: invalid object name 'nothing'"),
        ("--output=x", "a revision does not begin with '-'"),
        (str(committed / "policies" / "punctual.mtl"), "snowball is a .cep file"),
    ):
        with pytest.raises(WrongWorkload, match=said):
            former_text(workload, compiled["snowball"], against, days, lake)


def test_a_diff_needs_days_of_the_lake(committed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """And a query that there is."""
    for arguments, said in (
        (["snowball", "--from", "2013-03-08"], "the lake holds none of 2013-03-08..2013-03-08"),
        (["snow", "--from", "2013-03-08"], "has no query 'snow'; did you mean 'snowball'?"),
        (["snowball", "--from", "2013-03-08", "--to", "2013-03-07"], "--to 2013-03-07 lies before --from 2013-03-08"),
    ):
        assert main(["diff", str(committed), *arguments]) == 2
        assert said in capsys.readouterr().err

"""`trendmill diff` and `trendmill test --record` on a small lake, for every kind of question, without Spark."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from jobs.cli import main
from jobs.questions.changes.comparing import Comparison
from jobs.questions.changes.former_text import FormerText
from jobs.questions.changes.single_edits import single_edits
from jobs.questions.changes.single_effects import single_effects
from jobs.questions.lake_days import LakeDays
from jobs.runs.recorded_days import Recorded
from jobs.workload.compiled import compile_workload
from jobs.workload.declaration import load_workload
from tests.questions.lines import lines
from tests.questions.small_lake import DAYS, FIRST, write_lake

EDITS = {
    "snowball": ("c.delay_min >= 10", "c.delay_min >= 15", "  2013-03-05  line A, ", "now: fails  c.delay_min >= 15: "),
    "snowball, in less time": ("6 hours", "40 minutes", "  2013-03-06  line ", "now: fails  within 40 minutes: "),
    "late_chains": ("D.delay_min >= 5", "D.delay_min >= 12", "  2013-03-05  line A, window_start", "count: "),
    "no_arrival": ("EVENTUALLY[0,1h]", "EVENTUALLY[0,10m]", "  2013-03-05  ts 2013-03-05 ", "before: not violated, as"),
    "punctual": ("EVENTUALLY[0,1h]", "EVENTUALLY[0,10m]", "  2013-03-05  ts 2013-03-05 ", "before: not violated, as"),
}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The workload's folder; its lake has three days."""
    folder = lines(tmp_path)
    monkeypatch.setenv("TRENDMILL_LAKE", str(tmp_path / "lake"))
    write_lake(tmp_path / "lake", folder)
    return folder


@pytest.mark.parametrize("name", EDITS)
def test_an_edit_of_every_kind(home: Path, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The edited lines, a table that adds up, examples with reasons; the other way round it is the same, mirrored."""
    before, after, row, reason = EDITS[name]
    name = name.partition(",")[0]
    [path] = home.glob(f"*/{name}.*")
    former = home.parent / f"former{path.suffix}"
    former.write_text(path.read_text())
    assert before in path.read_text()
    path.write_text(path.read_text().replace(before, after))
    days = ("--from", str(FIRST), "--to", str(DAYS[-1]))
    assert main(["diff", str(home), name, *days, "--against", str(former), "--limit", "6"]) == 0
    said = capsys.readouterr().out.splitlines()
    assert said[0] == f"{name}: now, against {former}"
    assert any(line.startswith("  + ") and after in line for line in said)
    assert any(line.startswith(row) for line in said), said
    assert any(line.strip().startswith(reason) for line in said), said
    assert not any("not explained" in line for line in said), said
    table = {
        line.split()[0]: [int(cell.replace(",", "")) for cell in line.split()[1:]] for line in said if counts(line)
    }
    assert [*table] == [*map(str, DAYS), "all"]
    assert table["all"] == [sum(row) for row in zip(*(table[str(day)] for day in DAYS), strict=True)]
    assert all(old + added - gone == new for old, new, added, gone, _ in table.values())
    path_text = path.read_text()
    path.write_text(former.read_text())
    former.write_text(path_text)
    assert main(["diff", str(home), name, *days, "--against", str(former), "--limit", "0"]) == 0
    said = capsys.readouterr().out.splitlines()
    mirrored = {line.split()[0]: [int(cell) for cell in line.split()[1:]] for line in said if counts(line)}
    assert mirrored == {day: [new, old, gone, added, many] for day, (old, new, added, gone, many) in table.items()}
    assert not any(line.startswith(row) for line in said)


def test_each_edit_alone(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Of an aggregation that differs in three ways: each line counts what `diff` finds for the text with that edit."""
    workload = load_workload(home)
    query = compile_workload(workload)["late_chains"]
    edited = text = query.bound.text.replace("12 hours", "3 hours")
    for old, new in (
        ("A.delay_min >= 5 AND", "A.delay_min > 7 AND A.station != 's1' AND"),
        ("3 hours", "2 hours"),
    ):
        assert old in edited
        edited = edited.replace(old, new)
    path = home / "queries" / "late_chains.cep"
    lake = LakeDays(workload, home.parent / "lake")
    edits = single_edits(text, edited)
    said = ["A.delay_min >= 5 -> A.delay_min > 7", "with A.station != 's1'"]
    assert [edit.said for edit in edits[:2]] == said
    assert "WITHIN 2 hours" in edits[2].said
    lines_of = []
    for now in (edited, *(edit.text for edit in edits)):
        path.write_text(f"-- Edited?\n{now}")
        own = compile_workload(load_workload(home))["late_chains"]
        days = [*Comparison(lake, own, FormerText(text, "before", "before.cep")).of_days(DAYS)]
        effects = single_effects(days)
        assert effects is not None
        assert effects.days == [*DAYS]
        lines_of.append(effects.table()[1])
        changed = [sum(len(getattr(each.changes, kind)) for each in days) for kind in ("added", "gone", "changed")]
        assert lines_of[-1][-1][3:] == [f"{number:,}" for number in changed]
    whole, *alone = lines_of
    assert [row[0] for row in whole] == [
        "before",
        *(f"edit {n} alone: {e.said}" for n, e in enumerate(edits, 1)),
        "now",
    ]
    assert [row[1:] for row in whole[1:-1]] == [rows[-1][1:] for rows in alone]
    assert all(len(rows) == 2 for rows in alone)
    trends = [int(str(row[2]).replace(",", "")) for row in whole]
    assert trends[0] > max(trends[1:]) >= min(trends) == trends[-1]
    path.write_text(f"-- Edited?\n{edited}")
    (home.parent / "former.cep").write_text(text)
    former = str(home.parent / "former.cep")
    assert main(["diff", str(home), "late_chains", "--from", str(DAYS[1]), "--against", former, "--limit", "9"]) == 0
    printed = [line.strip() for line in capsys.readouterr().out.splitlines()]
    assert any(
        re.fullmatch(r"count: [\d,]+ -> [\d,]+ \(edit 1 alone: .*, edit 2 alone: .*, edit 3 .*\)", line)
        for line in printed
    )
    assert any(re.fullmatch(r"[\d,]+ gone trends?, such as rows .*", line) for line in printed)
    assert any(line.startswith("now: fails  A.station != 's1': ") for line in printed)
    assert any(line.startswith("now: begins before the window, which opens at ") for line in printed)
    assert any(re.fullmatch(r"by edit \d( or \d)* alone, too", line) for line in printed)


def test_results_that_were_found_on_other_events(home: Path) -> None:
    """Days whose digest is another now; what retention removed is not another."""
    lake = LakeDays(load_workload(home), home.parent / "lake")
    ledger, (first, second, third) = lake.ledger, DAYS
    now = {day: ledger.version(day) for day in DAYS}
    recorded = {
        ("late_chains", second): Recorded("d", {first: "before", second: now[second]}),
        ("late_chains", third): Recorded("d", {second: now[second], third: now[third]}),
    }
    lake.__dict__["ledger"] = replace(ledger, results=recorded)
    assert lake.changed_since("late_chains", DAYS) == [second]
    assert lake.changed_since("snowball", DAYS) == []


def counts(line: str) -> bool:
    """Whether a line is one of the table's."""
    return len(line.split()) == 6 and line.split()[0] in (*map(str, DAYS), "all")


def test_days_together_are_as_days_alone(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And a listing that is cut is compared as far as it goes: no row is called gone that was only cut off."""
    workload = load_workload(home)
    query = compile_workload(workload)["snowball"]
    former = FormerText(query.bound.text.replace("c.delay_min >= 10", "c.delay_min >= 3"), "before", "before.cep")
    lake = LakeDays(workload, home.parent / "lake")
    together = [each.changes for each in Comparison(lake, query, former).of_days(DAYS)]
    assert any(changes.gone for changes in together)
    monkeypatch.setattr("jobs.questions.changes.comparing.TOGETHER", 1)
    assert [each.changes for each in Comparison(lake, query, former).of_days(DAYS)] == together
    monkeypatch.setattr("jobs.questions.changes.comparing.LISTED", 2)
    (home / "workload.yaml").write_text(
        (home / "workload.yaml").read_text() + "queries:\n  snowball: {max_matches: 2}\n"
    )
    few = LakeDays(load_workload(home), home.parent / "lake")
    for each, whole in zip(Comparison(few, query, former).of_days(DAYS), together, strict=True):
        assert each.until is not None
        assert each.changes.gone == tuple(row for row in whole.gone if row["last_ts"] < each.until)
        assert not each.changes.added


@pytest.mark.parametrize("name", EDITS)
def test_recorded_cases_pass(home: Path, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Of each kind, with few of the events."""
    name = name.partition(",")[0]
    assert main(["test", str(home), "--record", name, "--day", str(DAYS[1])]) == 0
    said = capsys.readouterr().out
    assert said.endswith("; it passes\n")
    assert len(said.splitlines()) < 25
    assert main(["test", str(home), name]) == 0


def test_rows_of_a_longer_reach_are_explained(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What the present text no longer looks back to is read for the reason."""
    condition = "WHERE skip_till_any_match { [line] AND a.delay_min >= 21 AND c.delay_min >= 21 }"
    text = f"-- Far apart?\nPATTERN SEQ(Depart a, Arrive c)\n{condition}\nWITHIN 2 hours\n"
    (home / "queries" / "far.cep").write_text(text)
    former = home.parent / "former.cep"
    former.write_text(text.replace("2 hours", "40 hours"))
    assert main(["diff", str(home), "far", "--from", str(DAYS[2]), "--against", str(former), "--limit", "99"]) == 0
    said = capsys.readouterr().out.splitlines()
    gone = [line for line in said if line.startswith("  2013-03-07  line ")]
    assert any(f" {DAYS[0]} " in line for line in gone), said
    assert [line for line in said if "not explained" in line] == []

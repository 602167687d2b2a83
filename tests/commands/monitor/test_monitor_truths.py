"""`trendmill monitor` of `.mtl` policies: text logs, tables, modes, forms, ends."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from jobs.cli import main
from tests.commands.logs import write
from tests.commands.monitor.pausing import paused_writer

SOON = "a UNTIL[0,1] b\n"
EXAMPLE = "@1 a\n@2 a\n@2 a\n@3 b\n@4 a b\n"
TABLE = """time,kind,plane,delay
2024-01-02 10:00:00,Departure,N1,70
2024-01-02 10:00:05,Arrival,N1,0
2024-01-02 10:00:07,Departure,N2,80
2024-01-02 10:00:30,Departure,N2,10
"""


@pytest.fixture
def text_log(tmp_path: Path) -> list[str]:
    return [str(write(tmp_path / "soon.mtl", SOON)), str(write(tmp_path / "example.log", EXAMPLE))]


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[str]:
    assert main(["monitor", *arguments]) == 0
    return capsys.readouterr().out.splitlines()


def test_a_person_sees_violations_and_counts(text_log: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    lines = printed(capsys, *text_log)
    assert lines[0] == "1"
    assert lines[1].startswith("5 points, 4 decided, 1 violation, 1 equivalence, 0 open; ")


def test_as_aerial_and_hydra_print(text_log: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert printed(capsys, *text_log, "--as", "aerial") == [
        "1:0 false",
        "2:1 = 2:0",
        "2:0 true",
        "3:0 true",
        "4:0 true",
    ]
    in_order = ["1:0 false", "2:0 true", "2:1 true", "3:0 true", "4:0 true"]
    assert printed(capsys, *text_log, "--as", "hydra") == in_order
    assert printed(capsys, *text_log, "--as", "aerial", "--mode", "naive") == in_order
    assert printed(capsys, *text_log, "--as", "aerial", "--limit", "2") == ["1:0 false", "2:1 = 2:0"]


def test_for_programs(text_log: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    rows = printed(capsys, *text_log, "--json")
    assert json.loads(rows[1]) == {"ts": 2, "offset": 1, "verdict": None, "equal_ts": 2, "equal_offset": 0}
    assert printed(capsys, *text_log, "--csv", "--resolved")[:2] == ["tp,ts,offset,verdict", "0,1,0,False"]


def test_a_table_with_atoms_and_sub_logs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    policy = write(tmp_path / "land.mtl", "late IMPLIES EVENTUALLY[0,10s] Arrival\n")
    log = write(tmp_path / "flights.csv", TABLE)
    late = ["--atom", "late: Departure delay >= 60"]
    lines = printed(capsys, str(policy), str(log), *late, "--for-each", "plane")
    assert lines[0] == "2024-01-02 10:00:07  plane = N2"
    assert lines[1].startswith("4 points, 4 decided, 1 violation, no equivalences, 0 open; ")
    explained = printed(capsys, str(policy), str(log), *late, "--for-each", "plane", "--explain")
    assert "  late: Departure WHERE delay >= 60" in explained
    assert "  variables plane" in explained
    assert "  variables plane" in printed(capsys, str(policy), "--for-each", "plane", "--explain")
    assert main(["monitor", str(policy), str(log), "--atom", "late Departure"]) == 2
    assert "--atom takes 'name: EventType condition'" in capsys.readouterr().err
    assert main(["monitor", str(policy), str(log), "--atom", "late: Departure dely >= 60"]) == 2
    assert "dely" in capsys.readouterr().err


def test_lines_that_are_no_points(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    policy, log = write(tmp_path / "p.mtl", "a\n"), write(tmp_path / "bad.log", "@1 a\n@5\n@3 a\n@x\n@6 a\n")
    assert main(["monitor", str(policy), str(log)]) == 2
    assert "bad.log:3: a stamp before 5, the one before it: time steps back" in capsys.readouterr().err
    assert main(["monitor", str(policy), str(log), "--skip-bad", "--fail"]) == 4
    printed = capsys.readouterr()
    assert "2 lines left out: no points" in printed.err
    assert printed.out.splitlines()[1].startswith("3 points, 3 decided, 1 violation, ")


def test_standard_input(
    text_log: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(EXAMPLE.encode())))
    assert printed(capsys, text_log[0], "-", "--as", "aerial")[:2] == ["1:0 false", "2:1 = 2:0"]


@pytest.mark.parametrize(
    ("form", "lines"),
    [
        ([], ["1", "5"]),
        (["--as", "aerial"], ["2:1 = 2:0", "5:0 false"]),
        (["--as", "hydra"], ["2:1 true", "5:0 false"]),
        (["--resolved", "--csv"], ["2,2,1,True", "5,5,0,False"]),
    ],
)
def test_each_verdict_of_standard_input_is_flushed_when_it_is_decided(
    text_log: list[str], form: list[str], lines: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The writer pauses until the verdict on what it has written can be read."""
    said = [(b"@1 a\n@2 a\n@2 a\n@3 b\n", lines[0]), (b"@4 a b\n@5 c\n", lines[1])]
    with paused_writer(said, monkeypatch) as out:
        assert main(["monitor", text_log[0], "-", *form]) == 0
    assert out.answered == [True, True]


def test_an_until_without_upper_bound_goes_global_and_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    policy, log = write(tmp_path / "p.mtl", "a UNTIL b\n"), write(tmp_path / "a.log", "@1 a\n@2 a\n@3 a\n")
    assert main(["monitor", str(policy), str(log), "--as", "aerial"]) == 0
    printed = capsys.readouterr()
    assert printed.out == "2:0 = 1:0\n"
    assert "mode global: an UNTIL without upper bound may stay open for ever" in printed.err


def test_explains_what_a_point_costs(text_log: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    text = "\n".join(printed(capsys, text_log[0], "--explain"))
    assert "no temporal operator contains a future one: a point costs O(size of the formula), amortised" in text
    assert "interval-skewed subformulas: 4" in text
    facts = json.loads("\n".join(printed(capsys, text_log[0], "--explain", "--json")))
    assert facts["streaming"]["future_reach"] == 1


def test_the_unit_of_a_text_is_that_of_intervals(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    policy = str(write(tmp_path / "p.mtl", "a IMPLIES EVENTUALLY[0,1s] b\n"))
    log = str(write(tmp_path / "a.log", "@1000 a\n@1900 b\n@9000 a\n@10500 b\n@20000\n"))
    assert printed(capsys, policy, log, "--unit", "ms")[0] == "9000"
    assert printed(capsys, policy, log)[:2] == ["1000", "9000"]
    assert "future reach: 1,000" in "\n".join(printed(capsys, policy, "--explain", "--unit", "ms"))


def test_options_that_would_do_nothing_are_refused(
    text_log: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = [str(write(tmp_path / "p.mtl", "Arrival\n")), str(write(tmp_path / "flights.csv", TABLE))]
    for arguments, reason in (
        ([*text_log, "--points", "by_event"], "--points is for tables"),
        ([*text_log, "--atom", "a: Departure delay >= 60"], "the atoms of a text log are its names"),
        ([*text_log, "--for-each", "plane"], "sub-logs (for each) need a table"),
        ([*text_log, text_log[-1]], "is a text, which is a log by itself"),
        ([*text_log, "--skip-bad", "7"], "--skip-bad 7: a number of rows is for tables"),
        ([*table, "--as", "aerial", "--csv"], "leave out --csv"),
        ([*table, "--as", "hydra", "--for-each", "plane"], "--as hydra has no place for sub-logs"),
        ([*table, "--atom", "Arrival: Departure delay >= 60"], "'Arrival' is an event type"),
        ([*table, *["--atom", "a: Departure delay >= 60"] * 2], "two conditions for 'a'"),
        ([table[0], "--explain", "--atom", "a: Departure delay >= 60"], "name the log, too"),
    ):
        assert main(["monitor", *arguments]) == 2, arguments
        assert reason in capsys.readouterr().err, arguments


def test_options_of_the_other_language_are_refused(
    text_log: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for wrong in (["--negate"], ["--as", "monpoly"], ["--format", "rv"], ["--sig", text_log[1]]):
        assert main(["monitor", *text_log, *wrong]) == 2
    policy = write(tmp_path / "p.mfotl", "P(x)\n")
    for wrong in (["--mode", "local"], ["--resolved"], ["--skip-bad"], ["--as", "aerial"]):
        assert main(["monitor", str(policy), text_log[1], *wrong]) == 2
    capsys.readouterr()


EPISODE = "@1 used\n@2 deleted\n@3 used\n@4\n@5 used\n@5 used\n@40\n"


def test_why_tells_an_episode_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    policy = write(tmp_path / "p.mtl", "used IMPLIES NOT ONCE[0,9] deleted\n")
    log = write(tmp_path / "use.log", EPISODE)
    lines = printed(capsys, str(policy), str(log), "--why")
    assert lines[:-1] == [
        "3",
        "    used IMPLIES NOT (ONCE[0,9] deleted) does not hold at 3",
        "      used at 3",
        "      ONCE[0,9] deleted holds at 3",
        "        deleted at 2",
        "    the same for 3 points, first at 3, last at 5",
        "5",
        "    as at 3",
        "5, offset 1",
        "    as at 3",
    ]
    assert lines[-1].startswith("7 points, 7 decided, 3 violations, ")
    rows = [json.loads(line) for line in printed(capsys, str(policy), str(log), "--why", "--json")]
    assert [row["why"]["same_for"] if "why" in row else None for row in rows] == [None, None, 3, None, 3, 3, None]


def test_why_and_why_not_of_one_point(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    policy = write(tmp_path / "p.mtl", "used IMPLIES NOT ONCE[0,9] deleted\n")
    log = write(tmp_path / "use.log", EPISODE)
    assert printed(capsys, str(policy), str(log), "--why", "@5+1")[-1] == "the same for 3 points, first at 3, last at 5"
    holds = printed(capsys, str(policy), str(log), "--why-not", "@1")
    assert holds == [
        "used IMPLIES NOT (ONCE[0,9] deleted) holds at 1",
        "  ONCE[0,9] deleted does not hold at 1",
        "    no deleted at 1",
    ]
    assert main(["monitor", str(policy), str(log), "--why-not", "@3", "--fail"]) == 4
    assert "this is a violation" in capsys.readouterr().err
    assert main(["monitor", str(policy), str(log), "--why", "@6"]) == 2
    assert "--why: the log has 0 points at 6, none of offset 0" in capsys.readouterr().err
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(EPISODE.encode())))
    assert printed(capsys, str(policy), "-", "--why")[1].endswith("does not hold at 3")


def test_why_of_a_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    policy = write(tmp_path / "land.mtl", "late IMPLIES EVENTUALLY[0,10s] Arrival\n")
    log = write(tmp_path / "flights.csv", TABLE)
    asked = [str(policy), str(log), "--atom", "late: Departure delay >= 60", "--for-each", "plane"]
    lines = printed(capsys, *asked, "--why")
    assert lines[2] == "      late (seq 3) at 2024-01-02 10:00:07"
    assert printed(capsys, *asked, "--why", "plane=N2 @2024-01-02 10:00:07")[1] == lines[2][4:]
    assert printed(capsys, *asked, "--why-not", "plane=N1 @2024-01-02 10:00:00")[-1].startswith(
        "    Arrival (seq 2) at"
    )

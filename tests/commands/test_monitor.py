"""`trendmill monitor`: what it reads, what it prints, how it ends."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from jobs.cli import main
from tests.commands.logs import write

POLICY = "-- Who left without being cleared within 10?\nleft(x, r) AND NOT ONCE[0,10] cleared(x)\n"
SIGNATURE = "left(plane: string, route: string) cleared(plane: string)"
LOG = '@1 cleared(N1) @5 left(N1,"LGA-ATL") left(N2,"JFK-BOS") @20 left(N1,"ATL-LGA")\n'
NAMED = "left(plane=x) AND NOT ONCE[0,10] cleared(plane=x)\n"
TABLE = """time,kind,plane
2024-01-02 10:00:00,cleared,N1
2024-01-02 10:00:05,left,N1
2024-01-02 10:00:05,left,N2
"""


@pytest.fixture
def text_log(tmp_path: Path) -> list[str]:
    policy, log = write(tmp_path / "p.mfotl", POLICY), write(tmp_path / "flights.log", LOG)
    return [str(policy), str(log), "--sig", str(write(tmp_path / "flights.sig", SIGNATURE))]


def test_violations_of_a_text_log(text_log: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["monitor", *text_log]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[:2] == ["5  point 1  x = N2, r = JFK-BOS", "20  point 2  x = N1, r = ATL-LGA"]
    assert lines[2].startswith("2 violations; ")


def test_as_monpoly_prints(text_log: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["monitor", *text_log, "--as", "monpoly"]) == 0
    assert capsys.readouterr().out == '@5 (time point 1): ("N2","JFK-BOS")\n@20 (time point 2): ("N1","ATL-LGA")\n'


def test_for_programs_and_with_a_limit(text_log: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["monitor", *text_log, "--json", "--limit", "1"]) == 0
    assert json.loads(capsys.readouterr().out) == {"ts": 5, "tp": 1, "x": "N2", "r": "JFK-BOS"}


def test_a_table_with_its_columns(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    policy, log = write(tmp_path / "p.mfotl", NAMED), write(tmp_path / "flights.csv", TABLE)
    assert main(["monitor", str(policy), str(log)]) == 0
    assert capsys.readouterr().out.splitlines()[0] == "2024-01-02 10:00:05  point 1  x = N2"


def test_exit_codes(text_log: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """4 for a violation on request, 2 for a wrong policy, 1 for a log that breaks its signature."""
    assert main(["monitor", *text_log, "--fail"]) == 4
    nothing = str(write(tmp_path / "never.mfotl", "left(x, r) AND cleared(x)\n"))
    assert main(["monitor", nothing, *text_log[1:], "--fail"]) == 0
    assert "no violation" in capsys.readouterr().out
    assert main(["monitor", str(write(tmp_path / "w.mfotl", "NOT left(x, r)\n")), *text_log[1:]]) == 2
    assert "w.mfotl:1:1: NOT left(x, r) is unsafe" in capsys.readouterr().err
    write(tmp_path / "flights.log", "@1 left(N1)\n")
    assert main(["monitor", *text_log]) == 1
    assert "flights.log" in capsys.readouterr().err
    assert main(["monitor", text_log[0]]) == 2


def test_explains_without_a_log(text_log: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["monitor", text_log[0], "--explain"]) == 0
    assert "cleared" in capsys.readouterr().out

"""`trendmill monitor --why`, `--why-not`: the causes of verdicts."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from jobs.cli import main
from tests.commands.logs import write
from tests.commands.monitor.policy_log import LOG, NAMED, TABLE


def test_why_a_verdict_is_as_it_is(text_log: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Of a text log and of a table; what is wrong with the question is told."""
    assert main(["monitor", *text_log, "--why", "x=N2, r=JFK-BOS @5"]) == 0
    printed = capsys.readouterr().out
    assert "holds for" in printed
    assert "no cleared(" in printed
    assert main(["monitor", *text_log, "--why", "x=N1, r=LGA-ATL @5"]) == 0
    assert "does not hold" in capsys.readouterr().out
    policy, log = write(tmp_path / "n.mfotl", NAMED), write(tmp_path / "flights.csv", TABLE)
    assert main(["monitor", str(policy), str(log), "--why", "x=N2 @1704189605"]) == 0
    assert "left(plane=" in capsys.readouterr().out
    for question in ("x=N1", "x=N1 @4", "x=7, r=LGA-ATL @5"):
        assert main(["monitor", *text_log, "--why", question]) == 2, question
    assert "x is of type string" in capsys.readouterr().err


def test_why_alone_tells_the_causes_of_each_listed_verdict(
    text_log: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["monitor", *text_log, "--why", "--limit", "1"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[:5] == [
        "5  point 1  x = N2, r = JFK-BOS",
        '    left(x, r) AND NOT (ONCE[0,10] cleared(x)) holds for x = "N2", r = "JFK-BOS" at 5',
        '      left("N2", "JFK-BOS") at 5',
        "      ONCE[0,10] cleared(x) does not hold at 5",
        '        no cleared("N2") at 2 points, first at 1, last at 5',
    ]
    assert lines[5].startswith("2 violations, 1 shown (--limit, --csv); ")
    assert main(["monitor", *text_log, "--why", "--json"]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(row["tp"], row["why"]["holds"], row["why"]["ts"]) for row in rows] == [(1, True, 5), (2, True, 20)]


def test_causes_in_sub_logs_are_told_in_the_times_of_the_table(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A verdict may be asked with its date, as the listing shows it."""
    log = [str(write(tmp_path / "p.mfotl", NAMED)), str(write(tmp_path / "flights.csv", TABLE))]
    assert main(["monitor", *log, "--for-each", "plane", "--why"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "2024-01-02 10:00:05  point 0  plane = N2, x = N2"
    assert lines[-2].endswith('no cleared(plane="N2") at 2024-01-02 10:00:05')
    question = "plane=N2, x=N2 @2024-01-02 10:00:05"
    assert main(["monitor", *log, "--for-each", "plane", "--why", question, "--zone", "UTC"]) == 0
    assert 'x = "N2"' in capsys.readouterr().out.splitlines()[0]


def test_why_not(text_log: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """Of what is none after all, and of a violation, which is said."""
    assert main(["monitor", *text_log, "--why-not", "x=N1, r=LGA-ATL @5"]) == 0
    out, err = capsys.readouterr()
    assert "does not hold" in out
    assert 'cleared("N1") at 1' in out
    assert err == ""
    assert main(["monitor", *text_log, "--why-not", "x=N2, r=JFK-BOS @5", "--fail"]) == 4
    assert "this is a violation" in capsys.readouterr().err
    assert main(["monitor", *text_log, "--why", "x=N1, r=LGA-ATL @5", "--json"]) == 0
    out, err = capsys.readouterr()
    assert not json.loads(out)["holds"]
    assert "this is no violation" in err


def test_standard_input_with_causes_is_read_to_its_end(
    text_log: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(LOG.encode())))
    assert main(["monitor", text_log[0], "-", *text_log[2:], "--why"]) == 0
    assert 'no cleared("N1") at 20' in capsys.readouterr().out

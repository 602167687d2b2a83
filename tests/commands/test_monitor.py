"""`trendmill monitor`: what it reads, what it prints, how it ends."""

from __future__ import annotations

import io
import json
import os
import queue
import sys
import threading
from pathlib import Path
from types import SimpleNamespace

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


class Flushed(io.StringIO):
    """A standard output that shows what has been flushed so far."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: queue.Queue[str] = queue.Queue()

    def flush(self) -> None:
        self.seen.put(self.getvalue())


@pytest.mark.parametrize(
    ("form", "lines"),
    [
        ([], ["5  point 1  x = N2, r = JFK-BOS", "20  point 2  x = N1, r = ATL-LGA"]),
        (["--as", "monpoly"], ['@5 (time point 1): ("N2","JFK-BOS")', '@20 (time point 2): ("N1","ATL-LGA")']),
        (["--csv"], ["5,1,N2,JFK-BOS", "20,2,N1,ATL-LGA"]),
        (
            ["--json"],
            ['{"ts": 5, "tp": 1, "x": "N2", "r": "JFK-BOS"}', '{"ts": 20, "tp": 2, "x": "N1", "r": "ATL-LGA"}'],
        ),
    ],
)
def test_each_verdict_of_standard_input_is_flushed_when_it_is_decided(
    text_log: list[str], form: list[str], lines: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The writer pauses until the verdict on what it has written can be read."""
    reading, writing = os.pipe()
    out = Flushed()
    paused: list[bool] = []

    def wait_for(line: str) -> None:
        seen = ""
        while line not in seen:
            try:
                seen = out.seen.get(timeout=120)  # kernels may have to be compiled
            except queue.Empty:
                break
        paused.append(line in seen)

    def write_slowly() -> None:
        with open(writing, "wb", buffering=0) as sink:
            sink.write(LOG.partition("@20")[0].encode() + b";")
            wait_for(lines[0])
            sink.write(b' @20 left(N1,"ATL-LGA");')
            wait_for(lines[1])

    with open(reading, "rb") as source:
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=source))
        monkeypatch.setattr(sys, "stdout", out)
        writer = threading.Thread(target=write_slowly)
        writer.start()
        assert main(["monitor", text_log[0], "-", *text_log[2:], *form]) == 0
        writer.join()
    assert paused == [True, True]
    printed = out.getvalue().splitlines()
    assert [line for line in printed if line in lines] == lines
    assert printed[-1].startswith("2 violations; ") == (not form)


def test_standard_input_needs_a_signature(text_log: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["monitor", text_log[0], "-"]) == 2
    assert "--sig" in capsys.readouterr().err


def test_verdicts_before_a_fault_are_listed(
    text_log: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A long log is read in blocks; its fault stands in the last."""
    points = "".join(f'@{i} left(N{i},"LGA-ATL")\n' for i in range(100_000))
    write(tmp_path / "flights.log", points + "@7 cleared(N1)\n")
    assert main(["monitor", *text_log]) == 1
    out, err = capsys.readouterr()
    assert out.splitlines()[0] == "0  point 0  x = N0, r = LGA-ATL"
    assert "flights.log:100001" in err


def test_a_limit_cuts_the_listing_and_not_the_count(text_log: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["monitor", *text_log, "--limit", "1"]) == 0
    listed, ending = capsys.readouterr().out.splitlines()
    assert listed.startswith("5  point 1")
    assert ending.startswith("2 violations, 1 shown (--limit, --csv); ")


def test_why_a_verdict_is_as_it_is(text_log: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Of a text log and of a table; what is wrong with the question is told."""
    assert main(["monitor", *text_log, "--why", "x=N2, r=JFK-BOS @5"]) == 0
    told = capsys.readouterr().out
    assert "holds for" in told
    assert "no cleared(" in told
    assert main(["monitor", *text_log, "--why", "x=N1, r=LGA-ATL @5"]) == 0
    assert "does not hold" in capsys.readouterr().out
    policy, log = write(tmp_path / "n.mfotl", NAMED), write(tmp_path / "flights.csv", TABLE)
    assert main(["monitor", str(policy), str(log), "--why", "x=N2 @1704189605"]) == 0
    assert "left(plane=" in capsys.readouterr().out
    for question in ("x=N1", "x=N1 @4", "x=7, r=LGA-ATL @5"):
        assert main(["monitor", *text_log, "--why", question]) == 2, question
    assert "x is of type string" in capsys.readouterr().err

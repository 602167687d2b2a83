"""`trendmill monitor`: what it reads, what it prints, how it ends."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from jobs.cli import main
from tests.commands.logs import write
from tests.commands.monitor.pausing import paused_writer
from tests.commands.monitor.policy_log import LOG, NAMED, TABLE


def test_violations_of_a_text_log(text_log: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["monitor", *text_log]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[:2] == ["5  point 1  x = N2, r = JFK-BOS", "20  point 2  x = N1, r = ATL-LGA"]
    assert lines[2].startswith("2 violations; ")


@pytest.mark.parametrize("suffix", ["gz", "zst"])
def test_a_compressed_text(text_log: list[str], suffix: str, capsys: pytest.CaptureFixture[str]) -> None:
    """It is unpacked while it is read; where it is cut off, reading ends with an error, not with fewer violations."""
    packed = Path(f"{text_log[1]}.{suffix}")
    with pa.output_stream(str(packed)) as file:
        file.write(LOG.encode())
    assert main(["monitor", text_log[0], str(packed), *text_log[2:]]) == 0
    assert capsys.readouterr().out.splitlines()[-1].startswith("2 violations; ")
    packed.write_bytes(packed.read_bytes()[:-9])
    assert main(["monitor", text_log[0], str(packed), *text_log[2:]]) == 1
    assert packed.name in capsys.readouterr().err


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
        (["--for-each", "plane", "--csv"], ["5,0,N2,N2,JFK-BOS", "20,2,N1,N1,ATL-LGA"]),
    ],
)
def test_each_verdict_of_standard_input_is_flushed_when_it_is_decided(
    text_log: list[str], form: list[str], lines: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The writer pauses until the verdict on what it has written can be read."""
    said = [(LOG.partition("@20")[0].encode() + b";", lines[0]), (b' @20 left(N1,"ATL-LGA");', lines[1])]
    with paused_writer(said, monkeypatch) as out:
        assert main(["monitor", text_log[0], "-", *text_log[2:], *form]) == 0
    assert out.answered == [True, True]
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


def test_negate_lists_where_the_formula_does_not_hold(
    text_log: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What must hold, as the first line of a file may say; where it says so already, the formula itself is listed."""
    must = "ALWAYS FORALL x, r. (left(x, r) IMPLIES ONCE[0,10] cleared(x))\n"
    policy = str(write(tmp_path / "must.mfotl", must))
    assert main(["monitor", policy, *text_log[1:], "--negate"]) == 0
    assert capsys.readouterr().out.splitlines()[0] == "5  point 1  x = N2, r = JFK-BOS"
    never = str(write(tmp_path / "never.mfotl", "-- policy: must hold\nEXISTS x. cleared(x)\n"))
    assert main(["monitor", never, *text_log[1:], "--negate"]) == 0
    assert capsys.readouterr().out.splitlines()[0] == "1  point 0"
    assert main(["monitor", policy, str(write(tmp_path / "f.csv", TABLE)), "--negate", "--explain"]) == 2
    named = str(write(tmp_path / "named.mfotl", "left(plane=x) IMPLIES ONCE[0,10] cleared(plane=x)\n"))
    assert main(["monitor", named, str(tmp_path / "f.csv"), "--negate"]) == 0
    assert "x = N2" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("form", "text"),
    [
        ("monpoly", '@0 P(3) @0 Q(3,"a") @0 Q(4,"b")'),
        ("dejavu", "P,3\nQ,3,a\nQ,4,b\n"),
        ("rv", "P, tp=0, ts=0, x=3\nQ, tp=1, ts=0, x=3, y=a\nQ, tp=2, ts=0, x=4, y=b\n"),
        ("csv", "ts,seq,event_type,x,y\n0,1,P,3,\n0,2,Q,3,a\n0,3,Q,4,b\n"),
        ("json", '{"ts": 0, "event_type": "P", "x": 3}\n{"ts": 0, "event_type": "Q", "x": 3, "y": "a"}\n'),
        ("parquet", ""),
    ],
)
def test_every_form_of_a_log(form: str, text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A file whose name tells nothing, with --format; the texts also as standard input would have them (F12)."""
    log = tmp_path / "events.data"
    if form == "parquet":
        rows = {"ts": [0, 0], "event_type": ["P", "Q"], "x": [3, 3], "y": [None, "a"]}
        pq.write_table(pa.table(rows), log)
    else:
        log.write_text(text)
    policy = write(tmp_path / "p.mfotl", "Q(x=x, y=y) AND ONCE P(x=x)\n")
    is_text = form in ("monpoly", "dejavu", "rv")
    sig = ["--sig", str(write(tmp_path / "s.sig", "P(x: int) Q(x: int, y: string)"))] if is_text else []
    points = [] if is_text else ["--points", "by_event"]
    assert main(["monitor", str(policy), str(log), *sig, "--format", form, *points]) == 0
    assert capsys.readouterr().out.splitlines()[0] == "0  point 1  x = 3, y = a"


def test_options_that_contradict_each_other(
    text_log: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    policy, log = text_log[:2]
    table = str(write(tmp_path / "flights.csv", TABLE))
    for arguments, reason in (
        ([policy, log, "--format", "monpoly"], "--sig FILE gives them"),
        ([*text_log, "--format", "csv"], "leave the signature out"),
        ([policy, "-"], "standard input is read as a text: --sig FILE gives its signature; of a table --format csv"),
        ([*text_log, "--why", "--csv"], "leave out --csv"),
        ([*text_log, "--why", "--as", "monpoly"], "leave out --csv"),
        ([*text_log, "--json", "--as", "monpoly"], "leave out --csv"),
        ([*text_log, "--explain", "--fail"], "--explain lists no verdicts"),
        ([policy, log, "--sig", "nowhere"], "no such signature: nowhere"),
        (["nowhere.mfotl", log], "no such policy: nowhere.mfotl"),
        ([*text_log, "--format", "names"], "--format names is for .mtl policies"),
        ([*text_log, "--points", "by_event"], "--points is for tables"),
        ([*text_log, "--zone", "Europe/Berlin"], "--zone is for tables"),
        (["--why", policy, log], "--why stands behind the log"),
        ([str(write(tmp_path / "q.cep", "PATTERN A a\n")), log], "not a policy"),
        ([str(write(tmp_path / "n.mfotl", NAMED)), table, "--points", "plan"], "did you mean 'plane'"),
    ):
        assert main(["monitor", *arguments]) == 2, arguments
        assert reason in capsys.readouterr().err, arguments


def test_points_and_sub_logs_by_columns_that_the_formula_does_not_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = "ts,event_type,x,batch,k\n1,P,5,2,a\n1,P,6,1,b\n2,P,7,1,a\n"
    log, policy = str(write(tmp_path / "l.csv", table)), str(write(tmp_path / "p.mfotl", "P(x=x) AND PREV P(x=z)\n"))
    assert main(["monitor", policy, log, "--points", "batch", "--csv"]) == 0
    assert capsys.readouterr().out.splitlines() == ["ts,tp,x,z", "1,1,5,6", "2,2,7,5"]
    assert main(["monitor", policy, log, "--for-each", "k", "--csv"]) == 0
    assert capsys.readouterr().out.splitlines() == ["ts,tp,k,x,z", "2,1,a,7,5"]
    by_position = str(write(tmp_path / "b.mfotl", 'P(x, 1, "b")\n'))
    assert main(["monitor", by_position, log, "--csv"]) == 0
    assert capsys.readouterr().out.splitlines() == ["ts,tp,x", "1,0,6"]


def test_explain_with_a_log_counts_rows(text_log: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["monitor", *text_log, "--explain"]) == 0
    assert "  left(x, r) AND NOT (ONCE[0,10] cleared(x)): 3 and 1 in, 2 out" in capsys.readouterr().out.splitlines()
    assert main(["monitor", *text_log, "--explain", "--json", "--for-each", "plane"]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert rows[0] == {"formula": "left(x, r)", "in": [3], "out": 3}


def test_a_log_with_a_column_offset_is_refused_by_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The name is that of a time-point's place."""
    policy = write(tmp_path / "p.mfotl", "left(offset=x)\n")
    log = write(tmp_path / "flights.csv", "time,kind,offset\n2024-01-02 10:00:00,left,3\n")
    assert main(["monitor", str(policy), str(log)]) == 2
    assert "'offset' is the column of an event's time-point" in capsys.readouterr().err

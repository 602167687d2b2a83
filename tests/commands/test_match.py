"""`trendmill match`: time lines, compact rows, answers for programs, events that complete a match."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet
import pytest

import cep_core as cep
from cep_core.progress import ranges
from jobs.cli import main
from tests.commands.logs import letters, write
from tests.commands.match_log import FIRST, LATER, printed


def test_matches_are_time_lines(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """Keys, span, each event where it happened with what the conditions mention; the total beside a cut listing."""
    out = printed([*files, "--limit", "1"], capsys)
    assert out.startswith(FIRST + "\n4 matches, 1 shown (--limit); 9 events in ")


def test_compact_rows(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """A row for all matches with the same last event: their number, and every event of any of them once."""
    out = printed([*files, "--collapsed"], capsys)
    assert out.splitlines()[0] == "row 1: 4 matches, tail N711, 2013-03-08 12:59 to 17:20, 4.3 hours, made of 4 events"
    assert out.splitlines()[2].endswith("|  a or b  row 3  Depart  late 31")
    assert out.splitlines()[-1].startswith("4 matches in 1 row; 9 events in ")


def test_long_matches_show_both_ends(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """And the number of events between; counts beyond all listing stay exact enough to read."""
    query = write(tmp_path / "q.cep", "RETURN count(a[].ts) AS length PATTERN A+ a[] WITHIN 100")
    log = write(tmp_path / "log.csv", "ts\n" + "".join(f"{ts}\n" for ts in range(100)))
    lines = printed([str(query), str(log), "--collapsed", "--limit", "1"], capsys).splitlines()
    assert lines[-1].startswith("1.3e30 matches in 100 rows, 1 shown (--limit); 100 events in ")
    write(tmp_path / "q.cep", "RETURN count(a[].ts) AS length PATTERN A+ a[] WHERE skip_till_next_match WITHIN 100")
    lines = printed([str(query), str(log), "--limit", "1"], capsys).splitlines()
    assert lines[0] == "match 1: 0 to 99, 99 s, 100 events"
    assert lines[7].split() == ["...", "88", "more", "events", "..."]
    assert lines[14] == "  returns length 100"


def test_answers_for_programs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The columns of cep.match; a list of rows is separated by blanks in CSV; a cut listing is said beside it."""
    text = "PATTERN SEQ(A+ a[], B b) WITHIN 10"
    query, log = write(tmp_path / "q.cep", text), tmp_path / "log.parquet"
    pa.parquet.write_table(letters().append_column("seq", pa.array(range(1, 12))), log)
    expected = cep.match(text, pa.parquet.read_table(log))
    assert main(["match", str(query), str(log), "--seq", "seq", "--json"]) == 0
    assert [json.loads(line) for line in capsys.readouterr().out.splitlines()] == expected.to_pylist()
    assert main(["match", str(query), str(log), "--csv", "--limit", "2"]) == 0
    printed = capsys.readouterr()
    assert printed.out == "first_ts,last_ts,a,b\n1,2,1,2\n1,7,1 4 6,9\n"
    assert "note: the listing is cut: 23 matches (--limit)" in printed.err


def test_explain_needs_no_log(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """Its text is that of cep.explain."""
    assert printed([files[0], "--explain"], capsys) == f"{cep.explain(Path(files[0]))}\n"
    assert main(["match", files[0]]) == 2
    assert "which log?" in capsys.readouterr().err


def test_a_key_that_nobody_has_is_said(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """Every type has every column of a file, so a storm without a tail number would silently cut nothing."""
    assert main(["match", *files[:2], "--limit", "0"]) == 0
    printed = capsys.readouterr()
    assert printed.out.startswith("8 matches, 0 shown (--limit)")
    assert "note: no Storm has a value in 'tail', so [tail] keeps them all out; --lacks Storm.tail" in printed.err


def test_how_likely_a_match_is(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Columns `ts_lo` and `ts_hi` of the file say when an event may have happened."""
    query = write(tmp_path / "q.cep", "PATTERN SEQ(A a, B b) WITHIN 9 WITH CONFIDENCE >= 0.5\n")
    log = write(tmp_path / "log.csv", "kind,time,ts_lo,ts_hi\nA,1,1,2\nB,2,2,3\nB,1,0,1\n")
    out = printed([str(query), str(log)], capsys)
    assert out.startswith("match 1: 1 to 2, 1 s, 2 events, confidence 0.75\n")
    assert "1 match;" in out


def test_windows_of_each_match_are_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With SLIDE a binding is a match in each of its windows: of time, or of positions."""
    log = write(tmp_path / "log.csv", "ts,event_type\n100,A\n200,B\n")
    query = write(tmp_path / "q.cep", "PATTERN SEQ(A a, B b) WITHIN 150 SLIDE 50")
    lines = printed([str(query), str(log), "--why"], capsys).splitlines()
    assert [line for line in lines if "window" in line] == [
        "  in the window 100 to 249",
        "    inside its window of 150 s",
    ]
    write(tmp_path / "q.cep", "PATTERN SEQ(A a, B b) WITHIN 2 EVENTS SLIDE 1 EVENTS")
    lines = printed([str(query), str(log), "--why"], capsys).splitlines()
    assert [line for line in lines if "window" in line] == [
        "  in the window of positions 0 to 1",
        "    inside its window of 2 events",
    ]


def test_completing_events(tmp_path: Path, files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """--detect: a line for each event that completes a match, with its keys and what is asked of it; their number."""
    lines = printed([*files, "--detect"], capsys).splitlines()
    assert lines[0] == "2013-03-08 17:20  row 6  Arrive  tail N711, late 60"
    assert lines[1].startswith("1 event completes a match; 9 events in ")
    write(tmp_path / "q.cep", LATER.replace("NOT Storm s,", "").replace(" AND s.level > 2", ""))
    lines = printed([*files, "--detect", "--limit", "1"], capsys).splitlines()
    assert lines[1].startswith("2 events complete a match, 1 shown (--limit); 9 events in ")
    assert main(["match", *files, "--detect", "--csv", "--limit", "1"]) == 0
    listing = capsys.readouterr()
    assert listing.out == "last_ts,last_seq\n1362763200,6\n"
    assert "note: the listing is cut: 2 events complete a match (--limit)" in listing.err


def test_completing_events_of_windows(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With SLIDE each window is named; an AND is detected, too."""
    query = write(tmp_path / "q.cep", "PATTERN A a AND B b WITHIN 4 SLIDE 2")
    log = write(tmp_path / "log.csv", "ts,event_type\n2,A\n3,B\n9,B\n")
    lines = printed([str(query), str(log), "--detect"], capsys).splitlines()
    assert lines[:2] == ["3  row 2  B  window 0 to 3", "3  row 2  B  window 2 to 5"]
    assert lines[2].startswith("2 completing events of windows; 3 events in ")


def test_ranges_read_back_as_far_as_clocks_may_be_wrong(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A long log is evaluated range by range: columns say how much further apart a match may be recorded."""
    query = write(tmp_path / "q.cep", "PATTERN SEQ(A a, NOT N n, B b) WITHIN 2 WITH CONFIDENCE > 0\n")
    rows = [f"{ts},{'ANB'[ts % 3]},{ts - 7},{ts + ts % 5}" for ts in range(400)]
    log = write(tmp_path / "log.csv", "ts,event_type,ts_lo,ts_hi\n" + "\n".join(rows) + "\n")
    assert main(["match", str(query), str(log), "--csv"]) == 0
    whole = capsys.readouterr().out
    monkeypatch.setattr(ranges, "EVENTS_IN_RANGE", 40)
    assert main(["match", str(query), str(log), "--csv"]) == 0
    assert capsys.readouterr().out == whole
    assert len(whole.splitlines()) > 400

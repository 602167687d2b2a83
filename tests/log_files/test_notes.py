"""What is noted of a log beside the answer: types, texts and times that a query may not mean so."""

from __future__ import annotations

from pathlib import Path

import pytest

from jobs.cli import main


def test_types_that_no_pattern_can_say(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """They have names with underscores; a pattern of one type takes all rows, but not if its name is like another."""
    (tmp_path / "log.csv").write_text("ts,kind\n1,SET PIECE\n2,PASS\n")
    assert main(["match", "-e", "PATTERN SEQ(SET_PIECE a, PASS b) WITHIN 9", str(tmp_path / "log.csv")]) == 0
    printed = capsys.readouterr()
    assert "1 match" in printed.out
    assert "queries call types so: SET_PIECE for 'SET PIECE'" in printed.err
    count = ["aggregate", "--csv", str(tmp_path / "log.csv"), "-e"]
    assert main([*count, "RETURN COUNT(*) PATTERN PAS+ WITHIN 9"]) == 2
    assert "no column holds 'PAS'; did you mean 'PASS'? (column 'kind')" in capsys.readouterr().err
    assert main([*count, "RETURN COUNT(*) PATTERN Row+ WITHIN 9"]) == 0
    assert "every row is of the pattern's one type" in capsys.readouterr().err
    assert main(["match", str(tmp_path / "log.csv"), "-e", "PATTERN SEQ(SET PIECE a, PASS b) WITHIN 9"]) == 2
    assert "SET_PIECE for 'SET PIECE'" in capsys.readouterr().err


def test_what_a_pattern_may_call_events_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Whoever does not know the log's types learns the columns that hold some, those with the fewest first."""
    rows = [f"{row},{'BUY' if row % 2 else 'SELL'},{row % 5}x,text {row}" for row in range(20)]
    (tmp_path / "log.csv").write_text("\n".join(["ts,side,name,note", *rows]))
    assert main(["match", "-e", "PATTERN SEQ(Up a, Down b) WITHIN 9", str(tmp_path / "log.csv")]) == 2
    said = "event types are values of a column: 'side' holds BUY, SELL; 'name' holds _0x, _1x, _2x, _3x, ...; or take"
    assert said in (errors := capsys.readouterr().err)
    assert "note" not in errors


def test_whole_numbers_as_texts_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Where the query asks which is greater; they may be names where it asks whether they are equal."""
    rows = ['{"ts":1,"event_type":"A","x":"9"}', '{"ts":2,"event_type":"B","x":"10"}']
    (tmp_path / "log.jsonl").write_text("\n".join(rows))
    for condition, is_noted in (("b.x > a.x", True), ("b.x = a.x", False), ("[x]", False)):
        query = f"PATTERN SEQ(A a, B b) WHERE {condition} WITHIN 9"
        assert main(["match", "-e", query, str(tmp_path / "log.jsonl")]) == 0
        assert ("'x' holds whole numbers as text, and texts are compared" in capsys.readouterr().err) == is_noted


def test_times_that_are_attributes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What a file reads as time-stamps is no attribute; the time itself is called ts."""
    rows = [f"2024-01-31 08:00:0{row},2024-01-31 08:00:0{row + 1},{kind}" for row, kind in enumerate("AB")]
    (tmp_path / "log.csv").write_text("\n".join(["begin,end,event_type", *rows]))
    for name, said in (("end", "say, can be compared\n"), ("begin", "; its time is called ts\n")):
        query = f"PATTERN SEQ(A a, B b) WHERE b.{name} > a.{name} WITHIN 9 s"
        assert main(["match", "-e", query, str(tmp_path / "log.csv"), "--ts", "begin"]) == 2
        errors = capsys.readouterr().err
        assert f"'{name}' holds timestamp[s], and conditions compare" in errors
        assert errors.endswith(said)
    assert main(["match", "-e", "PATTERN SEQ(A a, B b) WHERE b.ts > a.ts WITHIN 9 s", str(tmp_path / "log.csv")]) == 0


def test_numbers_with_a_decimal_comma(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """They were compared as texts once: '10,25' before '9,5'."""
    (tmp_path / "log.csv").write_text("ts;event_type;x\n1;A;1,5\n2;A;9,5\n3;B;10,25\n")
    assert main(["match", "-e", "PATTERN SEQ(A a, B b) WHERE b.x > a.x WITHIN 9", str(tmp_path / "log.csv")]) == 0
    printed = capsys.readouterr()
    assert "2 matches" in printed.out
    assert "'x' holds numbers as text; they are read as numbers" in printed.err


def test_a_query_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Its errors show the place in it; nested fields are named as columns or with dots."""
    log = tmp_path / "log.jsonl"
    log.write_text(
        '{"at":{"ts":1},"event_type":"A","user":{"id":"u"}}\n{"at":{"ts":2},"event_type":"B","user":{"id":"u"}}\n'
    )
    query = "PATTERN SEQ(A a, B b) WHERE [user_id] WITHIN 9"
    assert main(["match", "-e", query, str(log), "--ts", "at.ts"]) == 0
    printed = capsys.readouterr()
    assert printed.out.startswith("match 1: user_id u, 1 to 2, 1 s, 2 events\n")
    assert "column 'at_ts' tells the time in s" in printed.err
    assert main(["aggregate", "-e", "RETURN COUNT(*) PATTERN A+ WITHN 9", str(log)]) == 2
    assert "-e:1:28: " in capsys.readouterr().err
    for arguments, said in (([], "which query?"), (["-e", query], "which log?")):
        assert main(["match", *arguments]) == 2
        assert said in capsys.readouterr().err

"""`trendmill match`: time lines, compact rows, why a match is one, why events are none, why there is none."""

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

LATER = """-- Who left ever later, and no storm between?
PATTERN SEQ(Depart a, Depart+ b[], NOT Storm s, Arrive c)
WHERE [tail] AND b[1].late > a.late AND b[i].late > b[i-1].late AND c.late >= 10 AND s.level > 2
WITHIN 6 hours
"""
LOG = """time,kind,tail,late,level
2013-03-08 12:59,Depart,N711,15,
2013-03-08 13:05,Storm,,,1
2013-03-08 14:10,Depart,N711,31,
2013-03-08 15:30,Depart,N711,44,
2013-03-08 16:00,Depart,N800,4,
2013-03-08 17:20,Arrive,N711,60,
2013-03-08 17:25,Storm,,,5
2013-03-08 17:30,Arrive,N711,20,
2013-03-08 17:35,Arrive,N800,70,
"""
FIRST = """\
match 1: tail N711, 2013-03-08 12:59 to 17:20, 4.3 hours, 4 events
  12:59  |*                             |  a     row 1  Depart  late 15
  14:10  |       *                      |  b[1]  row 3  Depart  late 31
  15:30  |                *             |  b[2]  row 4  Depart  late 44
  17:20  |                             *|  c     row 6  Arrive  late 60
"""
WHY = """\
  why: a = row 1; b = rows 3 and 4; c = row 6
    [tail]: N711 in every event
    b[1].late > a.late: 31 > 15
    b.late > b[i-1].late: 44 > 31
    NOT Storm s after row 4 and before row 6: 1 event there, none makes it happen
    within 6 hours: 4.3 hours
    decided by c.late >= 10: 60 >= 10, with row 6 at 17:20
"""


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    """Query, log, and what says that a storm is everybody's."""
    return [str(write(tmp_path / "q.cep", LATER)), str(write(tmp_path / "log.csv", LOG)), "--lacks", "Storm.tail"]


def printed(arguments: list[str], capsys: pytest.CaptureFixture[str], code: int = 0) -> str:
    assert main(["match", *arguments]) == code
    return capsys.readouterr().out


def test_matches_are_time_lines(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """Keys, span, each event where it happened with what the conditions mention; the total beside a cut listing."""
    out = printed([*files, "--limit", "1"], capsys)
    assert out.startswith(FIRST + "\n4 matches, 1 shown (--limit); 9 events in ")


def test_b07_why_a_match_is_one(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """Binding, each condition with the values found, the negation, the window, and the condition decided last."""
    assert printed([*files, "--limit", "1", "--why"], capsys).startswith(FIRST + WHY + "\n4 matches")


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        (
            "1,3,8",
            """\
rows 1, 3 and 8: no match, as a = row 1; b = row 3; c = row 8
  fails  NOT Storm s after row 3 and before row 8: it happens, row 7
  holds  [tail]: N711 in every event
  holds  c.late >= 10: 20 >= 10
  holds  b[1].late > a.late: 31 > 15
  holds  within 6 hours: 4.5 hours
""",
        ),
        (
            "1,5,9",
            """\
rows 1, 5 and 9: no match, as a = row 1; b = row 5; c = row 9
  fails  [tail]: N711 and N800
  fails  b[1].late > a.late: 4 > 15
  fails  NOT Storm s after row 5 and before row 9: it happens, row 7
  holds  c.late >= 10: 70 >= 10
  holds  within 6 hours: 4.6 hours
""",
        ),
        ("5,6", "rows 5 and 6: the pattern binds no Depart and Arrive in this order\n"),
        ("6,4,1", "rows 1, 4 and 6: a match, as a = row 1; b = row 4; c = row 6\n"),
    ],
)
def test_b07_why_events_are_no_match(
    files: list[str], capsys: pytest.CaptureFixture[str], rows: str, expected: str
) -> None:
    """Of the ways to bind them the one in which least fails, with the values that make it fail."""
    assert printed([*files, "--why-not", rows], capsys) == expected


def test_b07_why_there_is_none(tmp_path: Path, files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """How many matches there would be with one condition less."""
    write(tmp_path / "q.cep", LATER.replace("c.late >= 10 ", "c.late >= 100 "))
    lines = printed([*files, "--why"], capsys).splitlines()
    assert lines[0].startswith("no matches; 9 events in ")
    assert lines[1:] == ["  without c.late >= 100: 4 matches"]
    write(tmp_path / "q.cep", LATER.replace("c.late >= 10 ", "c.late >= 100 ").replace("6 hours", "1 hours"))
    assert printed([*files, "--why"], capsys).splitlines()[1:] == [
        "  leaving out any single condition gives no match either: more than one is in the way"
    ]


def test_b07_what_a_strategy_passed_over(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Every condition holds, and the run from the first event took others."""
    query = write(tmp_path / "q.cep", "PATTERN SEQ(A a, B b) WHERE skip_till_next_match { a.x < b.x } WITHIN 9")
    log = write(tmp_path / "log.csv", "ts,event_type,x\n1,A,1\n2,B,2\n3,B,3\n")
    assert printed([str(query), str(log), "--why-not", "1,3"], capsys) == (
        "rows 1 and 3: every condition holds as a = row 1; b = row 3, but the strategy is skip_till_next_match\n"
        "  the run from the first of them took rows 1 and 2\n"
    )


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


def test_what_is_wrong_ends_with_2(tmp_path: Path, files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """An aggregation is sent to the other command; rows that are not there, and words for rows, are named."""
    assert main(["match", *files, "--why-not", "1,99"]) == 2
    assert "no event of the log is row 99" in capsys.readouterr().err
    assert main(["match", *files, "--why-not", "one"]) == 2
    assert "such as 12,15,19, not 'one'" in capsys.readouterr().err
    assert main(["match", *files, "--detect", "--why"]) == 2
    assert "finds events, not matches" in capsys.readouterr().err
    write(tmp_path / "q.cep", "PATTERN Depart+ a[] AND Arrive b WITHIN 10")
    log = write(tmp_path / "many.csv", "ts,event_type\n" + "".join(f"{ts},Depart\n" for ts in range(11)))
    assert main(["match", files[0], str(log), "--why-not", "1,2,3,4,5,6,7,8,9,10,11"]) == 2
    assert "11 events are too many to try as two matches; at most 10" in capsys.readouterr().err
    write(tmp_path / "q.cep", "RETURN COUNT(*) PATTERN Depart+ WITHIN 10")
    assert main(["match", *files]) == 2
    assert ":1:8: an aggregation query" in capsys.readouterr().err


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


def test_b07_why_a_pair_is_a_match(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """AND: what each side asks of its own events, what is asked of both, and one window around them."""
    query = write(
        tmp_path / "q.cep",
        "PATTERN SEQ(A a, NOT E e, B b) AND SEQ(C c, D+ d[]) "
        "WHERE [k] AND a.x < b.x AND d[i].x > c.x AND b.x < d[last].x WITHIN 9",
    )
    log = write(tmp_path / "log.csv", "ts,event_type,k,x\n1,A,u,1\n2,C,u,0\n3,B,u,2\n3,E,v,0\n4,D,u,7\n")
    lines = printed([str(query), str(log), "--why"], capsys).splitlines()
    begin = lines.index("  why: a = row 1; b = row 3; c_right = row 2; d_right = row 5")
    assert lines[begin + 1 : begin + 8] == [
        "    [k]: u in every event",
        "    a.x < b.x: 1 < 2",
        "    NOT E e after row 1 and before row 3: 1 event there, none makes it happen",
        "    d_right.x > c_right.x: 7 > 0",
        "    within 9 s: 3 s",
        "    decided by b.x < d_right[last].x: 2 < 7, with row 5 at 4",
        "",
    ]


def test_b07_why_events_are_no_pair(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """AND: of the ways to bind the events by both sides the one in which least fails; an event may stand in both."""
    query = write(
        tmp_path / "q.cep", "PATTERN SEQ(A a, NOT E e, B b) AND SEQ(A c, D d) WHERE [k] AND b.x < d.x WITHIN 9"
    )
    log = write(tmp_path / "log.csv", "ts,event_type,k,x\n1,A,u,1\n2,E,u,0\n3,B,u,2\n4,D,u,1\n5,B,u,0\n6,A,u,4\n")
    assert printed([str(query), str(log), "--why-not", "1,3,4"], capsys) == (
        "rows 1, 3 and 4: no match, as a = row 1; b = row 3; c_right = row 1; d_right = row 4\n"
        "  fails  NOT E e after row 1 and before row 3: it happens, row 2\n"
        "  fails  b.x < d_right.x: 2 < 1\n"
        "  holds  [k]: u in every event\n"
        "  holds  within 9 s: 3 s\n"
    )
    assert printed([str(query), str(log), "--why-not", "3,4"], capsys) == (
        "rows 3 and 4: the pattern binds no B and D in this order\n"
    )


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


def test_b07_why_a_possible_match_is_so_likely(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """WITH CONFIDENCE: the orders in which the events may come, the share of worlds of each, and which are a match."""
    query = write(
        tmp_path / "q.cep",
        "PATTERN SEQ(A a, B{2,2} b[]) WHERE [k] AND b[last].x > a.x WITHIN 9 WITH CONFIDENCE >= 0.25\n",
    )
    log = write(tmp_path / "log.csv", "ts,event_type,ts_lo,ts_hi,k,x\n1,A,1,1,u,3\n2,B,2,4,u,9\n3,B,2,4,u,1\n")
    lines = printed([str(query), str(log), "--why"], capsys).splitlines()
    begin = lines.index("  why: a = row 1; b = rows 2 and 3")
    assert lines[begin + 1 : begin + 6] == [
        "    [k]: u in every event",
        "    b[last].x > a.x: 9 > 3",
        "    33 % of all worlds: rows 1, 3, 2 in this order, within 9 s",
        "    33 % of all worlds: rows 1, 2, 3 in this order, within 9 s: no match, as a condition fails",
        "    confidence 0.333, at least 0.25 is asked for",
    ]


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        (["--lacks", "Strom.tail"], 2, "trendmill: --lacks: no event is of type 'Strom'; did you mean 'Storm'?"),
        (["--lacks", "Storm.tial"], 2, "trendmill: --lacks: no column 'tial'; did you mean 'tail'?"),
        (["--seq", "tail"], 2, "log.csv: 'tail' holds string, not whole numbers"),
        (["--parquet", "no/such/folder.parquet"], 2, "trendmill: cannot write no/such/folder.parquet: "),
    ],
)
def test_wrong_arguments_are_told(
    files: list[str], capsys: pytest.CaptureFixture[str], options: list[str], code: int, said: str
) -> None:
    """One message, no traceback."""
    assert main(["match", *files, *options]) == code
    errors = capsys.readouterr().err
    assert said in errors
    assert "Traceback" not in errors


@pytest.mark.parametrize("arguments", [["match", "--limit", "-1"], ["aggregate", "--cores", "0"]])
def test_numbers_have_a_least_value(files: list[str], capsys: pytest.CaptureFixture[str], arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main([*arguments, *files[:2]])
    assert ended.value.code == 2
    assert "is less than" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "code", "said"),
    [
        (b"ts,ts,event_type\n1,2,A\n", 1, "it has two columns named 'ts'"),
        (b"ts,event_type,\x89x\n1,A,2\n", 1, "the names of its columns are not UTF-8"),
        (b"ts,event_type\n1,A\n9223372036854775807,A\n", 2, "moments lie between -2^62 and 2^62"),
    ],
)
def test_wrong_logs_are_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: bytes, code: int, said: str
) -> None:
    query, log = write(tmp_path / "q.cep", "PATTERN A a WITHIN 5"), tmp_path / "log.csv"
    log.write_bytes(text)
    assert main(["match", str(query), str(log)]) == code
    errors = capsys.readouterr().err
    assert said in errors
    assert "Traceback" not in errors


def test_b07_why_a_possible_pair_is_so_likely(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """AND WITH CONFIDENCE: how likely each side is, and both in one window."""
    query = write(
        tmp_path / "q.cep", "PATTERN SEQ(A a, B b) AND SEQ(A c, C d) WHERE [k] WITHIN 9 WITH CONFIDENCE > 0\n"
    )
    log = write(tmp_path / "log.csv", "ts,event_type,ts_lo,ts_hi,k\n1,A,1,2,u\n2,B,2,3,u\n2,C,2,3,u\n")
    lines = printed([str(query), str(log), "--why"], capsys).splitlines()
    begin = lines.index("  why: a = row 1; b = row 2; c_right = row 1; d_right = row 3")
    assert lines[begin + 1 : begin + 6] == [
        "    [k]: u in every event",
        "    75 % of all worlds have the match on the left",
        "    75 % of all worlds have the match on the right",
        "    62 % have both within 9 s",
        "    confidence 0.625, more than 0 is asked for",
    ]


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


def test_a_search_without_a_visible_end_ends(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Work is limited, told with numbers, and ends with code 1; so it is for --detect and what --why asks."""
    query = "PATTERN SEQ(A a, B+ b[]) WHERE b[i].late > max(b[..i-1].late) AND sum(b[].late) = -7 WITHIN 9 hours"
    rows = [f"2013-03-08 {8 + n // 60:02}:{n % 60:02},{'B' if n else 'A'},{37 * n % 101}" for n in range(60)]
    log = str(write(tmp_path / "log.csv", "\n".join(["time,kind,late", *rows])))
    arguments = [str(write(tmp_path / "q.cep", query)), log, "--work", "200000"]
    for more in ([], ["--detect"], ["--collapsed"], ["--csv"]):
        assert main(["match", *arguments, *more]) == 1
        refused = capsys.readouterr()
        assert (
            "trendmill: the budget of work is exhausted: 200,000 steps were not enough to try the query's"
            in refused.err
        )
        assert "5.8e17 candidates" in refused.err
        assert "Traceback" not in refused.err
    none = "PATTERN SEQ(A a, B b) WHERE b.late > 200 AND a.late > 200 WITHIN 9 hours"
    printed([str(write(tmp_path / "none.cep", none)), log, "--why"], capsys)
    hopeless = "PATTERN SEQ(A a, B+ b[]) WHERE a.late = 7 AND sum(b[].late) = -7 WITHIN 9 hours"
    out = printed([str(write(tmp_path / "less.cep", hopeless)), log, "--why", "--work", "200000"], capsys)
    assert "without a.late = 7: not known, because the budget of work is too small (--work)" in out


def test_why_does_not_walk_through_all_readings(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """40 events that nested closures read in 2^39 ways, and 40 that no binding takes, are explained at once."""
    log = str(write(tmp_path / "log.csv", "\n".join(["ts,kind", *(f"{n},A" for n in range(40)), "50,D"])))
    nested = str(write(tmp_path / "nested.cep", "PATTERN (SEQ(A+ a[], NOT C n, B? b))+ WITHIN 99"))
    everything = ",".join(str(row) for row in range(1, 41))
    assert "a match" in printed([nested, log, "--why-not", everything], capsys)
    split = "PATTERN SEQ((SEQ(A+ a[], A* b[]))+, C c) WITHIN 99"
    out = printed([str(write(tmp_path / "split.cep", split)), log, "--why-not", everything], capsys)
    assert "the pattern binds no" in out

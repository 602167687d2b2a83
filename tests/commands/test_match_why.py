"""`trendmill match --why`, `--why-not`: why a match is one, why events are none, why there is none."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.commands.logs import write
from tests.commands.match_log import FIRST, LATER, printed

WHY = """\
  why: a = row 1; b = rows 3 and 4; c = row 6
    [tail]: N711 in every event
    b[1].late > a.late: 31 > 15
    b.late > b[i-1].late: 44 > 31
    NOT Storm s after row 4 and before row 6: 1 event there, none makes it happen
    within 6 hours: 4.3 hours
    decided by c.late >= 10: 60 >= 10, with row 6 at 17:20
"""


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


def test_why_does_not_walk_through_all_readings(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """40 events that nested closures read in 2^39 ways, and 40 that no binding takes, are explained at once."""
    log = str(write(tmp_path / "log.csv", "\n".join(["ts,kind", *(f"{n},A" for n in range(40)), "50,D"])))
    nested = str(write(tmp_path / "nested.cep", "PATTERN (SEQ(A+ a[], NOT C n, B? b))+ WITHIN 99"))
    everything = ",".join(str(row) for row in range(1, 41))
    assert "a match" in printed([nested, log, "--why-not", everything], capsys)
    split = "PATTERN SEQ((SEQ(A+ a[], A* b[]))+, C c) WITHIN 99"
    out = printed([str(write(tmp_path / "split.cep", split)), log, "--why-not", everything], capsys)
    assert "the pattern binds no" in out

"""A wrong case file ends with exit code 2: every problem with file, line, a caret, what is expected, and a hint."""

from __future__ import annotations

from pathlib import Path

import pytest

from jobs.cli import main
from tests.questions.lines import lines

GOOD = """- case: ever later
  day: 2013-03-08
  same: {line: A}
  given: |
    type,   ts,    delay_min
    Depart, 10:00, 1
    Arrive, 10:30, 10
  expect: |
    a, b, c
    1, 1, 2
"""
WRONG = {
    "an unknown key": (
        "expect:",
        "exspect:",
        "cases/snowball.yaml:8:3",
        "unknown key 'exspect'; did you mean 'expect'?",
    ),
    "a day": ("2013-03-08", "March", ":2:8", "[0].day: expected a day such as 2013-03-08, found 'March'"),
    "an attribute of all": ("line: A", "lane: A", ":3:10", "unknown attribute 'lane'; did you mean 'line'?"),
    "an event type": ("Depart,", "Departs,", ":6:5", "unknown event type 'Departs'; did you mean 'Depart'?"),
    "an attribute": ("delay_min", "delay", ":5:20", "unknown attribute 'delay'; did you mean 'delay_min'?"),
    "a number": (
        "10:00, 1\n",
        "10:00, 1.5\n",
        ":6:20",
        "expected a whole number such as 12 in 'delay_min', found '1.5'",
    ),
    "a time": ("10:30", "25:30", ":7:13", "expected a time such as 10:00, 2013-03-08 10:00:05, or a number of the log"),
    "a time that never was": (
        "10:30",
        "2013-03-10 02:30",
        ":7:13",
        "2013-03-10 02:30 does not exist in America/New_York",
    ),
    "an absent attribute that is read": (
        "10:00, 1\n",
        "10:00,\n",
        ":6:5",
        "Depart has no 'delay_min', which the query reads",
    ),
    "too many values": ("10:00, 1\n", "10:00, 1, 2\n", ":6:5", "expected 3 values (type, ts, delay_min), found 4"),
    "a column": ("a, b, c", "a, b, d", ":9:11", "snowball has no column 'd'"),
    "an event": ("1, 1, 2", "1, 1, 3", ":10:11", "expected rows of the given events, from 1 to 2, such as 1 2 in 'c'"),
    "a quote": ("10:00, 1\n", '10:00, "1"x\n', ":6:5", "a quote stands inside a value"),
    "a column twice": ("type,   ts,    delay_min", "type,   ts,    ts", ":5:20", "the column 'ts' is given twice"),
    "no time": ("type,   ts,    delay_min", "type,   line,    delay_min", ":6:5", "an event has no 'ts'"),
    "not YAML": ("same: {line: A}", "same: {line: A", ":4:8", "not YAML"),
    "an event without a type": (
        "    Depart, 10:00",
        "    , 10:00",
        ":6:5",
        "^^^^^^^^^^ known: Depart, Arrive",
    ),
}
EXPECTED = {
    "violations": (
        "violations: []",
        ":9:5: [0].expect: 'violations': a query has rows; write 'rows'",
    ),
    "a total": ("total: many", ":9:12: [0].expect.total: expected a number of matches such as 3, found 'many'"),
    "among none": ("among: none", ":9:12: [0].expect.among: says nothing without a row; leave it out"),
    "a row": ("rows: [3]", ":9:12: [0].expect.rows[0]: expected a row such as {a: 1, b: 2}, found text"),
    "nothing": ("rows:", ":9:10: [0].expect.rows: is empty; `none` says that there is no row"),
}


@pytest.fixture
def refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """The problems of a case file, whose exit code is 2."""

    def judge(text: str, query: str = "snowball") -> str:
        assert main(["test", str(lines(tmp_path, **{query: text}))]) == 2
        return capsys.readouterr().err

    return judge


@pytest.mark.parametrize("name", WRONG)
def test_wrong_cases(refused, name: str) -> None:
    """Each with its place. The case itself is right."""
    before, after, place, message = WRONG[name]
    assert before in GOOD
    said = refused(GOOD.replace(before, after, 1))
    assert f"cases/snowball.yaml{place.removeprefix('cases/snowball.yaml')}: " in said, said
    assert message in said
    assert "^" in said


@pytest.mark.parametrize("name", EXPECTED)
def test_wrong_expectations(refused, name: str) -> None:
    """What stands below `expect`."""
    written, message = EXPECTED[name]
    said = refused(f"{GOOD[: GOOD.index('  expect')]}  expect:\n    {written}\n")
    assert f"cases/snowball.yaml{message}" in said, said


def test_the_right_case_is_no_problem(tmp_path: Path) -> None:
    """It fails, as one event is no two."""
    assert main(["test", str(lines(tmp_path, snowball=GOOD))]) == 1


def test_titles_and_names(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Two cases of one title, a file of no query, an empty file, a query that there is not."""
    home = lines(tmp_path, snowball=GOOD + GOOD, snowbal=GOOD, late_chains="", all_departures="a: 1\n")
    assert main(["test", str(home)]) == 2
    said = capsys.readouterr().err
    assert "two cases are called 'ever later'" in said
    assert "cases/snowbal.yaml: no query has this name; did you mean 'snowball'?" in said
    assert "cases/late_chains.yaml: is empty" in said
    assert "cases/all_departures.yaml:1:1: expected a list, found a mapping" in said or "expected a list" in said
    assert main(["test", str(home), "snowbal"]) == 2
    assert "has no query 'snowbal'; did you mean 'snowball'?" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--day", "2013-03-08"], "--day says what to record: give --record QUERY, too"),
        (["--row", "1"], "--row says what to record"),
        (["--record", "snowball"], "--record takes a row of a day: give --day, too"),
        (["--record", "snow", "--day", "2013-03-08"], "has no query 'snow'; did you mean 'snowball'?"),
        (["late_chains", "--record", "snowball", "--day", "2013-03-08"], "leave late_chains out"),
    ],
)
def test_options_that_do_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], said: str
) -> None:
    assert main(["test", str(lines(tmp_path)), *arguments]) == 2
    assert said in capsys.readouterr().err

"""`trendmill test`: cases pass or fail as the engine answers, and a failed one tells what came and why."""

from __future__ import annotations

from pathlib import Path

import pytest

from jobs.cli import main
from tests.questions.lines import lines

SNOWBALL = """
- case: ever later
  day: 2013-03-08
  same: {line: A}
  given: |
    type,   ts,    delay_min
    Depart, 10:00, 1
    # a comment
    Depart, 10:20, 2
    Arrive, 10:30, 10
  expect: |
    a, b, c
    1, 2, 3
"""
PASSING = {
    "rows as mappings": ("snowball", "rows:\n      - {a: 1, b: [2], c: 3, first_ts: 10:00, last_ts: 2013-03-08 10:30}"),
    "a number": ("snowball", "total: 1"),
    "among and without": ("snowball", "among: [{a: 1}]\n    without: [{a: 2}]"),
    "violations": ("no_arrival", "violations: [{ts: 10:00, x: A}]\n    total: 1"),
    "points": ("punctual", "violations: [{ts: 10:00, line: A}]"),
}


@pytest.fixture
def judge_cases(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """Judges the cases of a workload: exit code and lines."""

    def judge(*arguments: str, **cases: str) -> tuple[int, list[str]]:
        home = tmp_path / str(len(list(tmp_path.iterdir())))
        code = main(["test", str(lines(home, **cases)), *arguments])
        out, err = capsys.readouterr()
        return code, (out + err).splitlines()

    return judge


def case_of(query: str, expect: str) -> str:
    """Two departures and an arrival, and what is expected of them. For policies time goes on."""
    given = "Depart, 10:00, A, 1\n    Depart, 10:20, A, 2\n    Arrive, 10:30, A, 10"
    if query != "snowball":
        given = "Depart, 10:00, A, 1\n    Arrive, 12:00, B, 1\n    Arrive, 12:00, A, 1"
    head = "- case: it is so\n  day: 2013-03-08\n  given: |\n    type, ts, line, delay_min\n    "
    return f"{head}{given}\n  expect:\n    {expect}\n"


@pytest.mark.parametrize("name", PASSING)
def test_cases_that_pass(judge_cases, name: str) -> None:
    """Each way to write what is expected."""
    query, expect = PASSING[name]
    code, said = judge_cases(**{query: case_of(query, expect)})
    assert (code, said[-1].split(";")[0]) == (0, "1 case passed"), said


def test_a_table_and_mappings_are_the_same_case(judge_cases) -> None:
    """Whether `given` is text or a list, with `same` or without. Of a query that is named, its cases only."""
    rows = "\n".join(
        f"    - {{type: {kind}, ts: {ts}, line: A, delay_min: {delay}}}"
        for kind, ts, delay in (
            ("Depart", "10:00", 1),
            ("Depart", "2013-03-08T10:20:00", 2),
            ("Arrive", 1362756600, 10),
        )
    )
    begin, end = SNOWBALL.index("  same"), SNOWBALL.index("  expect")
    again = SNOWBALL[:begin].replace("ever", "still") + f"  given:\n{rows}\n" + SNOWBALL[end:]
    code, said = judge_cases(
        "snowball", snowball=SNOWBALL + again, late_chains="- case: x\n  given: []\n  expect: none\n"
    )
    assert (code, said[-1].split(";")[0]) == (0, "2 cases passed")


FAILING = {
    "a match that does not come": (
        "snowball",
        "rows: [{a: 2, b: 1, c: 3}]",
        ("  missing     a 2, b 1, c 3", "  unexpected  a 1, b 2, c 3"),
        ("the pattern does not bind them as a = row 2; b = row 1; c = row 3", "decided by c.delay_min >= 10"),
    ),
    "a number": ("snowball", "total: 2", ("  total: expected 2, came 1",), ("[line]: A in every event",)),
    "a violation that does not come": (
        "no_arrival",
        "violations: [{ts: 12:00, x: A}]",
        ("  missing     ts 2013-03-08 12:00, x A", "  unexpected  ts 2013-03-08 10:00, offset 0, x A"),
        ('no Arrive(line="A") at ', "not decided by these events"),
    ),
    "a point": (
        "punctual",
        "violations: none",
        ("  unexpected  ts 2013-03-08 10:00, offset 0, line A",),
        ("EVENTUALLY[0,3600] Arrive does not hold",),
    ),
    "a match of which little is said": (
        "snowball",
        "among: [{a: 2}]",
        ("  missing     a 2",),
        ("not explained: no event is said for b and c",),
    ),
    "what must not come": ("snowball", "without: [{a: 1}]", ("  forbidden   a 1, b 2, c 3",), ("why: a = row 1",)),
}


@pytest.mark.parametrize("name", FAILING)
def test_a_failed_case_tells_rows_and_reasons(judge_cases, name: str) -> None:
    """The exit code is 1."""
    query, expect, rows, reasons = FAILING[name]
    code, said = judge_cases(**{query: case_of(query, expect)})
    assert code == 1
    assert said[0] == f"{query}: it is so (cases/{query}.yaml:1)"
    assert [line for line in rows if line not in said] == []
    assert [reason for reason in reasons if not any(reason in line for line in said)] == [], said
    assert said[-1].startswith("1 case failed, no cases passed")


def test_an_aggregation_tells_the_trends_of_a_window(judge_cases) -> None:
    """A row whose numbers differ stands beside the row that was expected; a mean agrees in the digits written."""
    given = "Arrive, 10:00, A, 5\n    Depart, 10:20, A, 6\n    Arrive, 10:30, A, 9\n    Depart, 11:00, A, 7"
    rows = "line, window_start, count, avg_D_delay_min\n        A, 10:00, {}, {}"
    case = (
        "- case: chains\n  day: 2013-03-08\n  given: |\n    type, ts, line, delay_min\n    "
        f"{given}\n  expect:\n    among: |\n        {rows}\n"
    )
    assert judge_cases(late_chains=case.format(4, 6.6))[0] == 0
    code, said = judge_cases(late_chains=case.format(5, 6.61))
    assert code == 1
    assert said[1] == "  missing     line A, window_start 2013-03-08 10:00, count 5, avg_D_delay_min 6.61"
    assert said[2].startswith("      4 trends in this window and group: rows 1 and 2; ")
    code, said = judge_cases(late_chains=case.replace("among", "rows").format(5, 6.6))
    assert code == 1
    assert said[1:3] == [
        "  expected    line A, window_start 2013-03-08 10:00, count 5, avg_D_delay_min 6.6",
        "  came        line A, window_start 2013-03-08 10:00, count 4, avg_D_delay_min 6.6",
    ]


def test_check_judges_cases_when_asked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A wrong case file is a problem of the folder in any case."""
    home = lines(tmp_path, snowball=SNOWBALL)
    assert main(["check", str(home), "--test"]) == 0
    assert "1 case passed" in capsys.readouterr().out
    (home / "cases" / "snowball.yaml").write_text(SNOWBALL.replace("1, 2, 3", "1, 2 2, 3"))
    assert main(["check", str(home)]) == 0
    assert "1 case of 1 query" in capsys.readouterr().out
    assert main(["check", str(home), "--test"]) == 1
    (home / "cases" / "snowball.yaml").write_text(SNOWBALL.replace("ever later", "''"))
    assert main(["check", str(home)]) == 2


@pytest.mark.parametrize("workload", ["nyc_flights"])
def test_the_samples_cases_pass(workload: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Those beside the sample's queries."""
    assert main(["test", f"workloads/{workload}"]) == 0
    assert " cases passed" in capsys.readouterr().out

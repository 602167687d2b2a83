"""Commands that ask a lake, or its sources, and write nothing there: `sql`, `try`, `test --record`, `preview`."""

from __future__ import annotations

import csv
import io
import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from pyspark.errors import AnalysisException, ParseException

from jobs import cli
from jobs.exits import WrongWorkload
from jobs.lake.asking.names import with_names
from jobs.lake.asking.question import ask as answer
from jobs.lake.asking.question import session_for_questions
from jobs.lake.session import LateSession
from jobs.lake.versions import versions_of
from jobs.questions.sampled.events import events_of
from jobs.questions.sampled.source_rows import sample
from jobs.workload.declaration import load_workload
from tests.runs.lake.lakes import CommandLine, SmallLake
from tests.runs.lake.small_workload import POLICIES, QUESTIONS, day

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

Ask = CommandLine


@pytest.fixture
def ask(copied: SmallLake, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Ask:
    """`trendmill sql` with a statement: its exit code and what it printed."""
    monkeypatch.setattr("jobs.commands.sql.start_session", lambda *_: copied.spark)

    def command(statement: str, *arguments: str) -> tuple[int, str]:
        code = cli.main(["sql", statement, *arguments])
        printed = capsys.readouterr()
        return code, printed.out + printed.err

    return command


def test_sql_answers_from_every_table(ask: Ask, copied: SmallLake) -> None:
    """Tables, tables of work and the events of matches have names; what is left out is said."""
    counts = dict.fromkeys(("climbs", "climbs_events", "work_staged_events"), "count(*)")
    counts |= dict.fromkeys(("silence_episodes", "unstopped_episodes_over_days"), "sum(points)")
    asked = [f"(SELECT {what} FROM machines.{name}) AS {name}" for name, what in counts.items()]
    code, printed = ask(f"SELECT {', '.join(asked)}")
    assert (code, printed.split()[:5]) == (0, list(counts))
    climbs, events, staged, *points = map(int, printed.split()[5:])
    listed = copied.table("climbs")
    assert climbs == listed.num_rows
    assert events == sum(2 + len(bound) for bound in listed["b"].to_pylist())
    assert staged >= copied.table("events").num_rows
    assert points == [copied.table(policy).num_rows for policy in ("silence", "unstopped")]
    code, printed = ask("-- how many?\nWITH e AS (SELECT seq FROM machines.events) SELECT * FROM e", "--limit", "2")
    assert printed.splitlines()[3:] == ["... more than 2 rows; --limit or --csv shows more"]
    code, printed = ask("SHOW TABLES IN machines")
    assert code == 0
    assert {"climbs_events", "unstopped_episodes_over_days", "work_slices"} <= set(printed.split())
    code, printed = ask("SELECT count(*) FROM IDENTIFIER(concat('Machines.', 'Climbs_Events'))")
    assert (code, printed.split()[-1]) == (0, str(events))


def test_sql_as_csv_has_every_row(ask: Ask, copied: SmallLake) -> None:
    """A value with a comma stays one value."""
    code, printed = ask(
        "SELECT seq, concat(machine, ', ', event_type) AS who FROM machines.events ORDER BY seq", "--csv"
    )
    events = sorted(copied.table("events").to_pylist(), key=lambda event: event["seq"])
    expected = [[str(event["seq"]), f"{event['machine']}, {event['event_type']}"] for event in events]
    assert code == 0
    assert list(csv.reader(io.StringIO(printed))) == [["seq", "who"], *expected]


NO_QUESTIONS = (
    "DROP TABLE machines.climbs",
    "DELETE FROM machines.climbs",
    "WITH old AS (SELECT * FROM machines.climbs) INSERT INTO machines.climbs SELECT * FROM old",
    "FROM machines.climbs INSERT INTO machines.climbs SELECT *",
    "SELECT * FROM machines.climb",
    # Spark's ways to files, to Java and to programs.
    "SELECT * FROM text.`/etc/passwd`",
    "SELECT * FROM parquet.`/tmp/x.parquet`",
    "SELECT * FROM delta.`/tmp`",
    "SELECT (SELECT max(value) FROM text.`/etc/passwd`)",
    "DESCRIBE DETAIL '/tmp'",
    "DESCRIBE DETAIL delta.`/tmp`",
    "SELECT reflect('java.lang.System', 'getProperty', 'user.dir')",
    "SELECT builtin.java_method('java.lang.System', 'getProperty', 'user.dir')",
    "SELECT system.builtin.try_reflect('java.lang.System', 'getProperty', 'user.dir')",
    "SELECT TRANSFORM(1) USING 'cat /etc/passwd' AS (line STRING)",
    "FROM (SELECT 1 AS a) MAP a USING 'cat /etc/passwd' AS line",
    "WITH t AS (SELECT TRANSFORM(1) USING 'id' AS (a STRING)) SELECT * FROM t",
    "SELECT 1 WHERE EXISTS (SELECT * FROM (SELECT TRANSFORM(1) USING 'id' AS (a STRING)))",
    "SELECT (SELECT max(a) FROM (SELECT TRANSFORM(1) USING 'id' AS (a STRING)))",
    "EXECUTE IMMEDIATE 'SELECT 1'",
    "SET spark.sql.runSQLOnFiles = true",
    "BEGIN SELECT 1; END",
)


REFUSALS = (WrongWorkload, AnalysisException, ParseException)
"""What the command ends with exit code 2 for."""


def test_sql_refuses_what_is_no_question(ask: Ask, copied: SmallLake) -> None:
    """Whatever the statement begins with, and no table has a new version; the command's exit code is 2."""
    before, versions = copied.tables(), versions_of("machines", copied.folder)
    for statement, said in (
        (NO_QUESTIONS[0], "only questions are asked here"),
        ("SELECT * FROM machines.climb", "trendmill: no table 'machines.climb'; did you mean 'machines.climbs'?\n"),
        ("SELECT maschine FROM machines.events", "no column 'maschine'; did you mean 'machine'?\n    SELECT maschine"),
        ("SELEC 1", "(SELECT, WITH, VALUES, DESCRIBE, SHOW); did you mean 'SELECT'?\n"),
        ("SELECT * FROM machines.events WHERE (", "syntax error at or near end of input\n    SELECT * FROM"),
        ("SELECT countt(*) FROM machines.events", "no function 'countt'; did you mean 'count'?\n"),
        ("SELECT seq, count(*) FROM machines.events", "does not include a GROUP BY clause"),
        ("SELECT 1 / 0", "trendmill: division by zero."),
        ("SELECT int('x')", "cannot be cast to"),
    ):
        code, printed = ask(statement)
        assert (statement, code) == (statement, 2)
        assert said in printed
        assert not re.search(r"SQLSTATE|== SQL|\[[A-Z_.]+\]|Aggregate|Project \[|Traceback", printed)
    session = session_for_questions(copied.spark)
    assert not is_refused(session, "SELECT * FROM machines.climbs")
    assert [statement for statement in NO_QUESTIONS if not is_refused(session, statement)] == []
    assert versions_of("machines", copied.folder) == versions
    assert copied.tables() == before


def is_refused(session: SparkSession, statement: str) -> bool:
    try:
        with_names(session, statement, answer).collect()
    except REFUSALS:
        return True
    return False


def test_try_finds_what_the_night_found(trendmill: CommandLine, copied: SmallLake) -> None:
    """The rows of a day that `evaluate` wrote, as text with a summary and as CSV; and of a file that nobody runs."""
    written = [row for row in copied.table("climbs").to_pylist() if row["day"] == day(2)]
    assert written
    code, printed = trendmill("try", "climbs", "--day", day(2).isoformat())
    assert code == 0
    assert f"{len(written):,} rows, matches_total {len(written)}" in printed
    first = datetime.fromtimestamp(min(row["first_ts"] for row in written), UTC)
    assert f"{first:%Y-%m-%d %H:%M:%S}" in printed
    code, printed = trendmill("try", "climbs", "--day", day(2).isoformat(), "--csv")
    rows = list(csv.DictReader(io.StringIO(printed)))
    expected = [(str(row["a"]), " ".join(map(str, row["b"])), str(row["c"])) for row in written]
    assert sorted((row["a"], row["b"], row["c"]) for row in rows) == sorted(expected)
    for policy in POLICIES:
        code, printed = trendmill("try", policy, "--day", day(2).isoformat(), "--csv")
        rows = list(csv.DictReader(io.StringIO(printed)))
        written = [row for row in copied.table(policy).to_pylist() if row["day"] == day(2)]
        expected_rows = sorted(tuple(str(row[name]) for name in rows[0]) for row in written)
        assert sorted(tuple(row.values()) for row in rows) == expected_rows
    query = copied.home / "loads.cep"
    query.write_text("PATTERN Start a WHERE a.load >= 85 WITHIN 1 hour\n")
    code, printed = trendmill("try", str(query), "--day", day(1).isoformat(), "--limit", "1")
    heavy = [event for event in copied.table("events").to_pylist() if event["load"] >= 85 and event["day"] == day(1)]
    assert code == 0
    assert f"{sum(event['event_type'] == 'Start' for event in heavy):,} rows" in printed
    query.write_text("PATTERN Start a WHERE a.load >= 85 AND a.load < 0 WITHIN 1 hour\n")
    code, printed = trendmill("try", str(query), "--day", day(1).isoformat())
    loads = [
        event["load"]
        for event in copied.table("events").to_pylist()
        if event["event_type"] == "Start" and event["day"] == day(1)
    ]
    heavy = sum(load >= 85 for load in loads)
    assert code == 0
    assert printed.startswith(f"Without a.load < 0 there would be {heavy:,} match")
    assert "no rows, matches_total 0; " in printed


def test_a_recorded_case_passes_at_once(trendmill: CommandLine, copied: SmallLake) -> None:
    """Of every kind of question, with few events. A second case joins the first; a refused one leaves it as it is."""
    for name in QUESTIONS:
        code, printed = trendmill("test", "--record", name, "--day", day(2).isoformat())
        assert (name, code) == (name, 0), printed
        assert printed.splitlines()[-1].endswith("; it passes")
        assert len((copied.home / "cases" / f"{name}.yaml").read_text().splitlines()) < 25
    third = ("--row", "3", "--title", "the third")
    assert trendmill("test", "--record", "climbs", "--day", day(2).isoformat(), *third)[0] == 0
    code, printed = trendmill("test")
    assert (code, printed.split(";")[0]) == (0, f"{len(QUESTIONS) + 1} cases passed"), printed
    file = copied.home / "cases" / "climbs.yaml"
    before = file.read_text()
    for arguments, said in (
        (third, "two cases are called 'the third'"),
        (("--row", "100000"), "--row 100000: climbs has "),
        (("--day", day(9).isoformat()), f"the lake does not hold {day(9)}"),
    ):
        code, printed = trendmill("test", "--record", "climbs", "--day", day(2).isoformat(), *arguments)
        assert code == 2
        assert said in printed
    assert file.read_text() == before
    assert [path.name for path in file.parent.iterdir() if path.name.startswith(".")] == []


def test_a_preview_has_the_events_of_a_load(trendmill: CommandLine, copied: SmallLake) -> None:
    """All rows of a day give the events that the night loaded; of a few rows it says that there are more."""
    workload = load_workload(copied.home)
    session = LateSession.of(copied.spark)
    preview = events_of(workload, sample(workload, day(2), 1_000, session), session)
    loaded = copied.table("events")
    loaded = loaded.filter(pc.equal(loaded["day"], pa.scalar(day(2))))
    names = ["event_type", "ts", *workload.attributes]
    assert preview.events.select(names).sort_by("ts").to_pylist() == loaded.select(names).sort_by("ts").to_pylist()
    code, printed = trendmill("preview", "--day", day(2).isoformat(), "--limit", "1")
    assert code == 0, printed
    said = printed.splitlines()
    assert "  source steps: 61 rows, all of 2013-01-03.csv" in said
    assert "Stop: 12 events" in said
    assert said[-4:-2] == ["1 row refused", "  steps, load_known: a load is never negative: 1 row"]
    assert said[-2].strip() == f"60,Start,{1357171200 + 100},m1,-1"
    (copied.home / "events.sql").write_text((copied.home / "events.sql").read_text().replace("load,", "NULL AS load,"))
    code, printed = trendmill("preview", "--rows", "10")
    assert code == 0, printed
    said = printed.splitlines()
    assert "  source steps: 10 rows, the first of 2013-01-01.csv" in said
    assert "no event" in said
    assert "  steps, event: no load of Start: 8 rows" in said

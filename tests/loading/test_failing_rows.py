"""Values on which an expression of events.sql or a row rule fails refuse their row; all others give events."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from jobs.exits import WrongWorkload
from jobs.raw.attempts import LOSSES, without_traces
from jobs.workload.declaration import load_workload
from tests.lake.readings import D1, D2, Readings
from tests.scales import generating_code

pytestmark = pytest.mark.spark

EVENTS = """
WITH numbered AS (SELECT *, CAST(meter AS INT) AS number FROM readings)
SELECT 'Reading' AS event_type, unix_seconds(at) AS ts, _row, meter, 100 / (kwh - 2) AS kwh FROM numbered
WHERE number < 50 AND meter <> 'none'
UNION ALL
SELECT 'Next', unix_seconds(at) + 86400, _row, CASE WHEN kwh > 3 THEN assert_number(meter) ELSE meter END, 1 / (kwh - 4)
FROM numbered WHERE kwh > 1
""".replace("assert_number(meter)", "CAST(CAST(meter AS INT) AS STRING)")
"""`kwh` of Next is no attribute of it, so what fails there is never asked for."""

NUMBERS = {"7": 7, " 8 ": 8, "60": 60, "x": None, "99999999999": None, "none": None}
"""Texts of meters, as the numbers that Spark takes them for; None: it refuses them."""
POWERS = (0.5, 2.0, 3.0, 4.0, 5.0)


def is_refused(meter: str, kwh: float) -> bool:
    """Of the Reading: its condition unless it says no, its number. Of the Next: its meter, where it is looked at."""
    number = NUMBERS[meter]
    undecided = number is None and meter != "none"
    is_reading = number is not None and number < 50
    return undecided or (is_reading and kwh == 2) or (kwh > 3 and number is None)


def expected(rows: list[tuple[str, float]]) -> list[tuple[str, str, float | None]]:
    """Type, meter and power of the events of rows that nothing refuses."""
    events: list[tuple[str, str, float | None]] = []
    for meter, kwh in rows:
        number = NUMBERS[meter]
        if is_refused(meter, kwh):
            continue
        if number is not None and number < 50:
            events.append(("Reading", meter, 100 / (kwh - 2)))
        if kwh > 1:
            events.append(("Next", str(number) if kwh > 3 else meter, None))
    return sorted(events, key=repr)


@contextmanager
def loading(readings: Readings, way: str) -> Iterator[None]:
    """In this block loads are small ones, or Spark's, which generates code or not."""
    with ExitStack() as stack:
        if way != "small":
            stack.enter_context(readings.as_large())
        if way == "code":
            stack.enter_context(generating_code(readings.spark))
        yield


def with_events(readings: Readings, sql: str, rules: str = "rows: []\ngate: []\n") -> None:
    (readings.workload.folder / "events.sql").write_text(sql)
    (readings.workload.folder / "expectations.yaml").write_text(rules)
    readings.workload = load_workload(readings.workload.folder)


def test_rows_on_which_events_sql_fails(spark: Any, tmp_path: Path) -> None:
    """Every pair of a text and a number, in each way of loading: siblings go with a flawed event, guards hold."""
    readings = Readings(spark, tmp_path)
    with_events(readings, EVENTS)
    rows = list(product(NUMBERS, POWERS))
    readings.write(*(f"{n},2024-01-01T10:00:{n:02}Z,{meter},{kwh}" for n, (meter, kwh) in enumerate(rows)))
    refused = {n for n, row in enumerate(rows) if is_refused(*row)}
    quarantines = []
    for way in ("small", "code"):
        with loading(readings, way):
            readings.load(D1, D2)
        assert readings.rows("events", "event_type", "meter", "kwh") == expected(rows)
        assert {int(raw.split(",")[0]) for (raw,) in readings.rows("quarantine", "raw")} == refused
        assert sum(readings.equation(day)["refused"] for day in (D1, D2)) == len(refused)
        quarantines.append(readings.rows("quarantine"))
    assert quarantines[0] == quarantines[1]
    reasons = {reason for (reason,) in readings.rows("quarantine", "reason")}
    assert any("cannot compute kwh: (CAST(100 AS DOUBLE) /" in reason for reason in reasons)
    assert any("cannot tell whether (CAST(" in reason for reason in reasons)
    readings.load(D2)
    readings.load(D1)
    assert readings.rows("quarantine") == quarantines[0]


SELECTED = "unix_seconds(at) AS ts, _row, meter, CAST(meter AS INT) AS kwh"
SHAPES = {
    "a union inside": f"""SELECT 'Reading' AS event_type, ts, _row, meter, kwh FROM (
        SELECT {SELECTED} FROM readings WHERE id < 9 UNION ALL SELECT {SELECTED} FROM readings WHERE id >= 9)
        WHERE kwh < 5""",
    "a table beside": f"""SELECT 'Reading' AS event_type, {SELECTED.replace("AS kwh", "- n AS kwh")}
        FROM readings LEFT JOIN (VALUES (1, 0), (2, 0)) other(k, n) ON k = id""",
    "rows made of one": f"""SELECT 'Reading' AS event_type, {SELECTED.replace("meter", "part")} FROM readings
        LATERAL VIEW explode(split(meter, '/')) parts AS part""".replace("part, CAST", "part AS meter, CAST"),
}


def test_selects_inside_each_other(spark: Any, tmp_path: Path) -> None:
    """A UNION ALL in FROM, a join and a LATERAL VIEW below the part that fails; names of parts are not told."""
    readings = Readings(spark, tmp_path)
    readings.write("1,2024-01-01T10:00:00Z,4,1", "2,2024-01-01T10:00:00Z,4/x,1", "9,2024-01-01T10:00:00Z,x,1")
    for sql in SHAPES.values():
        with_events(readings, sql)
        readings.load(D1)
        assert readings.rows("events", "meter", "kwh") == [("4", 4.0)]
        refused = dict(readings.rows("quarantine", "raw", "reason"))
        assert {raw[0] for raw in refused} == {"2", "9"}
        assert not any("__auto" in reason for reason in refused.values())


def test_what_fails_where_rows_are_brought_together(spark: Any, tmp_path: Path) -> None:
    """No row can be refused: the load ends, says what failed and how to mend it, and writes nothing."""
    readings = Readings(spark, tmp_path)
    sql = """SELECT 'Reading' AS event_type, ts, _row, meter, number AS kwh FROM (
        SELECT unix_seconds(at) AS ts, _row, meter, lag(CAST(meter AS INT)) OVER (ORDER BY id) AS number
        FROM readings)"""
    with_events(readings, sql)
    readings.write("1,2024-01-01T10:00:00Z,x,1", "2,2024-01-01T10:00:00Z,2,1")
    for way in ("small", "large"):
        with (
            loading(readings, way),
            pytest.raises(WrongWorkload, match=r"'x' .* cannot be cast .*write try_cast") as refused,
        ):
            readings.load(D1)
        assert "SQLSTATE" not in str(refused.value)
    assert readings.rows("work_source_rows") == []


def test_rules_that_fail_refuse_the_row(spark: Any, tmp_path: Path) -> None:
    """A rule that is false, one that fails, one that is NULL or true; the first that refuses a row is told."""
    readings = Readings(spark, tmp_path)
    with_events(
        readings,
        "SELECT 'Reading' AS event_type, unix_seconds(at) AS ts, _row, meter, kwh FROM readings",
        """rows:
  - {name: whole, source: readings, holds: CAST(meter AS INT) > 0, reason: meters have numbers}
  - {name: shared, source: readings, holds: 1 / kwh < 9, reason: no meter stands still}
gate: []
""",
    )
    good = [f"{n},2024-01-01T10:00:00Z,7,1" for n in range(5)]
    readings.write(*good, "6,2024-01-01T10:00:00Z,-7,0", "7,2024-01-01T10:00:00Z,x,0", "8,2024-01-01T10:00:00Z,7,0")
    for way in ("small", "large"):
        with loading(readings, way):
            readings.load(D1)
        assert readings.rows("events", "meter") == [("7",)] * 5
        failed = "(the rule fails on the row's values)"
        assert set(readings.rows("quarantine", "rule", "reason")) == {
            ("shared", f"no meter stands still {failed}"),
            ("whole", "meters have numbers"),
            ("whole", f"meters have numbers {failed}"),
        }


def test_gate_queries_that_fail(spark: Any, tmp_path: Path) -> None:
    """A day cannot be judged by what fails: the load ends with the rule's name."""
    readings = Readings(spark, tmp_path)
    rule = "{name: numbered, over: 'SELECT day, max(CAST(meter AS INT)) AS n FROM events GROUP BY day', "
    rule += "type: expect_column_values_to_not_be_null, arguments: {column: n}, reason: meters have numbers}"
    sql = "SELECT 'Reading' AS event_type, unix_seconds(at) AS ts, _row, meter, kwh FROM readings"
    with_events(readings, sql, f"rows: []\ngate: [{rule}]\n")
    readings.write("1,2024-01-01T10:00:00Z,x,1")
    with pytest.raises(WrongWorkload, match=r"gate rule 'numbered': The value 'x' .* malformed\.$"):
        readings.load(D1)
    assert readings.rows("events") == []


def test_lost_executors_are_told_where_traces_are_not(spark: Any) -> None:
    """events.sql is computed without traces of what fails; meanwhile an executor may die, which is told."""
    manager = spark._jvm.org.apache.logging.log4j.LogManager

    def tells() -> list[bool]:
        return [manager.getLogger(name).isErrorEnabled() for name in (*LOSSES, "org.apache.spark.executor.Executor")]

    assert all(tells())
    with without_traces(spark):
        assert tells() == [True, True, False]
    assert all(tells())

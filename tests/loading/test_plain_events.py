"""A large load whose events.sql only picks and compares columns leaves the tables that Spark's way leaves."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from jobs.erasure.key import KEY
from jobs.stages.loading import spark_load
from jobs.stages.loading.plain_events.expressions import in_rows
from jobs.stages.loading.plain_events.plain_sql import plain_sources, plain_truth
from jobs.workload.declaration import load_workload
from tests.lake.readings import D1, D2, D3, LOADED, RULES, Readings
from tests.lake.test_erased_loads import erase

pytestmark = pytest.mark.spark

PLAIN = """
SELECT 'Reading' AS event_type, unix_seconds(at) AS ts, _row, meter, kwh FROM readings WHERE NOT meter = 'none'
UNION ALL
SELECT 'Next', unix_millis(at), _row, meter, NULL FROM (SELECT * FROM readings WHERE kwh > 100 OR kwh IS NULL) AS some
WHERE meter IN ('a', 'b', 'never')
"""
"""`ts` of Next lies outside the calendar, but for that of 1970: such rows are refused."""

ROWS = [
    "1,2024-01-01T10:00:00Z,a,5",
    "2,2024-01-01T10:00:00Z,b,200",
    "3,2024-01-01T10:00:00Z,a,5",
    "4,2024-01-02T09:00:00Z,c,1e3",
    "5,2024-01-02T09:00:00Z,,1",
    "6,2024-01-02T09:00:00Z,c,-1",
    "7,no time,c,1",
    "8,2024-01-02T09:00:00Z,none,1",
    "9,2024-01-03T09:00:00Z,d,",
    "10,1970-01-01T00:00:00Z,b,101",
    "11,,a,7",
    "12,2024-01-01T23:59:59.999999Z,é,7.5",
]
GOOD = [ROWS[0], ROWS[2], ROWS[11]]
UNPLAIN = {
    "a function": PLAIN.replace("unix_seconds(at)", "unix_seconds(at) + 1"),
    "another type": PLAIN.replace("kwh FROM", "id AS kwh FROM"),
    "a window": PLAIN.replace("meter, kwh FROM", "meter, max(kwh) OVER () AS kwh FROM"),
    "a subquery": PLAIN.replace("NOT meter = 'none'", "meter NOT IN (SELECT meter FROM readings WHERE kwh > 9)"),
    "a join": PLAIN.replace(
        "FROM readings WHERE NOT", "FROM readings LEFT SEMI JOIN readings AS r USING (id) WHERE NOT"
    ),
    "a limit": PLAIN.replace("(SELECT * FROM readings", "(SELECT * FROM readings LIMIT 3)").replace(
        " OR kwh IS NULL)", ""
    ),
    "chance": PLAIN.replace("NOT meter = 'none'", "rand() < 0.5"),
    "a constant that fails": PLAIN.replace("kwh > 100", "kwh > 1 / 0"),
    "a column unknown": PLAIN.replace("kwh IS NULL", "watts IS NULL"),
    "a row of its own": PLAIN.replace("_row, meter, kwh", "NULL AS _row, meter, kwh"),
}


def with_events(readings: Readings, sql: str, rules: str = RULES) -> Readings:
    (readings.workload.folder / "events.sql").write_text(sql)
    (readings.workload.folder / "expectations.yaml").write_text(rules)
    readings.workload = load_workload(readings.workload.folder)
    return readings


@pytest.mark.parametrize(
    ("more", "erased", "left"),
    [("order: [kwh, at, meter, id]", (), 5), ("time: at\n    slack: 1", ("meter = 'a'",), 3)],
)
def test_both_ways_leave_equal_tables(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, more: str, erased: tuple[str, ...], left: int
) -> None:
    """Nulls, ties, refused rows of all kinds, days without events, rows that were erased."""
    monkeypatch.setenv(KEY, "k" * 32)
    readings = with_events(Readings(spark, tmp_path, more=more), PLAIN)
    if erased:
        erase(readings, *erased)
    readings.write(*ROWS)
    with readings.as_large():
        readings.load(D1, D2, D3)
        by_workers = {table: readings.rows(table) for table in LOADED}
        monkeypatch.setattr(spark_load, "plain_sources", lambda run: None)
        readings.load(D1, D2, D3)
    assert {table: readings.rows(table) for table in LOADED} == by_workers
    assert len(by_workers["events"]) == left
    refused = {row[3].split(",")[0] for row in by_workers["quarantine"]}
    held_back = {"11"} if erased else set[str]()
    assert refused == {"2", "6", "7", "11"} - held_back  # a condition that is unknown for row 5 leaves it out


def test_rows_of_which_nothing_is_asked_do_not_reach_spark(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same events as of a small load; events.sql is only analysed."""
    readings = with_events(Readings(spark, tmp_path), PLAIN)
    readings.write(*GOOD)
    with monkeypatch.context() as patched, readings.as_large():
        patched.setattr(spark_load, "with_candidates", lambda *_: pytest.fail("events.sql was computed"))
        readings.load(D1, D2)
        by_workers = {table: readings.rows(table) for table in LOADED}
    readings.load(D1, D2)
    assert {table: readings.rows(table) for table in LOADED} == by_workers
    assert len(by_workers["events"]) == len(GOOD)


VALUES = {
    "n": [None, -1, 0, 7, 2**63 - 1],
    "x": [None, float("nan"), -0.0, 0.0, 7.5, float("inf")],
    "s": [None, "", "a", "é", "z"],
    "b": [None, True, False],
}
PREDICATES = (
    "n >= 0", "n <> 7", "n IN (7, -1)", "n NOT IN (0, NULL)", "n < 9223372036854775807", "n IS NULL OR n = 7",
    "x > 7", "x < 7.5", "x <= 0", "x = 0", "x = double('NaN')", "x >= 'NaN'", "NOT x < double('NaN')", "x IS NOT NULL",
    "x IN (double('NaN'), 7.5)", "s < 'z'", "s > 'a'", "s = ''", "'é' <= s", "b AND n > 0", "b OR n > 0", "NOT b",
    "(n = 0) IS NULL", "b", "1 < 2", "unix_micros(t) = -1", "unix_millis(t) = -1", "unix_seconds(t) < 0",
)  # fmt: skip


def test_expressions_mean_what_they_mean_to_spark(spark: Any) -> None:
    """Every predicate, on all pairs of numbers, truths, texts and stamps."""
    pairs = list(product(*VALUES.values()))
    columns = dict(zip(VALUES, zip(*pairs, strict=True), strict=True))
    kinds = {"n": pa.int64(), "x": pa.float64(), "s": pa.string(), "b": pa.bool_()}
    stamps = pa.array([(None, -1, 0, 1_000_001)[place % 4] for place in range(len(pairs))], pa.timestamp("us", "UTC"))
    table = pa.table({name: pa.array(values, kinds[name]) for name, values in columns.items()} | {"t": stamps})
    empty = spark.createDataFrame([], "n BIGINT, x DOUBLE, s STRING, b BOOLEAN, t TIMESTAMP")
    [batch] = table.to_batches()
    computed = spark.createDataFrame(table).selectExpr(
        *(f"({each}) AS p{place}" for place, each in enumerate(PREDICATES))
    )
    for predicate, expected in zip(PREDICATES, computed.toArrow().columns, strict=True):
        given = in_rows(plain_truth(empty, predicate).of(batch).cast(pa.bool_()), batch.num_rows)
        assert given.to_pylist() == expected.to_pylist(), predicate


@pytest.mark.parametrize("name", UNPLAIN)
def test_what_looks_at_other_rows_is_left_to_spark(spark: Any, tmp_path: Path, name: str) -> None:
    readings = with_events(Readings(spark, tmp_path), PLAIN)
    assert plain_sources(readings.run(D1)) is not None
    assert plain_sources(with_events(readings, UNPLAIN[name]).run(D1)) is None


@pytest.mark.parametrize(
    "rule", ["kwh + 1 >= 0", "kwh >= (SELECT min(kwh) FROM readings)", "meter COLLATE UNICODE = 'a'"]
)
def test_a_rule_that_only_spark_computes(spark: Any, tmp_path: Path, rule: str) -> None:
    readings = with_events(Readings(spark, tmp_path), PLAIN, RULES.replace("kwh >= 0", f'"{rule}"'))
    assert plain_sources(readings.run(D1)) is None

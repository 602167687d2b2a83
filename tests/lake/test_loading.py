"""What a load does with good rows, with bad ones, and with sources that cannot be read."""

from __future__ import annotations

import gzip
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from jobs.exits import SourceMissing, UnreadableSource, WrongHeader, WrongWorkload
from jobs.lake.spark_settings import HELD
from jobs.stages.ingest import ingest
from tests.lake.readings import D1, D2, D3, EVENTS, Readings

pytestmark = [pytest.mark.spark, pytest.mark.long]

GOOD = ("1,2024-01-01T10:00:00Z,a,5", "2,2024-01-01T10:00:00Z,b,200", "3,2024-01-02T09:00:00Z,a,6")


@pytest.fixture
def readings(spark: Any, tmp_path: Path) -> Readings:
    return Readings(spark, tmp_path)


def test_a_day_gets_exactly_its_events(readings: Readings) -> None:
    """By ts, whatever row they came from; ties by order columns; the equation of rows holds."""
    readings.write(*GOOD)
    outcome = readings.load(D1, D2)
    assert readings.rows("events", "day", "event_type", "meter", "seq") == [
        (D1, "Reading", "a", 19723 << 40),
        (D1, "Reading", "b", (19723 << 40) + 1),
        (D2, "Next", "b", (19724 << 40) + 1),
        (D2, "Reading", "a", 19724 << 40),
    ]
    assert readings.equation(D2) == {"read": 3, "gave_event": 2, "refused": 0, "other_days": 1, "without_event": 0}
    assert outcome.rows_out == 4
    assert not outcome.refused


def test_any_order_of_loads_leaves_the_same_tables(readings: Readings) -> None:
    """Days one by one, backwards and again, or at once: same events, same quarantine, undated rows once.

    One load is that of a large input, one that of a larger one than Spark's small settings are for, which this process
    holds nevertheless; the others are those of small ones.
    """
    readings.write(*GOOD, "4,not a time,a,7", "5,2024-01-02T11:00:00Z,a,-1", "6,2024-01-03T11:00:00Z,c,1")
    readings.load(D1, D2, D3)
    tables = ("events", "quarantine", "work_source_rows")
    at_once = {table: readings.rows(table) for table in tables}
    assert [row[4] for row in at_once["quarantine"]] == ["type", "not_negative"]
    readings.load(D3)
    with readings.as_large():
        readings.load(D1, D2)
        readings.spark.conf.set(HELD, "1000000")
        readings.load(D2)
    readings.load(D1)
    assert {table: readings.rows(table) for table in tables} == at_once


def test_refused_rows_keep_rule_reason_and_raw_text(readings: Readings) -> None:
    """Wrong numbers of fields, wrong types, bytes that are not UTF-8, false rules, missing attributes; NULL passes."""
    rows = [
        b"id,at,meter,kwh",
        b"1,2024-01-01T10:00:00Z,a,",
        b"2,2024-01-01T10:00:00Z,b,-5",
        b"3,2024-01-01T10:00:00Z,c",
        b"4,2024-01-01T10:00:00Z,d,much",
        b"5,2024-01-01T10:00:00Z,\xff\xe9,1",
        b"6,2024-01-01T10:00:00Z,,1",
        *(f"{n},2024-01-01T11:00:00Z,x,1".encode() for n in range(7, 20)),
    ]
    readings.file().write_bytes(b"\n".join(rows) + b"\n")
    readings.load(D1)
    quarantined = dict(readings.rows("quarantine", "rule", "raw"))
    assert quarantined == {
        "not_negative": "2,2024-01-01T10:00:00Z,b,-5",
        "shape": "3,2024-01-01T10:00:00Z,c",
        "type": "4,2024-01-01T10:00:00Z,d,much",
        "utf8": "5,2024-01-01T10:00:00Z,\\xff\\xe9,1",
        "event": "6,2024-01-01T10:00:00Z,,1",
    }
    assert ("no meter of Reading",) in readings.rows("quarantine", "reason")
    assert readings.equation(D1)["refused"] == 5
    assert readings.equation(D1)["gave_event"] == 14


def test_a_failing_day_keeps_its_events(readings: Readings) -> None:
    """Its refused rows and verdict are written, the other days go on; a repair leaves no trace."""
    readings.write(*GOOD)
    readings.load(D1, D2)
    before = readings.rows("events")
    readings.write(
        *GOOD[:2], "3,2024-01-02T09:00:00Z,a,-6", "7,2024-01-02T09:30:00Z,a,-7", "8,2024-01-01T12:00:00Z,c,1"
    )
    outcome = readings.load(D1, D2)
    assert list(outcome.refused) == [D2]
    assert "few_refused" in outcome.refused[D2]
    assert [row for row in readings.rows("events") if row[0] == D2] == [row for row in before if row[0] == D2]
    assert len(readings.rows("events")) == len(before) + 1
    assert len(readings.rows("quarantine")) == 2
    assert readings.rows("work_loaded_days", "day", "refused", "events") == [(D1, False, 3), (D2, True, 2)]
    readings.write(*GOOD)
    readings.load(D1, D2)
    assert readings.rows("events") == before
    assert readings.rows("quarantine") == []


def test_a_day_without_events_is_loaded_and_empty(readings: Readings) -> None:
    """No row of the day: the day is known, with no event; what it held before is cleared."""
    readings.write(*GOOD)
    readings.load(D2)
    readings.write(GOOD[0])
    readings.load(D2)
    assert readings.rows("events") == []
    assert readings.rows("work_loaded_days", "day", "digest", "refused", "events") == [(D2, "0", False, 0)]


def test_a_missing_source_is_not_an_empty_day(readings: Readings) -> None:
    """Nothing is written before every source that must exist has been found."""
    with pytest.raises(SourceMissing, match="source missing: 'readings'"):
        ingest(readings.run(D1))
    assert readings.rows("work_source_rows") == []


def test_a_header_unlike_its_declaration_is_refused(readings: Readings) -> None:
    """Expected and found columns are told."""
    readings.file().write_text("id,at,metre,kwh\n1,2024-01-01T10:00:00Z,a,5\n")
    with pytest.raises(WrongHeader, match=r"missing: \['meter'\]; not declared: \['metre'\]"):
        ingest(readings.run(D1))


@pytest.mark.parametrize("damage", ["truncated", "corrupt"])
def test_a_damaged_gzip_names_file_and_byte(spark: Any, tmp_path: Path, damage: str) -> None:
    """No row of a file that cannot be read to its end is staged."""
    readings = Readings(spark, tmp_path, path="readings.csv.gz")
    text = "id,at,meter,kwh\n" + "".join(f"{n},2024-01-01T10:00:00Z,m{n * 7919 % 1000},{n}\n" for n in range(5_000))
    packed = bytearray(gzip.compress(text.encode()))
    if damage == "truncated":
        packed = packed[: len(packed) // 2]
    else:
        packed[-6] ^= 0xFF
    readings.file("readings.csv.gz").write_bytes(packed)
    with pytest.raises(UnreadableSource, match=r"readings\.csv\.gz at byte \d+"):
        ingest(readings.run(D1))
    assert readings.rows("work_staged_events") == []


def test_wrong_events_sql_is_the_workloads_fault(readings: Readings) -> None:
    """Unknown columns and undeclared attributes are told as such."""
    readings.write(*GOOD)
    for text in (EVENTS.replace("kwh FROM", "kwhs FROM"), EVENTS.replace("meter, kwh FROM", "meter AS m, kwh FROM")):
        object.__setattr__(readings.workload, "events_sql", text)
        with pytest.raises(WrongWorkload, match=r"events\.sql"):
            ingest(readings.run(D1))


def test_an_event_of_no_row_is_the_workloads_fault(readings: Readings) -> None:
    """Whoever holds the rows: nobody could say what became of which row."""
    readings.write(*GOOD)
    object.__setattr__(readings.workload, "events_sql", EVENTS.replace("_row", "id AS _row"))
    with pytest.raises(WrongWorkload, match="'_row' is bigint"):
        ingest(readings.run(D1))
    made_up = "named_struct('rank', {}, 'id', {}, 'order', _row.order, 'hash', _row.hash, 'day', _row.day)"
    for row in ("IF(kwh > 150, NULL, _row)", made_up.format("9", "_row.id"), made_up.format("0", "_row.id + 77L")):
        object.__setattr__(readings.workload, "events_sql", EVENTS.replace("_row, meter, NULL", f"{row}, meter, NULL"))
        with pytest.raises(WrongWorkload, match="names no row"):
            ingest(readings.run(D1))
        with readings.as_large(), pytest.raises(WrongWorkload, match="names no row"):
            ingest(readings.run(D1))


def test_a_column_of_types_is_judged_row_by_row(readings: Readings) -> None:
    """`meter AS event_type`: a type that is not declared, or none, refuses its row."""
    sql = "SELECT meter AS event_type, unix_seconds(at) AS ts, _row, meter, kwh FROM readings"
    object.__setattr__(readings.workload, "events_sql", sql)
    at = "2024-01-01T10:00:00Z"
    readings.write(f"1,{at},Reading,5", f"2,{at},Next,6", f"3,{at},reading,7", f"4,{at},,8", f"5,{at},Reading,9")
    readings.load(D1)
    assert [kind for (kind,) in readings.rows("events", "event_type")] == ["Next", "Reading", "Reading"]
    assert readings.rows("quarantine", "rule", "reason") == [
        ("event", "an event of the row has no type"),
        ("event", "undeclared event type reading"),
    ]


def test_files_of_days_with_slack(spark: Any, tmp_path: Path) -> None:
    """A run reads its days' files and those within the slack; an undated row belongs to its file's day."""
    readings = Readings(spark, tmp_path, path="'{day}.csv'", more="slack: 1")
    for day, rows in (
        (D1, ("1,2024-01-01T10:00:00Z,a,1", "2,2024-01-02T00:30:00Z,a,2")),
        (D2, ("3,2024-01-02T10:00:00Z,a,3", "4,?,a,4")),
        (D3, ("5,2024-01-03T10:00:00Z,a,5",)),
    ):
        readings.write(*rows, name=f"{day}.csv")
    readings.load(D2)
    assert readings.rows("events", "kwh") == [(2.0,), (3.0,)]
    assert readings.rows("quarantine", "day", "rule", "undated") == [(D2, "type", False)]
    with pytest.raises(SourceMissing, match="2024-01-05"):
        ingest(readings.run(date(2024, 1, 5)))


def test_parts_of_a_file_that_count_alike(spark: Any, tmp_path: Path) -> None:
    """Two row groups of two rows each, read by workers: four rows."""
    readings = Readings(spark, tmp_path, format="parquet", path="readings.parquet")
    moments = [datetime(2024, 1, 1, hour, tzinfo=UTC) for hour in range(4)]
    rows = {"id": [1, 2, 3, 4], "at": moments, "meter": list("abcd"), "kwh": [1.0, 2.0, 3.0, -4.0]}
    pq.write_table(pa.table(rows), readings.file("readings.parquet"), row_group_size=2)
    with readings.as_large():
        readings.load(D1)
    assert readings.equation(D1) == {"read": 4, "gave_event": 3, "refused": 1, "other_days": 0, "without_event": 0}


@pytest.mark.parametrize("form", ["json", "parquet", "delta"])
def test_other_formats_give_the_same_events(spark: Any, tmp_path: Path, form: str) -> None:
    """JSON lines, Parquet and a Delta table hold the same rows as CSV."""
    readings = Readings(spark, tmp_path, format=form, path="data")
    frame = spark.sql(
        "SELECT * FROM VALUES (1L, TIMESTAMP'2024-01-01 10:00:00Z', 'a', 5D), "
        "(2L, TIMESTAMP'2024-01-01 10:00:00Z', 'b', 200D), "
        "(3L, TIMESTAMP'2024-01-02 09:00:00Z', 'a', -1D) AS t(id, at, meter, kwh)"
    )
    frame.write.format(form).save(str(readings.file("data")))
    readings.load(D1, D2)
    assert readings.rows("events", "event_type", "meter", "seq") == [
        ("Next", "b", 19724 << 40),
        ("Reading", "a", 19723 << 40),
        ("Reading", "b", (19723 << 40) + 1),
    ]
    ((raw, rule),) = readings.rows("quarantine", "raw", "rule")
    assert rule == "not_negative"
    assert '"meter":"a"' in raw

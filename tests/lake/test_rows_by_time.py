"""A source whose rows tell their days: any cut into runs leaves the same tables, though each reads only a part."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from jobs.raw.source_files import find
from jobs.stages.ingest import ingest
from tests.lake.readings import D1, D2, D3, Readings
from tests.leases import leased

pytestmark = [pytest.mark.spark, pytest.mark.long]

D4 = date(2024, 1, 4)
TABLES = ("events", "quarantine", "work_source_rows", "work_source_files")
ROWS = [
    (D1, "a", 1.0, 1.0),
    (D1, "b", 200.0, 2.0),  # also gives an event on the next day
    (D1, "c", 1.0, 3.5),  # 3.5 is no int
    (D2, "a", 2.0, 4.0),
    (D2, "b", -1.0, 5.0),
    (D2, None, 1.0, 6.0),  # an event must have its meter
    (D3, "a", 3.0, 7.0),
    (D3, "b", 300.0, 8.0),
    (None, "c", 1.0, 9.0),  # no time: the row belongs to no day
    (D4, "a", 4.0, 10.0),
    (D4, "b", 5.0, 11.0),
    (D4, "c", 6.0, 12.0),
]


def written(readings: Readings, name: str = "readings.parquet") -> None:
    """The rows in groups of three: of one day each, but for one row without a time in the third."""
    moments = [day and datetime(day.year, day.month, day.day, 10, tzinfo=UTC) for day, *_ in ROWS]
    columns = {"id": [id for *_, id in ROWS], "at": pa.array(moments, pa.timestamp("us", "UTC"))}
    columns |= {"meter": [meter for _, meter, _, _ in ROWS], "kwh": [kwh for _, _, kwh, _ in ROWS]}
    pq.write_table(pa.table(columns), readings.file(name), row_group_size=3)


def held(readings: Readings) -> dict[str, list[tuple[Any, ...]]]:
    return {table: readings.rows(table) for table in TABLES}


def test_any_cut_into_runs_leaves_the_same_tables(spark: Any, tmp_path: Path) -> None:
    """At once as a large load, and day by day as small ones, backwards; each row is accounted for on each day."""
    readings = Readings(spark, tmp_path, "parquet", "readings.parquet", "time: at\n    slack: 1")
    written(readings)
    with readings.as_large():
        readings.load(D1, D2, D3, D4)
    at_once = held(readings)
    for day in (D4, D3, D2, D1):
        readings.load(day)
    assert held(readings) == at_once
    assert readings.rows("events", "day", "event_type", "meter") == [
        (D1, "Reading", "a"), (D1, "Reading", "b"), (D2, "Next", "b"), (D2, "Reading", "a"), (D3, "Reading", "a"),
        (D3, "Reading", "b"), (D4, "Next", "b"), (D4, "Reading", "a"), (D4, "Reading", "b"), (D4, "Reading", "c"),
    ]  # fmt: skip
    assert readings.rows("quarantine", "day", "rule", "undated") == [
        (D1, "event", True),  # no readable ts
        (D1, "type", False),
        (D2, "event", False),
        (D2, "not_negative", False),
    ]
    assert readings.equation(D1) == {"read": 12, "gave_event": 2, "refused": 2, "other_days": 8, "without_event": 0}
    for number, skipped in ((1, 3), (4, 6)):
        day = D1 + timedelta(days=number - 1)
        files = find(spark, readings.workload.sources["readings"], [day], readings.workload)
        assert files.surveys[0].skipped.rows == skipped


def test_an_event_beyond_the_slack_refuses_its_row(spark: Any, tmp_path: Path) -> None:
    """A night of the event's day does not see the row, so no run may take its events."""
    readings = Readings(spark, tmp_path, "parquet", "readings.parquet", "time: at")
    written(readings)
    readings.load(D1, D2, D3, D4)
    at_once = held(readings)
    for day in (D2, D1):
        readings.load(day)
    assert held(readings) == at_once
    assert not [row for row in readings.rows("events", "event_type") if row == ("Next",)]
    assert [(day, reason) for day, reason in readings.rows("quarantine", "day", "reason") if "slack" in reason] == [
        (day, "the ts of Next lies 1 day from its row's at, which is more than the slack of 0") for day in (D1, D3)
    ]


def test_so_does_one_beyond_the_slack_of_a_file_of_a_day(spark: Any, tmp_path: Path) -> None:
    readings = Readings(spark, tmp_path, path="'{day}.csv'", more="slack: 1")
    readings.write("1,2024-01-03T10:00:00Z,a,1", "2,2024-01-01T10:00:00Z,b,2", name=f"{D1}.csv")
    for day in (D2, D3):
        readings.write(name=f"{day}.csv")
    readings.load(D1, D2, D3)
    at_once = [readings.rows(table) for table in ("events", "quarantine")]
    assert readings.rows("quarantine", "day", "reason") == [
        (D1, "the ts of Reading lies 2 days from the day of its file, which is more than the slack of 1")
    ]
    for day in (D3, D1):
        readings.load(day)
    assert [readings.rows(table) for table in ("events", "quarantine")] == at_once


def test_a_wrong_unit_is_asked_for_though_no_row_is_seen(spark: Any, tmp_path: Path) -> None:
    """Seconds in a log of milliseconds: all rows are of 1970, so a run of the log's first day sees none of them."""
    readings = Readings(spark, tmp_path, "parquet", "readings.parquet", "time: id")
    workload = readings.workload
    object.__setattr__(workload, "time", replace(workload.time, unit="ms"))
    columns = {"id": [1_704_103_200 + n for n in range(9)], "at": pa.nulls(9), "meter": ["a"] * 9, "kwh": [1.0] * 9}
    pq.write_table(pa.table(columns), readings.file("readings.parquet"), row_group_size=3)
    asked = (
        "100 % of the rows of 'readings' lie in 1970 or before, the log begins on 2024-01-01: is its unit s, not ms?"
    )
    run = replace(readings.run(D1), workload=workload)
    with leased(readings.lake, "readings"):
        assert ingest(run).message == f"0 rows refused; {asked}"
    assert readings.equation(D1) == {"read": 9, "gave_event": 0, "refused": 0, "other_days": 9, "without_event": 0}

"""Bad input in a real load: each kind becomes a refused row with its text, or stops the load by the file's name."""

from __future__ import annotations

import gzip
import shutil
from collections.abc import Callable
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from jobs.exits import UnreadableSource, WrongHeader
from jobs.raw.source_files import find
from jobs.runs.run import StageOutcome
from jobs.stages.ingest import ingest
from tests.lake.readings import D1, D2, HEADER, Readings

pytestmark = pytest.mark.spark

ROW, GOOD = "1,2024-01-01T10:00:00Z,a,5", 10
"""A good row, and how many of them a day has, so that its gate lets it pass."""
BAD_ROWS = (
    "2,12:30:00,b,1",
    "3,2013-01-02 garbage,b,1",
    "4,2024-01-01T10:00:00Z,b,1e400",
    "5,2024-01-01T10:00:00Z,b,0x1p3",
    "6.0,2024-01-01T10:00:00Z,b,1",
    '7,2024-01-01T10:00:00Z,"b" ,1',
    f"8,2024-01-01T10:00:00Z,{'b' * (1 << 20)},1",
)
BAD_LINES = ('{"id": 1}{"id": 2}', '{"id": 1} garbage', '{"id": 1, "id": 2}', '["id"]')


def test_bad_rows_of_csv(spark: Any, tmp_path: Path) -> None:
    """A byte order mark, comments and a quoted line break are read; the ledger accounts for every line."""
    readings = Readings(spark, tmp_path, more="options: {comment: '#'}")
    lines = ["\ufeff" + HEADER, *[ROW] * GOOD, "# 9,9", '9,2024-01-01T11:00:00Z,"a\nb",6', "", *BAD_ROWS]
    readings.file().write_text("\n".join(lines), encoding="utf-8")
    readings.load(D1)
    assert readings.rows("events", "meter", "kwh") == [("a", 5.0)] * GOOD + [("a\nb", 6.0)]
    refused = {raw[:80]: rule for rule, raw in readings.rows("quarantine", "rule", "raw")}
    assert refused == {raw[:80]: "type" for raw in BAD_ROWS[:5]} | {raw[:80]: "shape" for raw in BAD_ROWS[5:]}
    names = ("lines", "no_rows", "read", "gave_event", "refused", "other_days", "without_event")
    assert readings.rows("work_source_files", *names) == [(22, 4, 18, 11, 7, 0, 0)]
    ((size, digest),) = readings.rows("work_source_files", "size", "digest")
    assert size == readings.file().stat().st_size
    assert len(digest) == 64


def test_bad_lines_of_json(spark: Any, tmp_path: Path) -> None:
    """What follows an object is not lost; the line is refused."""
    readings = Readings(spark, tmp_path, format="json", path="readings.json")
    good = '{"id": 1, "at": "2024-01-01T10:00:00Z", "meter": "a", "kwh": 5}'
    readings.file("readings.json").write_text("\n".join([*[good] * GOOD, *BAD_LINES]))
    readings.load(D1)
    assert readings.rows("events", "meter") == [("a",)] * GOOD
    assert readings.rows("quarantine", "rule", "raw") == sorted((("shape", raw) for raw in BAD_LINES), key=repr)


def parquet(file: Path, **columns: Any) -> None:
    whole = {"id": [1.0, 5.7], "at": [datetime(2024, 1, 1, 10, tzinfo=UTC)] * 2, "meter": ["a", "b"], "kwh": [1.0, 2.0]}
    pq.write_table(pa.table({name: column for name, column in (whole | columns).items() if column is not None}), file)


def test_bad_rows_of_parquet(spark: Any, tmp_path: Path) -> None:
    """5.7 is no integer, 2^62 no moment of the calendar; the raw text is the row as JSON, also if a rule refuses it."""
    readings = Readings(spark, tmp_path, format="parquet", path="readings.parquet")
    late = pa.array([1 << 62, 0], pa.timestamp("us"))
    parquet(readings.file("readings.parquet"), kwh=[-1.0, 2.0])
    readings.load(D1)
    raws = dict(readings.rows("quarantine", "rule", "raw"))
    assert '"id": 5.7' in raws["type"]
    assert raws["not_negative"] == '{"id":1,"at":"2024-01-01T10:00:00.000Z","meter":"a","kwh":-1.0}'
    parquet(readings.file("readings.parquet"), id=[1, 2], at=late)
    readings.load(D1)
    assert [rule for (rule,) in readings.rows("quarantine", "rule")] == ["type"]


def folder_of(file: Path) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    return file


CSV_FILES: dict[str, tuple[str, bytes, type[Exception], str]] = {
    "swapped headers": ("b.csv", b"id,at,kwh,meter\n1,2024-01-01T10:00:00Z,5,a\n", WrongHeader, "another order"),
    "another header": ("b.csv", b"id,at,metre,kwh\n", WrongHeader, "not declared"),
    "no header": ("b.csv", b"", WrongHeader, "no line"),
    "a packed file of no bytes": ("b.csv.gz", b"", UnreadableSource, "empty"),
    "a cut packed file": ("b.csv.gz", gzip.compress(HEADER.encode())[:-9], UnreadableSource, "at byte"),
    "gzip by another name": ("b.csv", gzip.compress(HEADER.encode()), UnreadableSource, "gzip"),
    "a nested folder": ("more/b.csv", HEADER.encode(), UnreadableSource, "folder inside a folder"),
    "a name that hides": ("_b.csv", HEADER.encode(), UnreadableSource, "begins with _"),
    "an archive": ("b.zip", b"PK\x03\x04", UnreadableSource, "not read"),
    "another packing": ("b.csv.lz4", b"x", UnreadableSource, "not read"),
    "UTF-16": ("b.csv", HEADER.encode("utf-16"), UnreadableSource, "UTF-16"),
    "Parquet by another name": ("b.csv", b"PAR1....PAR1", UnreadableSource, "Parquet"),
}

PARQUET_FILES: dict[str, tuple[Callable[[Path], None], type[Exception], str]] = {
    "a column less": (lambda file: parquet(file, kwh=None), WrongHeader, "no columns"),
    "a column of another kind": (lambda file: parquet(file, kwh=[[1], [2]]), UnreadableSource, "kwh"),
    "no footer": (lambda file: file.write_bytes(b"PAR1" * 5) and None, UnreadableSource, "footer"),
    "text": (lambda file: file.write_bytes(HEADER.encode()) and None, UnreadableSource, "footer"),
    "no bytes": (lambda file: file.write_bytes(b"") and None, UnreadableSource, "footer"),
}


def stops(readings: Readings, error: type[Exception], name: str, message: str) -> None:
    """A load stops with the file's name, and nothing is written."""
    with pytest.raises(error, match=message) as raised:
        ingest(readings.run(D1))
    assert name.partition("/")[0] in str(raised.value)
    assert readings.rows("work_source_rows") == []


def test_files_that_stop_a_load(spark: Any, tmp_path: Path) -> None:
    """Of CSV: each beside a good file of the same folder; a quoted header is as good as another."""
    readings = Readings(spark, tmp_path, path="data")
    for name, data, error, message in CSV_FILES.values():
        folder_of(readings.file("data/a.csv")).write_text(f'"id","at",meter,kwh\n{ROW}\n')
        folder_of(readings.file(f"data/{name}")).write_bytes(data)
        stops(readings, error, name, message)
        shutil.rmtree(readings.file("data"))
    folder_of(readings.file("data/a.csv")).write_text(f'"id","at",meter,kwh\n{ROW}\n')
    readings.file("data/_SUCCESS").touch()
    (source,) = readings.workload.sources.values()
    assert find(spark, source, [D1], readings.workload).count == 1
    assert ingest_message(readings) == f"0 rows refused; not read, by their names: {readings.file('data/_SUCCESS')}"


def test_parquet_files_that_stop_a_load(spark: Any, tmp_path: Path) -> None:
    readings = Readings(spark, tmp_path, format="parquet", path="data")
    for write, error, message in PARQUET_FILES.values():
        parquet(folder_of(readings.file("data/a.parquet")))
        write(readings.file("data/b.parquet"))
        stops(readings, error, "b.parquet", message)
        shutil.rmtree(readings.file("data"))


def test_moments_outside_the_calendar(spark: Any, tmp_path: Path) -> None:
    """Are refused row by row, whatever events.sql makes of them; most rows in another century raise a question."""
    readings = Readings(spark, tmp_path)
    far = (1 << 62, -(1 << 63), 253_402_300_800, -62_135_596_801)
    sql = "SELECT 'Reading' AS event_type, id AS ts, _row, meter, kwh FROM readings"
    object.__setattr__(readings.workload, "events_sql", sql)
    now = 1_704_103_200
    near = (253_402_300_799, -62_135_596_800, *[now] * GOOD)
    readings.write(*(f"{ts},,a,1" for ts in (*far, *near)))
    outcome = readings.load(D1, D2)
    assert readings.rows("events", "ts") == [(now,)] * GOOD
    reason = "the ts of Reading lies outside the calendar"
    assert readings.rows("quarantine", "rule", "reason") == [("event", reason)] * 4
    assert readings.equation(D1) == {"read": 16, "gave_event": 10, "refused": 4, "other_days": 2, "without_event": 0}
    assert outcome.rows_out == GOOD
    readings.write(*(f"{1_704_103_200_000 + n},,a,1" for n in range(9)), "1704103200,,a,1")
    asked = ingest_message(readings)
    assert asked == "9 rows refused; 90 % of the rows of 'readings' lie outside the calendar: is its unit ms, not s?"


def test_a_day_of_which_no_file_has_a_row_is_told(spark: Any, tmp_path: Path) -> None:
    """The files do not say which days they are of, so it is loaded as an empty day: the line says so, and what to do.
    Nothing is told of a day with events."""
    readings = Readings(spark, tmp_path)
    readings.write(*[ROW] * GOOD)
    outcome = ingested(readings, D1, D2)
    empty = (
        f"no event on {D2}: no row of the files that were read gave one; if other files have it, name them in `path`"
    )
    assert outcome.message == f"0 rows refused; {empty}"
    assert outcome.days[D1].message == "0 rows refused"
    assert outcome.days[D2].message == f"0 rows refused; {empty}"


def ingest_message(readings: Readings) -> str:
    return ingested(readings, D1).message


def ingested(readings: Readings, *days: date) -> StageOutcome:
    from tests.leases import leased

    with leased(readings.lake, "readings"):
        return ingest(readings.run(*days))

"""Whoever reads a source, its rows are the same: this process, Python's workers, or, of good files, Spark's readers."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.errors import PySparkException

from jobs.exits import UnreadableSource
from jobs.raw.damage import unreadable_in
from jobs.raw.raw_frame import LEDGER, MOMENT
from jobs.raw.reading.file_form import file_form_of
from jobs.raw.reading.file_rows import survey_of
from jobs.raw.row_days import RowDays
from jobs.raw.rows import seen_by_days
from jobs.raw.source_files import SourceFiles
from jobs.raw.spark_readers import spark_rows
from jobs.raw.spilled_rows import spill
from jobs.raw.strict_frame import LITTLE, strict_rows, strict_table
from jobs.workload.operating_days import OperatingDays
from jobs.workload.sections.sources import Source

pytestmark = pytest.mark.spark

COLUMNS = {"n": "BIGINT", "x": "DOUBLE", "ok": "BOOLEAN", "day": "DATE", "at": "TIMESTAMP", "key": "STRING"}
ROWS = [
    {"n": n, "x": n / 7, "ok": n % 2 == 0, "day": "2024-01-01", "at": "2024-01-01T10:00:00Z", "key": f"k{n}é"}
    for n in range(300)
]
BAD = {
    "csv": (b'1,2,true,2024-01-01,,"k', b"1,2,true,2024-01-01,,\xff", b"1,2,true,2024-01-01 x,,k", b"1"),
    "json": (b'{"n": 1}{"n": 2}', b'{"key": "\xff"}', b'{"day": "2024-01-01 x"}', b"[1]"),
}


def source_of(format: str) -> Source:
    return Source("readings", format, COLUMNS, path="x")


def written(folder: Path, format: str, name: str, rows: list[dict[str, Any]], *bad: bytes) -> Path:
    """A file of rows, the bad ones last."""
    file = folder / f"{name}.{format}"
    if format == "parquet":
        table = pa.Table.from_pylist(rows)
        times = pa.array([row["at"] for row in rows]).cast(pa.timestamp("us", "UTC"))
        table = table.set_column(3, "day", table["day"].cast(pa.date32())).set_column(4, "at", times)
        pq.write_table(table, file, row_group_size=50)
        return file
    lines = [json.dumps(row) if format == "json" else ",".join(str(value) for value in row.values()) for row in rows]
    header = [",".join(COLUMNS)] if format == "csv" else []
    file.write_bytes(b"\n".join([*(line.encode() for line in [*header, *lines]), *bad]) + b"\n")
    return file


def files_of(paths: Iterable[Path], source: Source, size: int) -> SourceFiles:
    form = file_form_of(source)
    assert form is not None
    names = [str(path) for path in paths]
    surveys = tuple(survey_of(Path(path), form, size) for path in names)
    return SourceFiles(tuple(names), {names[1]: date(2024, 1, 2)}, (",".join(COLUMNS),), surveys)


def rows_in(frame: Any) -> list[dict[str, Any]]:
    return sorted(frame.where(frame[LEDGER].isNull()).toArrow().to_pylist(), key=repr)


@pytest.mark.parametrize("format", ["csv", "json", "parquet"])
def test_whoever_reads_the_rows_are_the_same(spark: Any, tmp_path: Path, format: str) -> None:
    """Two files, the second with a day, cut into ranges for workers; refused rows with their texts."""
    bad = BAD.get(format, ())
    source = source_of(format)
    paths = [written(tmp_path, format, "a", ROWS[:200], *bad), written(tmp_path, format, "b", ROWS[200:])]
    files = files_of(paths, source, 2000)
    assert len(files.surveys[0].ranges) > 2
    here = strict_rows(spark, source, files)
    assert rows_in(here) == rows_in(strict_rows(spark, source, files, little=0))
    strict = rows_in(here)
    assert sorted(row["_id"] for row in strict) == [*range(200 + len(bad)), *((1 << 40) + n for n in range(100))]
    of_files = {(row["_number"], row["_file"], row["_day"]) for row in strict}
    assert of_files == {(0, paths[0].name, None), (1, paths[1].name, date(2024, 1, 2))}
    refused = sorted((row["_id"], row["_rule"], row["_raw"]) for row in strict if row["_rule"])
    shown = [line.decode("utf-8", "backslashreplace") for line in bad]
    assert refused == [
        (200 + n, rule, raw)
        for n, (rule, raw) in enumerate(zip(("shape", "utf8", "type", "shape"), shown, strict=False))
    ]
    good = [paths[0] if not bad else written(tmp_path, format, "a", ROWS[:200]), paths[1]]
    ours = rows_in(strict_rows(spark, source, files_of(good, source, 2000)))
    theirs = rows_in(spark_rows(spark, source, files_of(good, source, 2000)))
    left_out = {"_id", "_number", *(() if bad else ("_raw", "_hash"))}
    assert without(ours, left_out) == without(theirs, left_out)


@pytest.mark.parametrize("column", ["n", "day", "at"])
def test_whoever_reads_the_rows_have_the_same_days(spark: Any, tmp_path: Path, column: str) -> None:
    """Whether the run sees the day of most rows or not; one row is refused for its number, and has no time stamp."""
    source = source_of("csv")
    paths = [
        written(tmp_path, "csv", "a", ROWS[:200], b"1,y,true,2024-01-01,,k"),
        written(tmp_path, "csv", "b", ROWS[200:]),
    ]
    for wanted in (0, 19723, 19730):
        calendar = OperatingDays(timedelta(0), "s")
        time = RowDays(column, COLUMNS[column], 0, calendar, (wanted,), start=1)
        files = replace(files_of(paths, source, 2000), row_days=time)
        rows = strict_table(source, files)
        [ours] = rows.filter(rows[LEDGER].is_null()).combine_chunks().to_batches()
        theirs = seen_by_days(spark_rows(spark, source, files), time)
        assert theirs == time.counted(ours)
        assert sum(theirs.near.values()) + theirs.far.rows == 301


@pytest.mark.parametrize("format", ["csv", "json", "parquet"])
@pytest.mark.parametrize("little", [0, LITTLE])
def test_rows_that_are_kept_are_the_rows(spark: Any, tmp_path: Path, format: str, little: int) -> None:
    """By workers, and by this process: all but the texts of good rows and the moments by which refused ones were
    counted, with the counts of each file and the ledgers."""
    source, bad = source_of(format), BAD.get(format, ())
    paths = [written(tmp_path, format, "a", ROWS[:200], *bad), written(tmp_path, format, "b", ROWS[200:])]
    files = files_of(paths, source, 2000)
    kept = spill(spark, source, files, tmp_path / "kept", little)
    rows = strict_table(source, files)
    is_row = rows[LEDGER].is_null()
    expected = rows.filter(is_row).drop_columns([LEDGER, MOMENT]).to_pylist()
    for row in expected:
        row["_raw"] = row["_raw"] if row["_rule"] else None
    assert sorted(map(repr, kept.rows.toArrow().to_pylist())) == sorted(map(repr, expected))
    assert kept.read == {0: 200 + len(bad), 1: 100}
    assert sorted(kept.ledgers) == sorted(text for text in rows[LEDGER].to_pylist() if text)


def rows_or_cause(spark: Any, source: Source, files: SourceFiles, little: int) -> list[dict[str, Any]]:
    try:
        return rows_in(strict_rows(spark, source, files, little))
    except PySparkException as error:
        raise unreadable_in(error) or error from None


def without(rows: list[dict[str, Any]], names: set[str]) -> list[str]:
    return sorted(repr({name: value for name, value in row.items() if name not in names}) for row in rows)


def test_ledgers_come_with_the_rows(spark: Any, tmp_path: Path) -> None:
    """One for each range; those of a file add up to its lines."""
    source = source_of("csv")
    files = files_of([written(tmp_path, "csv", name, ROWS, *BAD["csv"]) for name in "ab"], source, 2000)
    for little in (0, 1 << 20):
        frame = strict_rows(spark, source, files, little)
        ledgers = [json.loads(row[0]) for row in frame.where(frame[LEDGER].isNotNull()).select(LEDGER).collect()]
        assert len(ledgers) == sum(len(survey.ranges) for survey in files.surveys)
        for number in (0, 1):
            of_file = [ledger for ledger in ledgers if ledger["number"] == number]
            assert sum(ledger["line_ends"] for ledger in of_file) == 305
            assert sum(ledger["rows"] for ledger in of_file) == 304
            assert sum(ledger["refused"] for ledger in of_file) == 4


@pytest.mark.parametrize("little", [0, 1 << 20])
def test_a_file_that_changed_since_it_was_found(spark: Any, tmp_path: Path, little: int) -> None:
    """Is named, also if a worker noticed."""
    source = source_of("csv")
    path = written(tmp_path, "csv", "a", ROWS[:3])
    files = files_of([path, written(tmp_path, "csv", "b", [])], source, 2000)
    path.write_bytes(path.read_bytes()[:-5])
    with pytest.raises(UnreadableSource, match=r"a\.csv: it had .* bytes when the load began"):
        rows_or_cause(spark, source, files, little)


def test_an_empty_source(spark: Any, tmp_path: Path) -> None:
    """A file of a header alone has no rows."""
    source = source_of("csv")
    file = written(tmp_path, "csv", "a", [])
    files = files_of([file, file], source, 2000)
    assert rows_in(strict_rows(spark, replace(source), files)) == []

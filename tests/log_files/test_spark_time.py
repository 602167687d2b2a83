"""A load gives events the times that commands on the file show: the SQL that `new` writes, beside the reading."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.csv
import pytest

from jobs.exits import WrongWorkload
from jobs.log_files.drafts.spark_time import SparkTime
from jobs.log_files.times.time_source import TimeOptions, TimeSource

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ROWS = """Date,Time,day,clock,comma,point,zoned,number,fraction,access,half,american,minutes,changes
081109,203615,2015-10-18,"18:01:47,978","2015-10-18 18:01:47,978",2015-10-18 18:01:47.5,2025-06-20T09:01:50+02:00,\
25263126,0.04,18/Oct/2015:18:01:47,12:00:01 AM,12/31/2013 5:00 PM,8:05,2024-03-31 02:30:00
000101,000517,1969-12-31,"23:59:59,001","1969-12-31 23:59:59,001",1969-12-31 23:59:59.5,2025-06-20T00:00:00-11:30,\
-7,-3.25,29/Feb/2024:00:00:00,12:59:59 PM,1/2/2014 12:05 am,17:30,2024-10-27 02:30:00
"""
READINGS = [
    TimeOptions("Date+Time", "%y%m%d %H%M%S"),
    TimeOptions("day+clock"),
    TimeOptions("comma"),
    TimeOptions("point"),
    TimeOptions("zoned"),
    TimeOptions("day"),
    TimeOptions("number", unit="ms"),
    TimeOptions("number", unit="ms", origin="2004-09-01T00:00-04:00"),
    TimeOptions("fraction", origin="2024-01-01"),
    TimeOptions("fraction", unit="ms"),
    TimeOptions("access", "%d/%b/%Y:%H:%M:%S"),
    TimeOptions("day+half", "%Y-%m-%d %I:%M:%S %p", zone="America/New_York"),
    TimeOptions("half", "%I:%M:%S %p", origin="2024-01-01"),
    TimeOptions("clock", origin="2024-01-01"),
    TimeOptions("american", "%m/%d/%Y %I:%M %p"),
    TimeOptions("day+minutes"),
    TimeOptions("clock", "%H:%M:%S,%f", origin="2024-01-01T12:00"),
    TimeOptions("clock", "%H:%M:%S,%f", origin="2024-01-01T12:00", zone="Europe/Berlin"),
    *(TimeOptions(name, zone="Europe/Berlin") for name in ("changes", "day+clock", "comma", "day", "zoned")),
    TimeOptions("changes", "%Y-%m-%d %H:%M:%S", zone="Europe/Berlin"),
    TimeOptions("fraction", unit="day", origin="1899-12-30"),
    TimeOptions("number", unit="day"),
]


@pytest.mark.spark
def test_spark_reads_the_times_that_a_file_shows(spark: SparkSession, tmp_path: Path) -> None:
    """Each way to tell a time, also before 1970: the same numbers in the same unit."""
    (tmp_path / "log.csv").write_text(ROWS)
    sample = pyarrow.csv.read_csv(tmp_path / "log.csv")
    expressions, expected = [], []
    for options in READINGS:
        source = TimeSource.of(sample, options)
        stamps = source.stamps(sample)
        time = SparkTime.of(source, sample, stamps, "csv")
        expected.append(time.source.moments(stamps).to_pylist())
        expressions.append(as_declared(time))
    rows = spark.read.csv(str(tmp_path / "log.csv"), header=True).selectExpr(*expressions).collect()  # all are texts
    for place, options in enumerate(READINGS):
        assert [row[place] for row in rows] == expected[place], options


def test_times_with_and_without_an_offset_of_a_zone_are_no_load() -> None:
    """Spark's time-stamps do not say which had one. Where all have one, or none, or in UTC, it does not matter."""
    mixed = pa.table({"at": ["2024-01-31 08:00:00", "2024-01-31 08:00:00Z"]})
    for table, zone, is_refused in (
        (mixed, "Europe/Berlin", True),
        (mixed, "UTC", False),
        (mixed.slice(0, 1), "Europe/Berlin", False),
        (mixed.slice(1, 1), "Europe/Berlin", False),
    ):
        source = TimeSource.of(table, TimeOptions("at", zone=zone))
        with pytest.raises(WrongWorkload, match="with and without an offset") if is_refused else nullcontext():
            SparkTime.of(source, table, source.stamps(table), "csv")


def as_declared(time: SparkTime) -> str:
    """Its expression over columns that are texts, which Spark's reader of declared columns would convert."""
    expression = time.expression
    for name, declared in time.declared.items():
        kind = {"int": "BIGINT", "float": "DOUBLE"}.get(declared, declared)
        expression = expression.replace(f"`{name}`", f"CAST(`{name}` AS {kind})")
    return expression


def test_numbers_that_are_no_texts_get_their_zeros_back() -> None:
    """Only a CSV file has the digits as they were written."""
    sample = pa.table({"Date": [81109], "Time": [517]})
    source = TimeSource.of(sample, TimeOptions("Date+Time", "%y%m%d %H%M%S"))
    time = SparkTime.of(source, sample, source.stamps(sample), "parquet")
    text = "concat(lpad(CAST(`Date` AS STRING), 6, '0'), ' ', lpad(CAST(`Time` AS STRING), 6, '0'))"
    assert time.expression == f"unix_seconds(try_to_timestamp({text}, 'yyMMdd HHmmss'))"
    assert time.declared == {"Date": "int", "Time": "int"}

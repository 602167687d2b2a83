"""Sources that are named by a URI, as those of a remote storage are, are found and read by Spark alone.

`file:` stands for all of them: the way through Spark does not know that its files are near.
"""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pytest

from jobs.exits import SourceMissing, UnreadableSource, WrongHeader
from jobs.lake.session import LateSession
from jobs.runs.source_days import has_day
from jobs.stages.ingest import ingest
from tests.lake.readings import D1, D2, D3, HEADER, Readings

pytestmark = pytest.mark.spark


def far(spark: Any, tmp_path: Path, name: str, **more: str) -> Readings:
    """Readings whose source is `name` in a folder that is known by its URI."""
    (tmp_path / "far away").mkdir()
    return Readings(spark, tmp_path, path=f"'file://{tmp_path}/far away/{name}'", **more)


def put(tmp_path: Path, name: str, *rows: str) -> Path:
    file = tmp_path / "far away" / name
    file.write_text("\n".join([HEADER, *rows]) + "\n")
    return file


def test_a_pattern_of_files(spark: Any, tmp_path: Path) -> None:
    """Rows of all files, refused ones with the name of theirs; none at all is a missing source; a header is checked."""
    readings = far(spark, tmp_path, "*.csv")
    with pytest.raises(SourceMissing, match=r"'readings' \(file:.*\*\.csv\)"):
        ingest(readings.run(D1))
    put(tmp_path, "a.csv", "1,2024-01-01T10:00:00Z,a,5", "2,2024-01-01T10:00:00Z,b,-1")
    put(tmp_path, "b.csv", "3,2024-01-01T11:00:00Z,c,7", "4,2024-01-01T12:00:00Z,c,7")
    readings.load(D1)
    assert readings.rows("events", "meter", "kwh") == [("a", 5.0), ("c", 7.0), ("c", 7.0)]
    assert readings.rows("quarantine", "file", "rule") == [("a.csv", "not_negative")]
    assert readings.equation(D1) == {"read": 4, "gave_event": 3, "refused": 1, "other_days": 0, "without_event": 0}
    odd = put(tmp_path, "c.csv")
    odd.write_text(odd.read_text().replace("meter", "metre"))
    with pytest.raises(WrongHeader, match=r"c\.csv.*\n.*\n.*metre"):
        ingest(readings.run(D1))


def test_files_of_days(spark: Any, tmp_path: Path) -> None:
    """A file's day is known by its name; a day that has none is missing, and not one to warm up with."""
    readings = far(spark, tmp_path, "{day}.csv")
    put(tmp_path, f"{D2}.csv", "1,2024-01-02T10:00:00Z,a,5", "2,?,a,5")
    assert [has_day(LateSession.of(spark), readings.workload, day) for day in (D1, D2, D3)] == [False, True, False]
    readings.load(D2)
    assert readings.rows("events", "kwh") == [(5.0,)]
    assert readings.rows("quarantine", "day", "undated") == [(D2, False)]
    with pytest.raises(SourceMissing, match="2024-01-03"):
        ingest(readings.run(D2, D3))


def test_a_damaged_file(spark: Any, tmp_path: Path) -> None:
    """A `file:` URI is of this machine after all, so that the byte can be named."""
    readings = far(spark, tmp_path, "readings.csv.gz")
    text = "\n".join([HEADER, *(f"{n},2024-01-01T10:00:00Z,m{n * 7919 % 1000},{n}" for n in range(5_000))])
    packed = gzip.compress(text.encode())
    (tmp_path / "far away" / "readings.csv.gz").write_bytes(packed[: len(packed) // 2])
    with pytest.raises(UnreadableSource, match=r"readings\.csv\.gz at byte \d+: the gzip stream ends early"):
        ingest(readings.run(D1))
    assert readings.rows("work_staged_events") == []


def test_a_delta_table(spark: Any, tmp_path: Path) -> None:
    """The table as it is now, whatever files lie in its folder from before."""
    readings = far(spark, tmp_path, "table", format="delta")
    frame = spark.sql("SELECT 1L AS id, TIMESTAMP'2024-01-01 10:00:00Z' AS at, 'a' AS meter, 5D AS kwh")
    for _ in range(2):
        frame.write.format("delta").mode("overwrite").save(str(tmp_path / "far away" / "table"))
    readings.load(D1)
    assert readings.rows("events", "meter", "kwh") == [("a", 5.0)]

"""How much a run reads is seen before Spark starts, and decides Spark's settings."""

from __future__ import annotations

import gzip
from datetime import date, timedelta
from pathlib import Path

import pyarrow as pa
import pytest
from deltalake import write_deltalake
from hypothesis import given
from hypothesis import strategies as st

from jobs.lake.spark_settings import SMALL_HEAP, heap, settings
from jobs.runs.input_size import LARGE_BYTES, WITHOUT_SPARK, InputSize, input_size, main, source_bytes, table_bytes
from jobs.workload.declaration import load_workload
from jobs.workload.sections.sources import Source

DAY = date(2024, 1, 1)
ROOT = Path(__file__).resolve().parents[2]


def source(path: str) -> Source:
    return Source("log", "csv", {"at": "BIGINT"}, path=path)


def test_a_source_is_as_large_as_its_text(tmp_path: Path) -> None:
    """Files, folders with folders in them, patterns and files by day; gzip and Parquet count as the text in them."""
    (tmp_path / "days" / "more").mkdir(parents=True)
    for name in ("days/2024-01-01.csv", "days/2024-01-02.csv", "days/more/b.csv"):
        (tmp_path / name).write_bytes(b"x" * 100)
    (tmp_path / "packed.csv.gz").write_bytes(gzip.compress(b"at\n" * 10_000))
    packed = (tmp_path / "packed.csv.gz").stat().st_size
    size = {
        path: source_bytes(source(path), [DAY], tmp_path)
        for path in ("days", "days/*.csv", "days/{day}.csv", "days/none.csv", "packed.csv.gz", "s3a://bucket/x.csv")
    }
    assert size == {
        "days": 300,
        "days/*.csv": 200,
        "days/{day}.csv": 100,
        "days/none.csv": 0,
        "packed.csv.gz": 5 * packed,
        "s3a://bucket/x.csv": None,
    }


def test_a_table_is_as_large_as_its_present_files(tmp_path: Path) -> None:
    """Files of older versions do not count, nor do those of other days."""
    days = [DAY + timedelta(days=n) for n in range(3)]
    table = pa.table({"day": pa.array(days, pa.date32()), "seq": [1, 2, 3]})
    write_deltalake(tmp_path / "t", table, partition_by=["day"])
    write_deltalake(tmp_path / "t", table, partition_by=["day"], mode="overwrite")
    present = {file.parent.name: file.stat().st_size for file in sorted((tmp_path / "t").rglob("*.parquet"))}
    assert table_bytes(tmp_path / "t", DAY, DAY) == 5 * present["day=2024-01-01"]
    assert table_bytes(tmp_path / "t", None, None) == 5 * sum(present.values())
    assert table_bytes(tmp_path / "none", DAY, DAY) == 0


def test_the_demo_night_is_small_and_the_year_is_large(tmp_path: Path) -> None:
    """The sample's sixteen days are some megabytes of text; a year is many days."""
    workload = load_workload(ROOT / "workloads" / "nyc_flights")
    night = input_size(workload, ["load", "slice", "evaluate"], date(2013, 3, 8), date(2013, 3, 8), tmp_path)
    assert (night.scale, night.days) == ("small", 1)
    assert night.bytes is not None
    assert 1_000_000 < night.bytes < LARGE_BYTES
    year = input_size(workload, ["load"], date(2013, 1, 1), date(2013, 12, 31), tmp_path)
    assert year.scale == "large"


@given(st.one_of(st.none(), st.integers(0, 10**12)), st.integers(0, 400), st.integers(1 << 28, 1 << 40))
def test_larger_inputs_never_get_smaller_settings(size: int | None, days: int, memory: int) -> None:
    """More bytes or more days never turn large into small; the heap stays within its bounds and half of the memory."""
    order = ["small", "large"]
    scale = InputSize(size, days).scale
    if size is not None:
        assert order.index(InputSize(size + 1, days + 1).scale) >= order.index(scale)
        assert InputSize(None, days).scale == "large"
    assert SMALL_HEAP <= heap(scale, memory) <= max(SMALL_HEAP, min(3 << 30, memory // 2))


def test_the_settings_of_a_task_are_printed_for_spark_submit(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """One property a line, equal to what the session says; a wrong folder is left for the task to tell.

    Nothing for a task that needs no Spark, since its input is small.
    """
    monkeypatch.setenv("TRENDMILL_LAKE", str(tmp_path))
    days = ["--from", "2013-03-08", "--to", "2013-03-08", "--run-id", "nightly/1"]
    main(["--workload", str(ROOT / "workloads" / "nyc_flights"), "--task", "load", *days])
    printed = dict(line.split(" ", 1) for line in capsys.readouterr().out.splitlines())
    assert printed == settings("local", "small")
    main(["--workload", str(tmp_path), "--task", "load", *days])
    assert dict(line.split(" ", 1) for line in capsys.readouterr().out.splitlines()) == printed
    for scale, needed in (("small", False), ("large", True)):
        monkeypatch.setenv("TRENDMILL_SCALE", scale)
        for task in WITHOUT_SPARK[:2]:
            main(["--workload", str(ROOT / "workloads" / "nyc_flights"), "--task", task, *days])
            assert bool(capsys.readouterr().out) == needed


def test_either_scale_says_the_same_settings() -> None:
    """Every setting of one scale has its counterpart in the other, so that a session is never half of each."""
    assert set(settings("local", "small")) == set(settings("local", "large"))
    assert settings("cluster").keys().isdisjoint({"spark.driver.memory", "spark.sql.codegen.wholeStage"})

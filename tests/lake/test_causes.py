"""What a person is told of a failure: the deepest cause, the file, and what to do. Each failure is a real one."""

from __future__ import annotations

import gzip
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from deltalake import write_deltalake

from jobs.exits import UnreadableSource, message
from jobs.stages.ingest import ingest
from tests.lake.readings import D1, HEADER, Readings

pytestmark = pytest.mark.spark


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """A table of two commits."""
    folder = tmp_path / "lake" / "w" / "events"
    for n in range(2):
        rows = pa.table({"day": [date(2024, 1, 1)] * 1_000, "n": range(n * 1_000, n * 1_000 + 1_000)})
        write_deltalake(folder, rows, mode="append")
    return folder


def data(table: Path) -> Path:
    return min(table.glob("*.parquet"))


def delete(table: Path) -> Path:
    file = data(table)
    file.unlink()
    return file


def cut(table: Path) -> Path:
    file = data(table)
    file.write_bytes(file.read_bytes()[:-100])
    return file


def spoil(table: Path) -> Path:
    """Behind the footer, which stays whole."""
    file = data(table)
    content = bytearray(file.read_bytes())
    content[4:400] = bytes(255 - byte for byte in content[4:400])
    file.write_bytes(content)
    return file


def lose_a_commit(table: Path) -> Path:
    file = table / "_delta_log" / f"{0:020}.json"
    file.unlink()
    return file


def cut_a_commit(table: Path) -> Path:
    file = table / "_delta_log" / f"{1:020}.json"
    file.write_text(file.read_text()[:-30])
    return file


HARM: dict[str, tuple[Callable[[Path], Path], str]] = {
    "a deleted file": (delete, "a file that is needed is gone"),
    "a file that was cut": (cut, "the file is damaged"),
    "a file whose pages are spoilt": (spoil, "the file is damaged"),
    "a log without its first commit": (lose_a_commit, "`trendmill verify NAME` lists what is damaged"),
    "a log whose last commit was cut": (cut_a_commit, "`trendmill verify NAME` lists what is damaged"),
}


@pytest.mark.parametrize("name", HARM)
def test_a_damaged_table_names_the_file_and_what_to_do(spark: Any, table: Path, name: str) -> None:
    """One line, no `...`, no name of a Java call."""
    harm, remedy = HARM[name]
    file = harm(table)
    with pytest.raises(Exception, match=r".") as caught:
        spark.read.format("delta").load(str(table)).toArrow()
    text = message(caught.value)
    assert str(file) in text, text
    assert remedy in text, text
    assert "An error occurred while calling" not in text
    assert " ... " not in text
    assert "\n" not in text
    assert len(text) < 900, text


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system with little room; only root may mount one, and not everywhere."""
    place = tmp_path / "small"
    place.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=200k", "tmpfs", str(place)]
    mounted = subprocess.run(command, check=False, capture_output=True)
    if mounted.returncode:
        pytest.skip(f"no file system can be mounted here: {mounted.stderr.decode().strip()}")
    yield place
    subprocess.run(["umount", "--lazy", str(place)], check=True)  # whoever has a file open there keeps it


def test_a_full_disk_says_so(spark: Any, small_disk: Path) -> None:
    """Whether Spark writes, Python, or delta-rs."""
    with pytest.raises(Exception, match=r".") as caught:
        spark.range(300_000).selectExpr("id", "uuid() u").write.format("delta").save(str(small_disk / "t"))
    text = message(caught.value)
    assert "No space left on device" in text, text
    assert "make room on that disk" in text
    with pytest.raises(OSError, match="No space") as python:
        (small_disk / "rows.csv").write_bytes(os.urandom(300_000))
    assert "make room on that disk" in message(python.value)
    shutil.rmtree(small_disk / "t", ignore_errors=True)
    with pytest.raises(Exception, match="No space") as rust:
        write_deltalake(small_disk / "d", pa.table({"x": [os.urandom(400_000)]}))
    assert "make room on that disk" in message(rust.value)


def test_a_worker_tells_its_own_error(spark: Any) -> None:
    """Not the five exceptions of Spark around it."""

    def fail(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        raise ValueError("slice 3 has no events")

    with pytest.raises(Exception, match=r".") as caught:
        spark.range(1).mapInArrow(fail, "id BIGINT").toArrow()
    assert message(caught.value) == "trendmill: ValueError: slice 3 has no events"


@pytest.mark.parametrize("length", [3, 2_000])
def test_a_cut_gzip_in_a_folder_names_file_and_byte(spark: Any, tmp_path: Path, length: int) -> None:
    """Also where the header cannot be read."""
    readings = Readings(spark, tmp_path, path="data")
    (readings.workload.folder / "data").mkdir()
    rows = "".join(f"{n},2024-01-01T10:00:00Z,m{n * 7919 % 1000},{n}\n" for n in range(5_000))
    packed = gzip.compress(f"{HEADER}\n{rows}".encode())
    for name, content in (("a", packed[:length]), ("b", packed)):
        readings.file(f"data/{name}.csv.gz").write_bytes(content)
    with pytest.raises(UnreadableSource, match=rf"data/a\.csv\.gz at byte {length}: the gzip stream ends early"):
        ingest(readings.run(D1))


def test_parquet_files_of_different_types_are_told_by_column(spark: Any, tmp_path: Path) -> None:
    """Which file, which column, which types; named by a URI, so that Spark reads them."""
    readings = Readings(spark, tmp_path, format="parquet", path=f"'file://{tmp_path}/readings/data'")
    (readings.workload.folder / "data").mkdir()
    for name, kwh in (("a", [1.5]), ("b", ["1.5"])):
        rows = {"id": [1], "at": pa.array([0], pa.timestamp("us", "UTC")), "meter": ["m"], "kwh": kwh}
        pq.write_table(pa.table(rows), readings.file(f"data/{name}.parquet"))
    with pytest.raises(
        UnreadableSource, match=r"data/b\.parquet: its column kwh is string, in .*a\.parquet it is double"
    ):
        ingest(readings.run(D1))


DOOMED = """
import os, signal
from pyspark import SparkContext
from jobs.exits import message
from jobs.signals import jvm

SparkContext._ensure_initialized()  # the JVM and the connection to it; Spark itself is not needed
os.kill(jvm().pid, signal.SIGKILL)
try:
    try:
        SparkContext._jvm.System.nanoTime()
    finally:
        SparkContext._jvm.System.nanoTime()
except Exception as error:
    print(message(error))
"""


def test_a_jvm_that_died_is_told_as_such() -> None:
    """Not as a connection that was refused."""
    root = Path(__file__).parents[2]
    ended = subprocess.run(
        [sys.executable, "-c", DOOMED],
        env={**os.environ, "PYTHONPATH": str(root)},
        cwd=root,
        check=False,
        capture_output=True,
        text=True,
    )
    last_line = ended.stdout.splitlines()[-1]
    assert last_line.startswith("trendmill: Spark's JVM ended (killed by signal 9): out of memory?"), ended.stderr

"""`trendmill preview` reads the first rows of each source as a load reads all of them."""

from __future__ import annotations

import gzip
from datetime import date
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobs.cli import main
from jobs.exits import SourceMissing, WrongWorkload
from jobs.lake.session import LateSession
from jobs.questions.sampled.source_rows import first_day, sample
from jobs.raw.raw_frame import LEDGER
from jobs.raw.source_files import find
from jobs.raw.strict_frame import strict_table
from jobs.workload.declaration import Workload, load_workload
from tests.questions.lines import lines
from tests.runs.lake.small_workload import write_workload

NO_SPARK = LateSession("never started")
LINES = st.lists(st.sampled_from(["A", "B\n", '"C', "a,b", "", "D"]), max_size=30)


def trips(tmp_path: Path, path: str, form: str = "csv") -> Workload:
    """The workload `lines` with another file of its source."""
    home = lines(tmp_path)
    declared = (home / "workload.yaml").read_text()
    (home / "workload.yaml").write_text(
        declared.replace("format: csv, path: trips.csv", f"format: {form}, path: {path}")
    )
    return load_workload(home)


@given(LINES, st.integers(1, 12))
def test_the_first_rows_are_those_of_a_load(
    tmp_path_factory: pytest.TempPathFactory, rows: list[str], most: int
) -> None:
    """Good and refused ones, in a packed file or not; and whether there are more."""
    workload = trips(tmp_path_factory.mktemp("rows"), "trips.csv.gz")
    with gzip.open(workload.folder / "trips.csv.gz", "wt", encoding="utf-8") as file:
        file.write("\n".join(["line", *rows]))
    [sampled] = sample(workload, workload.start, most, NO_SPARK)
    files = find(None, sampled.source, [workload.start], workload)  # type: ignore[arg-type]
    whole = strict_table(sampled.source, files)
    whole = whole.filter(whole[LEDGER].is_null()).sort_by("_id")
    assert sampled.rows.to_pylist() == whole.slice(0, most).to_pylist()
    assert sampled.cut == (whole.num_rows > most)
    assert sampled.refused.num_rows == sum(row is not None for row in sampled.rows["_rule"].to_pylist())


def test_parquet_and_days(tmp_path: Path) -> None:
    """Of a file a day, that of the day; the first day that has one is found. A source without files is missing."""
    workload = trips(tmp_path, "trips.parquet", "parquet")
    pq.write_table(
        pa.table({"line": [str(n) for n in range(100)]}), workload.folder / "trips.parquet", row_group_size=9
    )
    [sampled] = sample(workload, workload.start, 20, NO_SPARK)
    assert (sampled.rows["line"].to_pylist(), sampled.cut) == ([str(n) for n in range(20)], True)
    machines = load_workload(write_workload(tmp_path / "workloads"))
    (machines.folder / "data" / "2013-01-01.csv").unlink()
    assert first_day(machines) == date(2013, 1, 2)
    [sampled] = sample(machines, date(2013, 1, 2), 1_000, NO_SPARK)
    assert (sampled.rows.num_rows, sampled.files, sampled.cut) == (61, ("2013-01-02.csv",), False)
    with pytest.raises(SourceMissing):
        sample(machines, date(2013, 2, 2), 10, NO_SPARK)
    for file in (machines.folder / "data").iterdir():
        file.unlink()
    with pytest.raises(WrongWorkload, match="--day names one that has"):
        first_day(machines)


def test_a_day_chooses_among_files_of_days(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Without such files the option would do nothing."""
    assert main(["preview", str(lines(tmp_path)), "--day", "2013-03-02"]) == 2
    assert "no source has a file a day" in capsys.readouterr().err

"""Which days no longer are what their files say: any other byte of a day's file, and of a log all that was loaded."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path

import pyarrow as pa
import pytest
from deltalake import write_deltalake
from hypothesis import given
from hypothesis import strategies as st

from jobs.runs.changed_files import changed_files
from jobs.workload.declaration import Workload, load_workload
from tests.runs.lake.small_workload import WORKLOAD, day, write_workload

SHORT = st.binary(min_size=1, max_size=6)


def keep(lake: Path, number: int, file: Path) -> None:
    """The ledger of a day, which was loaded from the file as it is."""
    own = file.read_bytes()
    row = {"day": day(number), "source": "steps", "file": str(file), "size": len(own)}
    ledger = pa.Table.from_pylist([row | {"digest": hashlib.sha256(own).hexdigest()}])
    write_deltalake(lake / "machines" / "_work" / "source_files", ledger, mode="append")


@pytest.fixture(scope="module")
def machines(tmp_path_factory: pytest.TempPathFactory) -> Workload:
    return load_workload(write_workload(tmp_path_factory.mktemp("daily")))


@pytest.fixture(scope="module")
def growing_log(tmp_path_factory: pytest.TempPathFactory) -> Workload:
    home = write_workload(tmp_path_factory.mktemp("undated"))
    (home / "workload.yaml").write_text(WORKLOAD.replace("data/{day}.csv", "data/all-*.csv"))
    return load_workload(home)


@given(before=SHORT, after=SHORT)
def test_every_byte_of_a_days_file_counts_and_all_that_was_loaded_of_a_log(
    machines: Workload, growing_log: Workload, tmp_path_factory: pytest.TempPathFactory, before: bytes, after: bytes
) -> None:
    lake = tmp_path_factory.mktemp("lake")
    for workload, name, is_as_loaded in (
        (machines, f"{day(1)}.csv", after == before),
        (growing_log, "all-1.csv", after.startswith(before)),
    ):
        file = workload.base / "data" / name
        file.write_bytes(before)
        shutil.rmtree(lake / "machines", ignore_errors=True)
        keep(lake, 1, file)
        assert changed_files(lake, workload, [day(1)]) == {}
        file.write_bytes(after)
        assert changed_files(lake, workload, [day(1)]) == ({} if is_as_loaded else {day(1): (name,)})
        assert changed_files(lake, workload, [day(2)]) == {}


def test_files_that_moved_with_their_workload_are_known_and_those_that_are_gone_are_not(tmp_path: Path) -> None:
    home, lake = write_workload(tmp_path / "here"), tmp_path / "lake"
    assert changed_files(lake, load_workload(home), [day(0)]) == {}
    for number in (0, 1, 2):
        keep(lake, number, home / "data" / f"{day(number)}.csv")
    moved = shutil.move(home, tmp_path / "machines")
    for number in (1, 2):
        file = moved / "data" / f"{day(number)}.csv"
        file.write_text(file.read_text().replace(",m1,-1", ",m1,11"))
    (moved / "data" / f"{day(2)}.csv").unlink()
    changed = changed_files(lake, load_workload(moved), [day(0), day(1), day(2)])
    assert changed == {day(1): (f"{day(1)}.csv",)}

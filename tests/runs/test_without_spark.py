"""A small run starts Spark only to load: the other tasks give their tables without a JVM."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from deltalake import DeltaTable, write_deltalake

from jobs.lake.session import LateSession
from jobs.runs.run import Silent
from jobs.stages.measuring.more_workers import EXPERIMENT as WORKERS
from jobs.stages.statistics import statistics
from jobs.tasks.nightly import begin, evaluate, slice_, with_scope
from tests.leases import leased
from tests.runs.lake.lakes import StoredLake, Tables
from tests.runs.lake.small_workload import day


def test_slices_and_results_need_no_spark(
    undisturbed_lake: StoredLake, undisturbed: Tables, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All days are counted, planned, sliced and evaluated again; a session that starts would fail the test."""

    def start(*_: Any) -> None:
        raise AssertionError("a task of a small run asked for Spark")

    monkeypatch.setattr("jobs.lake.session.start_session", start)
    lake = StoredLake(shutil.copytree(undisturbed_lake.folder, tmp_path / "lake"))
    for name in ("stream_statistics", "heavy_hitters"):
        shutil.rmtree(lake.folder / "machines" / name)
    session = LateSession("tests")
    with leased(lake.folder, "machines", "again"):
        run = begin(str(home), day(1), day(2), "again", session=session, lake=lake.folder, progress=Silent())
        edited = {name: replace(query, definition="edited") for name, query in run.compiled.items()}
        scope = with_scope(replace(run, compiled=edited)).scope
        assert scope is not None
        assert scope.evaluations
        again = replace(run, scope=scope)
        slice_(again)
        evaluate(again)
    assert session.running is None
    assert {row["run_id"] for row in lake.rows("slicing_plans")} >= {"again"}
    assert lake.tables() == undisturbed
    for_workers = [row for row in lake.rows("experiments") if row["experiment"] == WORKERS]
    assert {row["run_id"] for row in for_workers if row["day"] == day(2)} == {"again"}


def test_a_repeated_task_counts_again_what_its_run_has_counted(
    undisturbed_lake: StoredLake, undisturbed: Tables, home: Path, tmp_path: Path
) -> None:
    """Since then the same run may have loaded other events; another run need not count."""
    lake = StoredLake(shutil.copytree(undisturbed_lake.folder, tmp_path / "lake"))
    folder = lake.folder / "machines" / "stream_statistics"
    counted = DeltaTable(folder).to_pyarrow_table()
    [run_id] = set(counted["run_id"].to_pylist())
    place = counted.schema.get_field_index("events")
    wrong = counted.set_column(place, counted.schema.field(place), pa.array([1000] * counted.num_rows))
    write_deltalake(folder, wrong, mode="overwrite")
    with leased(lake.folder, "machines", run_id):
        session = LateSession("tests")
        run = begin(str(home), day(1), day(2), run_id, session=session, lake=lake.folder, progress=Silent())
        statistics(replace(run, run_id="another"))
        assert {row["events"] for row in lake.rows("stream_statistics")} == {1000}
        statistics(run)
    assert lake.tables() == undisturbed

"""The table of runs: which versions of which tables each stage wrote, and what it computed with."""

from __future__ import annotations

import json
from importlib import metadata

from deltalake import DeltaTable

from tests.runs.lake.lakes import StoredLake
from tests.runs.lake.small_workload import MATCH_EVENTS, RESULTS, day

WRITTEN = {
    "ingest": {"work_staged_events", "work_source_rows", "work_source_files"},
    "validate": {"events", "quarantine", "work_loaded_days"},
    "statistics": {"stream_statistics", "heavy_hitters"},
    "plan_slices": {"slicing_plans"},
    "slice_events": {"work_points", "work_slices"},
    "evaluate": {"result_days", "slice_runs", *RESULTS, *MATCH_EVENTS},
    "compare": {"experiments"},
}


def test_each_stage_tells_what_it_wrote_and_with_what(undisturbed_lake: StoredLake) -> None:
    """Tables at their Delta versions: after one run, the present ones; versions of the packages in use."""
    rows = [{**row, "versions": json.loads(str(row["versions"]))} for row in undisturbed_lake.rows("runs")]
    assert {row["day"] for row in rows if row["stage"] == "ingest"} == {day(0), day(1), day(2)}
    assert {row["stage"]: set(row["versions"]["tables"]) for row in rows} == WRITTEN
    for row in rows:
        assert row["versions"]["software"]["pyspark"] == metadata.version("pyspark")
        assert row["versions"]["software"]["trendmill"] == metadata.version("trendmill")
        assert row["versions"]["settings"] == "for small inputs, interpreted code, 1500m of heap"
        for table, version in row["versions"]["tables"].items():
            home = undisturbed_lake.folder / "machines"
            folder = home / "_work" / table.removeprefix("work_") if table.startswith("work_") else home / table
            assert version == DeltaTable(folder).version() > 0


def test_each_day_tells_how_many_events_its_evaluation_read(undisturbed_lake: StoredLake) -> None:
    """Added up they are what the slices read, which is what the console says."""
    read = [row["rows_in"] for row in undisturbed_lake.rows("runs") if row["stage"] == "evaluate"]
    assert sum(read) == sum(row["events"] for row in undisturbed_lake.rows("slice_runs")) > 0

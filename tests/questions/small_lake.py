"""A lake of the workload `lines` with three days of events, written without Spark."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path

import pyarrow as pa
from deltalake import write_deltalake

from jobs.workload.declaration import load_workload

FIRST = date(2013, 3, 5)
EVENTS = 144
DAYS = tuple(FIRST + timedelta(days=n) for n in range(3))


def write_lake(lake: Path, home: Path) -> None:
    """Every ten minutes a line departs or arrives, by day and night."""
    calendar = load_workload(home).operating_days
    events = []
    for number, day in enumerate(DAYS):
        begin = calendar.interval(day)[0]
        for place in range(EVENTS):
            kind = "Arrive" if place % 3 == 2 else "Depart"
            line = "AB"[place % 7 > 4]
            delay = (place * 7 + number) % 23
            seq = 1_000 * number + place
            events.append((day, "run", kind, begin + 600 * place, seq, line, f"s{place % 4}", delay))
    names = ("day", "run_id", "event_type", "ts", "seq", "line", "station", "delay_min")
    columns = dict(zip(names, map(list, zip(*events, strict=True)), strict=True))
    write_deltalake(lake / home.name / "events", pa.table(columns), partition_by=["day"])
    loaded = {"day": list(DAYS), "digest": [str(day) for day in DAYS], "refused": [False] * len(DAYS)}
    loaded |= {"events": [EVENTS] * len(DAYS), "points": [EVENTS] * len(DAYS)}
    write_deltalake(lake / home.name / "_work" / "loaded_days", pa.table(loaded))

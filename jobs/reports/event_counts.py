"""A day's events counted by type and part of the day.

`stream_statistics` has these counts for days whose statistics are those of the events that the lake has now. Events of
other days are counted. Cost: for the former a few rows, and the log of the table of events: if files say from which run
their events are, no event is read. For the others all events of the day, in pieces.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import date
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from jobs.reports.answers.tallies import PERIODS
from jobs.reports.lake_reader import LakeReader, rows
from jobs.workload.operating_days import OperatingDays

Parts = dict[tuple[str, int], int]
"""Events by type and 24th part of the day, in this order."""


def events_by_part(reader: LakeReader, calendar: OperatingDays, days: Sequence[date]) -> dict[date, Parts]:
    """The events of each day."""
    counted = _from_statistics(reader, calendar, days)
    return {day: counted[day] if day in counted else _from_events(reader, calendar, day) for day in days}


def _from_statistics(reader: LakeReader, calendar: OperatingDays, days: Sequence[date]) -> dict[date, Parts]:
    """Those of the days whose statistics are up to date."""
    columns = ["day", "run_id", "event_type", "period_start", "events"]
    by_day: dict[date, list[dict[str, Any]]] = {}
    for row in rows(reader.read("stream_statistics", min(days), max(days), columns)) if days else ():
        by_day.setdefault(row["day"], []).append(row)
    width = calendar.length // PERIODS
    counted = {}
    for day, own in by_day.items():
        start, end = calendar.interval(day)
        in_day = all(start <= row["period_start"] < end and not (row["period_start"] - start) % width for row in own)
        if day in days and in_day and _are_of_these_events(reader, day, own):
            counts = {(row["event_type"], (row["period_start"] - start) // width): row["events"] for row in own}
            counted[day] = dict(sorted(counts.items()))
    return counted


def _are_of_these_events(reader: LakeReader, day: date, counts: Sequence[dict[str, Any]]) -> bool:
    """Whether all events of the day are from the run whose events were counted, and as many.

    A load that was not counted yet has another run; erased events have the same one, but are missing.
    """
    runs = {row["run_id"] for row in counts}
    number = sum(row["events"] for row in counts)
    if len(runs) != 1 or reader.count("events", day, day) != number:
        return False
    return reader.count("events", day, day, pc.field("run_id") == runs.pop()) == number


def _from_events(reader: LakeReader, calendar: OperatingDays, day: date) -> Parts:
    """Counts the day's events."""
    sums = Counter[tuple[str, int]]()
    offset, length = pa.scalar(calendar.offset, pa.int64()), calendar.length
    for events in reader.pieces("events", day, day, ["event_type", "ts"]):
        since = pc.subtract(events["ts"], offset)
        into_day = pc.subtract(since, pc.multiply(pc.divide(since, length), length))
        part = pc.divide(pc.multiply(into_day, PERIODS), length)
        counts = events.append_column("part", part).group_by(["event_type", "part"]).aggregate([([], "count_all")])
        for row in counts.to_pylist():
            sums[row["event_type"], row["part"]] += row["count_all"]
    return dict(sorted(sums.items()))

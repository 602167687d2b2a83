"""Everything that a day's report says, computed once from the tables. The pages only choose and arrange."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from jobs.reports.answers.changes import TRAILING
from jobs.reports.comparisons.shedding_comparison import SheddingComparison
from jobs.reports.comparisons.shedding_rows import read_shedding
from jobs.reports.event_counts import Parts, events_by_part
from jobs.reports.kinds.by_kind import report_query
from jobs.reports.lake_reader import LakeReader, rows
from jobs.reports.query_report import QueryReport, Records
from jobs.reports.questions import Question
from jobs.reports.words.clock import Clock
from jobs.workload.declaration import Workload


@dataclass(frozen=True)
class Volume:
    """Events of the day by (type, 24th part of the day), and of each day before by part."""

    today: Parts
    before: dict[date, dict[int, int]]
    types_before: dict[date, dict[str, int]]

    @property
    def total(self) -> int:
        return sum(self.today.values())

    @property
    def totals_before(self) -> dict[date, int]:
        return {day: sum(periods.values()) for day, periods in self.before.items()}

    @property
    def by_type(self) -> dict[str, int]:
        counts = Counter[str]()
        for (event_type, _), events in self.today.items():
            counts[event_type] += events
        return dict(counts)


@dataclass(frozen=True)
class DayReport:
    """One day of a workload. The pages about the run and the lake read tables, each at one version, from `reader`."""

    workload: Workload
    day: date
    run_id: str
    reader: LakeReader
    records: Records
    queries: tuple[QueryReport, ...]
    volume: Volume
    loaded: dict[str, Any] | None
    """The day's row of `_work/loaded_days`: the gate's verdict. None: the day was never loaded."""
    shedding: SheddingComparison | None = None
    """What a slower machine would have missed; None: not compared for this day."""

    @property
    def clock(self) -> Clock:
        return Clock(self.workload.time.unit, self.workload.time.zone)

    @property
    def interval(self) -> tuple[int, int]:
        return self.workload.operating_days.interval(self.day)


def report_day(workload: Workload, questions: list[Question], reader: LakeReader, day: date, run_id: str) -> DayReport:
    """Read and compute a day's report."""
    records = Records.read(reader, day)
    clock = Clock(workload.time.unit, workload.time.zone)
    days = workload.operating_days
    queries = tuple(report_query(question, records, reader, days, day, clock) for question in questions)
    loads = rows(reader.read("_work/loaded_days", day - timedelta(days=TRAILING), day), "day")
    loaded = {row["day"]: row for row in loads if row["digest"] is not None}
    today = next((row for row in loads if row["day"] == day), None)
    volume = _volume(workload, reader, day, set(loaded))
    shedding = read_shedding(reader, day)
    return DayReport(workload, day, run_id, reader, records, queries, volume, today, shedding)


def _volume(workload: Workload, reader: LakeReader, day: date, loaded: set[date]) -> Volume:
    """Events counted by day, type and part of the day. Days that were loaded without any event count too."""
    trailing = [day - timedelta(days=back) for back in range(TRAILING, -1, -1)]
    counted = reader.once("events by type and part", dict[date, Parts])
    if new := [on for on in trailing if on not in counted]:
        counted.update(events_by_part(reader, workload.operating_days, new))
    before: dict[date, dict[int, int]] = {on: {} for on in sorted(loaded) if on < day}
    types: dict[date, dict[str, int]] = {on: {} for on in before}
    for on in trailing[:-1]:
        for (event_type, part), events in counted[on].items():
            parts, kinds = before.setdefault(on, {}), types.setdefault(on, {})
            parts[part] = parts.get(part, 0) + events
            kinds[event_type] = kinds.get(event_type, 0) + events
    return Volume(counted[day], dict(sorted(before.items())), dict(sorted(types.items())))

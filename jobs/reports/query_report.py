"""Everything one query's page says about one day, computed from `result_days`, the query's table and `events`."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from jobs.reports import aggregation, matching
from jobs.reports.answers import Answer
from jobs.reports.changes import TRAILING, Change, compare
from jobs.reports.event_index import EventIndex
from jobs.reports.figures.distribution import distribution_figure
from jobs.reports.figures.figure import Figure
from jobs.reports.figures.rhythm import PERIODS
from jobs.reports.figures.timeline import ROWS, timeline_figure
from jobs.reports.figures.windows import windows_figure
from jobs.reports.lake_reader import LakeReader, rows
from jobs.reports.listing import Listing
from jobs.reports.missing import is_missing, why_missing
from jobs.reports.moments import Clock, brief, spoken
from jobs.reports.quantities import Magnitude, counted
from jobs.reports.questions import Question
from jobs.reports.values import listed
from jobs.workload.operating_days import OperatingDays


@dataclass(frozen=True)
class QueryReport:
    """One query on one day. Without `answer` there is no result of the day; the first notice says why."""

    question: Question
    notices: tuple[str, ...]
    answer: Answer | None = None
    change: Change | None = None
    listing: Listing | None = None
    figures: tuple[Figure, ...] = ()
    periods: Mapping[int, Magnitude] | None = None
    """For each 24th part of the day: its largest headline, or its number of matches."""

    @property
    def page(self) -> str:
        return f"query-{self.question.name}.html"

    @property
    def file(self) -> str:
        return f"{self.question.name}.csv"

    @property
    def period_unit(self) -> str:
        return aggregation.unit(self.question.query) if self.question.query.aggregation else matching.UNIT


@dataclass(frozen=True)
class Records:
    """The `result_days` of the workload for the day and the 28 before it."""

    by_query: Mapping[str, Mapping[date, Mapping[str, Any]]]

    @staticmethod
    def read(reader: LakeReader, day: date) -> Records:
        found: dict[str, dict[date, Mapping[str, Any]]] = {}
        for row in rows(reader.read("result_days", day - timedelta(days=TRAILING), day)):
            found.setdefault(row["query"], {})[row["day"]] = row
        return Records(found)

    def of(self, query: str, day: date) -> Mapping[str, Any] | None:
        return self.by_query.get(query, {}).get(day)

    def incomplete(self, day: date) -> list[str]:
        """Queries whose results of the day lack an input, by name."""
        return sorted(name for name, days in self.by_query.items() if day in days and not days[day]["complete"])


def report_query(
    question: Question, records: Records, reader: LakeReader, days: OperatingDays, day: date, clock: Clock
) -> QueryReport:
    """The query's answer, comparison, listing, figure and notices for a day."""
    record = records.of(question.name, day)
    earlier = reader.read(question.name, day - timedelta(days=TRAILING), day)
    if record is None or earlier is None:
        return QueryReport(question, (f"This query has not been evaluated for {spoken(day)}.",))
    if is_missing(record):
        return QueryReport(question, (why_missing(record),))
    results = earlier.filter(pc.field("day") == pa.scalar(day, pa.date32()))
    evaluated = {on for on, row in records.by_query[question.name].items() if not is_missing(row)}
    query, name = question.query, question.name
    if query.aggregation:
        answer = aggregation.answer(query, results, day, clock)
        change = compare(day, answer.headline, evaluated, aggregation.headlines(query, earlier))
        listing = aggregation.listing(query, results, clock)
        before = earlier.filter(pc.field("day") != pa.scalar(day, pa.date32()))
        drawn = [
            windows_figure(query, name, results, day, clock),
            distribution_figure(query, name, results, before, day),
        ]
        periods = _window_periods(question, results, days.interval(day))
    else:
        totals = totals_of(record)
        index = _events_of(reader, results, days, day)
        answer = matching.answer(query, results, totals, index, day, clock)
        recorded = records.by_query[name]
        change = compare(day, answer.headline, evaluated, {on: totals_of(recorded[on]).magnitude for on in evaluated})
        listing = matching.listing(query, results, index, clock)
        best = matching.exemplars(query, results, index, ROWS)
        total = counted(totals.magnitude, "match", "matches")
        drawn = [timeline_figure(query, name, best, total, day, clock)]
        periods = _match_periods(results, days.interval(day))
    notices = [*incompleteness([record]), *([answer.caveat] if answer.caveat else [])]
    figures = tuple(figure for figure in drawn if figure is not None)
    return QueryReport(question, tuple(notices), answer, change, listing, figures, periods)


def totals_of(record: Mapping[str, Any]) -> matching.Totals:
    """Totals of a matching query from its row of `result_days`."""
    total, at_least = record["matches_total"], record["matches_at_least"]
    return matching.Totals(
        None if total is None else int(total),
        int(at_least) if at_least is not None else int(record["rows"]),
        bool(record["truncated"]),
    )


def incompleteness(records: Sequence[Mapping[str, Any]]) -> list[str]:
    """One sentence naming the days that are missing or failed their gate; nothing for complete results."""
    holes: dict[str, set[date]] = {"missing": set(), "refused": set()}
    lacking = [record for record in records if not record["complete"] and not is_missing(record)]
    if not lacking:
        return []
    for record in lacking:
        for on, version in json.loads(record["inputs"]).items():
            if version.startswith("absent"):
                holes["missing"].add(date.fromisoformat(on))
            if version.endswith("refused"):
                holes["refused"].add(date.fromisoformat(on))
    parts = []
    if holes["missing"]:
        parts.append(f"{listed([brief(on) for on in sorted(holes['missing'])])} not loaded")
    if holes["refused"]:
        parts.append(f"{listed([brief(on) for on in sorted(holes['refused'])])} refused by the quality gate")
    why = f": {'; '.join(parts)}" if parts else ""
    return [
        f"Incomplete: these results lack days that they look back to{why}. They will be computed again once filled."
    ]


def _events_of(reader: LakeReader, results: pa.Table, days: OperatingDays, day: date) -> EventIndex:
    """The events of the days that the listed matches touch."""
    first = days.day_of(pc.min(results["first_ts"]).as_py()) if results.num_rows else day
    events = reader.read("events", first, day)
    if events is None:
        events = pa.table({"seq": pa.array([], pa.int64()), "ts": pa.array([], pa.int64())})
    return EventIndex(events)


def _period(moment: int, interval: tuple[int, int]) -> int | None:
    start, end = interval
    return (moment - start) * PERIODS // (end - start) if start <= moment < end else None


def _window_periods(question: Question, results: pa.Table, interval: tuple[int, int]) -> dict[int, Magnitude]:
    item = aggregation.headline_item(question.query)
    best: dict[int, Magnitude] = {}
    for row in results.to_pylist():
        period, value = _period(row["window_end"] - 1, interval), aggregation.value_of(item, row)
        if period is not None and value is not None and (period not in best or value.key > best[period].key):
            best[period] = value
    return best


def _match_periods(results: pa.Table, interval: tuple[int, int]) -> dict[int, Magnitude]:
    tally = Counter(
        period for moment in results["last_ts"].to_pylist() if (period := _period(moment, interval)) is not None
    )
    return {period: Magnitude.of(count) for period, count in sorted(tally.items())}

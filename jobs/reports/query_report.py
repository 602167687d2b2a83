"""Everything one query's page says about one day, computed from `result_days`, the query's table and `events`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from cep_core.language.patterns.query import Query
from cep_core.numbers.count_columns import from_digits
from jobs.reports.answers import aggregation, matching
from jobs.reports.answers.answers import Answer
from jobs.reports.answers.changes import TRAILING, Change, compare
from jobs.reports.answers.event_index import EventIndex
from jobs.reports.answers.leaders import leaders
from jobs.reports.answers.listing import Listing
from jobs.reports.answers.missing import is_missing, why_missing
from jobs.reports.answers.tallies import Totals, compact_columns, period_of, tallies_of
from jobs.reports.figures.distribution import distribution_figure
from jobs.reports.figures.drawing.figure import Figure
from jobs.reports.figures.timeline import ROWS, timeline_figure
from jobs.reports.figures.windows import windows_figure
from jobs.reports.lake_reader import LakeReader, rows
from jobs.reports.questions import Question
from jobs.reports.words.moments import Clock, brief, spoken
from jobs.reports.words.quantities import Magnitude, counted, quantity
from jobs.reports.words.values import listed
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
    listed: int | None = None
    """So many listed matches are counted in `periods`; None: all of the day."""
    leaders: Listing | None = None
    """Matches by the values of the equivalences, where there are several."""

    @property
    def page(self) -> str:
        return f"query-{self.question.name}.html"

    @property
    def file(self) -> str:
        return f"{self.question.name}.csv"

    @property
    def cut(self) -> bool:
        """Whether fewer matches are listed than there are."""
        return self.answer is not None and bool(self.answer.caveat)

    @property
    def leaders_file(self) -> str:
        return f"{self.question.name}-by-key.csv"

    def peak(self, most: Magnitude) -> str:
        """The largest of `periods` in words."""
        if self.question.query.aggregation:
            return f"at most {aggregation.sized(self.question.query, most)} in one window"
        if self.listed is not None:
            return f"at most {quantity(most)} of the {self.listed:,} listed matches in an hour"
        return f"at most {counted(most, 'match', 'matches')} in an hour{self._ended_before}"

    @property
    def _ended_before(self) -> str:
        """How many matches are in no hour of the day in which they became certain: a NOT made them wait for it."""
        total = None if self.answer is None else self.answer.headline.exact
        inside = [count.exact for count in (self.periods or {}).values()]
        ended = total - sum(count for count in inside if isinstance(count, int)) if isinstance(total, int) else 0
        return f", {quantity(ended)} ended before the day" if ended else ""


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


@dataclass(frozen=True)
class Evaluated:
    """A query with a result of a day; `records`: its `result_days` of that day and the 28 before that have results."""

    question: Question
    records: Mapping[date, Mapping[str, Any]]
    reader: LakeReader
    days: OperatingDays
    day: date
    clock: Clock

    @property
    def query(self) -> Query:
        return self.question.query

    @property
    def name(self) -> str:
        return self.question.name

    @property
    def interval(self) -> tuple[int, int]:
        return self.days.interval(self.day)


def report_query(
    question: Question, records: Records, reader: LakeReader, days: OperatingDays, day: date, clock: Clock
) -> QueryReport:
    """The query's answer, comparison, listing, figure and notices for a day."""
    first = day - timedelta(days=TRAILING) if question.query.aggregation else day
    results = reader.read(question.name, first, day)
    record = records.of(question.name, day)
    if record is None or results is None:
        return QueryReport(question, (f"This query has not been evaluated for {spoken(day)}.",))
    if is_missing(record):
        return QueryReport(question, (why_missing(record),))
    answered = {on: row for on, row in records.by_query[question.name].items() if not is_missing(row)}
    evaluated = Evaluated(question, answered, reader, days, day, clock)
    return _aggregated(evaluated, results) if question.query.aggregation else _matched(evaluated, results)


def _aggregated(it: Evaluated, results: pa.Table) -> QueryReport:
    """`results`: of the day and of those before."""
    query, today = it.query, pc.field("day") == pa.scalar(it.day, pa.date32())
    of_day, before = results.filter(today), results.filter(~today)
    answer = aggregation.answer(query, of_day, it.day, it.clock)
    return QueryReport(
        it.question,
        _notices(it, answer),
        answer,
        compare(it.day, answer.headline, set(it.records), aggregation.headlines(query, results)),
        aggregation.listing(query, of_day, it.clock),
        _drawn(
            windows_figure(query, it.name, of_day, it.day, it.clock),
            distribution_figure(query, it.name, of_day, before, it.day),
        ),
        _window_periods(it.question, of_day, it.interval),
    )


def _matched(it: Evaluated, results: pa.Table) -> QueryReport:
    """`results`: the listed matches of the day."""
    query, totals = it.query, totals_of(it.records[it.day])
    compact = None
    if totals.truncated:
        compact = it.reader.read(f"{it.name}_compact", it.day, it.day, compact_columns(query))
    index = _events_of(it, [results] if compact is None else [results, compact])
    tallies = tallies_of(query, results, compact, totals, index, it.interval)
    whose = tallies.keys
    answer = matching.answer(query, results, totals, whose, index, it.day, it.clock)
    every = {on: totals_of(record) for on, record in it.records.items()}
    change = compare(
        it.day,
        answer.headline,
        set(every),
        {on: matching.magnitude_of(own) for on, own in every.items()},
        at_least={on for on, own in every.items() if own.total is None},
    )
    best = matching.exemplars(query, results, index, whose, ROWS)
    timeline = timeline_figure(query, it.name, best, totals, whose, it.day, it.clock)
    return QueryReport(
        it.question,
        _notices(it, answer),
        answer,
        change,
        matching.listing(query, results, index, it.clock),
        _drawn(timeline),
        {period: Magnitude.of(count) for period, count in tallies.periods.counts.items()},
        tallies.periods.listed,
        leaders(query, whose),
    )


def _notices(it: Evaluated, answer: Answer) -> tuple[str, ...]:
    return (*incompleteness([it.records[it.day]]), *([answer.caveat] if answer.caveat else []))


def _drawn(*figures: Figure | None) -> tuple[Figure, ...]:
    return tuple(figure for figure in figures if figure is not None)


def totals_of(record: Mapping[str, Any]) -> Totals:
    """Totals of a matching query from its row of `result_days`."""
    total, at_least = record["matches_total"], record["matches_at_least"]
    return Totals(
        None if total is None else from_digits(total),
        from_digits(at_least) if at_least is not None else int(record["rows"]),
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


def _events_of(it: Evaluated, matches: Sequence[pa.Table]) -> EventIndex:
    """The events of the days that a day's matches touch."""
    begun = [pc.min(rows["first_ts"]).as_py() for rows in matches if rows.num_rows]
    events = it.reader.read("events", it.days.day_of(min(begun)) if begun else it.day, it.day)
    if events is None:
        events = pa.table({"seq": pa.array([], pa.int64()), "ts": pa.array([], pa.int64())})
    return EventIndex(events)


def _window_periods(question: Question, results: pa.Table, interval: tuple[int, int]) -> dict[int, Magnitude]:
    item = aggregation.headline_item(question.query)
    best: dict[int, Magnitude] = {}
    for row in results.to_pylist():
        period, value = period_of(row["window_end"] - 1, interval), aggregation.value_of(item, row)
        if period is not None and value is not None and (period not in best or value.key > best[period].key):
            best[period] = value
    return best

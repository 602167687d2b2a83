"""Which alerts of a workload a day gives reason for, and why: conditions, a refused day, results that are late.

Reads the lake's published tables without a JVM and without the lease, so that a check for late results works while
the late night holds it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from jobs.alerts.measures import Measured, compares, measured, of_number, summarised
from jobs.exits import WrongWorkload
from jobs.reports.answers.missing import is_missing, why_missing
from jobs.reports.kinds.by_kind import report_query
from jobs.reports.lake_reader import LakeReader, rows
from jobs.reports.masking import masks_of
from jobs.reports.query_report import Records
from jobs.reports.questions import Question, questions_of
from jobs.reports.words.clock import Clock, spoken
from jobs.reports.words.quantities import Magnitude, counted, quantity
from jobs.workload.declaration import Workload
from jobs.workload.operating_days import UNITS
from jobs.workload.sections.alerting.condition import MEASURES, Condition, Summary
from jobs.workload.sections.alerting.declared import Alert

DUE, QUIET, UNKNOWN = "due", "quiet", "unknown"
"""There is a reason to send; there is none; nobody can tell."""

FEWEST = 7
"""Days before with results that a summary needs, if it looks back that far: the first days of a lake say little."""

_WORDS = {">": "more than", ">=": "at least", "<": "less than", "<=": "at most", "=": "equal to", "!=": "other than"}


@dataclass(frozen=True)
class Verdict:
    """What a day says about an alert. `sentence`: what a message begins with, if it is due. `page`: of the report."""

    alert: Alert
    state: str
    why: str
    sentence: str = ""
    page: str = "index.html"


@dataclass(frozen=True)
class JudgedDay:
    """A day of a workload, for its alerts. `now`: the moment of judging."""

    workload: Workload
    day: date
    now: datetime
    lake: Path
    reports: Path

    def judge(self, alert: Alert) -> Verdict:
        """The verdict on one alert. Raises WrongWorkload for a value that the query's kind does not have."""
        if alert.condition is not None:
            return self._judge_condition(alert, alert.condition)
        return self._judge_late(alert, alert.late) if alert.late is not None else self._judge_gate(alert)

    @property
    def is_past(self) -> bool:
        """Whether the lake has results of a later day: then this day is made again, or made up for."""
        return self.newest is not None and self.day < self.newest

    @cached_property
    def newest(self) -> date | None:
        """The latest day with results; None if there is none."""
        results = self._reader.read("result_days", columns=["day"])
        return max(results["day"].to_pylist(), default=None) if results is not None else None

    @cached_property
    def _reader(self) -> LakeReader:
        """The tables that say which days there are and what the gate made of them. They are read without the queries,
        in which there may be a mistake."""
        return LakeReader(self.lake / self.workload.name, masks=masks_of(self.workload, ()))

    @cached_property
    def _shown(self) -> LakeReader:
        """The tables as reports may show them."""
        return LakeReader(self.lake / self.workload.name, masks=masks_of(self.workload, self._questions.values()))

    @cached_property
    def _questions(self) -> dict[str, Question]:
        return {question.name: question for question in questions_of(self.workload)}

    @cached_property
    def _load(self) -> Mapping[str, Any] | None:
        """The day's row of `_work/loaded_days`."""
        return next(iter(rows(self._reader.read("_work/loaded_days", self.day, self.day))), None)

    @property
    def _is_refused(self) -> bool:
        return self._load is not None and bool(self._load["refused"])

    def _judge_condition(self, alert: Alert, condition: Condition) -> Verdict:
        question, name = self._questions.get(condition.query), f"{condition.query}.{condition.measure}"
        if question is None or question.kind not in MEASURES[condition.measure]:
            raise WrongWorkload(f"workload '{self.workload.name}': no value '{name}'; `trendmill check` says where")
        if self._is_refused:
            return Verdict(alert, UNKNOWN, "the quality gate refused the day, so there are no new results")
        back = condition.bound.days if isinstance(condition.bound, Summary) else 0
        records = self._records(condition.query, self.day - timedelta(days=back))
        today = records.get(self.day)
        if today is None:
            return Verdict(alert, UNKNOWN, f"{condition.query} has not been evaluated for {spoken(self.day)}")
        if is_missing(today):
            return Verdict(alert, UNKNOWN, why_missing(today))
        values = measured(question, condition.measure, records, self._shown)
        if self.day not in values:
            return Verdict(alert, UNKNOWN, f"{name} of {spoken(self.day)} is not known")
        value = values.pop(self.day)
        bound, words = _bound(condition, values)
        if bound is None:
            return Verdict(alert, UNKNOWN, words)
        shown = f"{name} is {'at least ' if value.at_least else ''}{quantity(value.value)}"
        holds = compares(value, condition.comparison, bound)
        if holds is None:
            return Verdict(alert, UNKNOWN, f"{shown}, of which only the listing is counted; compared with {words}")
        than = f"{'' if holds else 'not '}{_WORDS[condition.comparison]} {words}"
        if not holds:
            return Verdict(alert, QUIET, f"{shown}, {than}")
        return Verdict(alert, DUE, f"{shown}, {than}", self._answer(question), f"query-{question.name}.html")

    def _records(self, query: str, first: date) -> dict[date, Mapping[str, Any]]:
        results = rows(self._reader.read("result_days", first, self.day))
        return {row["day"]: row for row in results if row["query"] == query}

    def _answer(self, question: Question) -> str:
        """The first sentence of the query's page."""
        clock = Clock(self.workload.time.unit, self.workload.time.zone)
        records, days = Records.read(self._shown, self.day), self.workload.operating_days
        report = report_query(question, records, self._shown, days, self.day, clock)
        return report.notices[0] if report.answer is None else report.answer.sentence

    def _judge_gate(self, alert: Alert) -> Verdict:
        if self._load is None:
            return Verdict(alert, UNKNOWN, f"{spoken(self.day)} has not been loaded")
        if not self._is_refused:
            return Verdict(alert, QUIET, "the quality gate let the day pass")
        reason = self._load["reason"] or "no reason is stored"
        kept = "its former results stay" if self._load["digest"] is not None else "there are no results of it"
        sentence = f"The quality gate refused {spoken(self.day)}, {kept}."
        return Verdict(alert, DUE, f"the gate's first reason: {reason}", sentence)

    def _judge_late(self, alert: Alert, moment: time) -> Verdict:
        due = deadline(self.workload, self.day, moment)
        at = f"{due:%H:%M} on {due.day} {due:%B}"
        if self.day < self.workload.start:
            return Verdict(alert, QUIET, f"the log begins on {self.workload.start}")
        if (lacking := self._lacking()) is None:
            return Verdict(alert, QUIET, f"the results of {spoken(self.day)} are there")
        if self.now < due:
            return Verdict(alert, QUIET, f"the results are due at {at}; until now {lacking}")
        return Verdict(alert, DUE, lacking, f"At {at} the results of {spoken(self.day)} were not there.")

    def _lacking(self) -> str | None:
        """What a reader of the day's report lacks; None: nothing."""
        if self._load is None:
            return "the day has not been loaded"
        if self._is_refused:
            return "the quality gate refused the day"
        results = rows(self._reader.read("result_days", self.day, self.day))
        evaluated = {row["query"] for row in results}
        if missing := sorted({file.stem for file in self.workload.question_files()} - evaluated):
            return f"{counted(len(missing), 'query', 'queries')} not evaluated: {', '.join(missing[:5])}"
        if not (self.reports / self.workload.name / self.day.isoformat() / "index.html").exists():
            return "its report has not been published"
        return None


def deadline(workload: Workload, day: date, moment: time) -> datetime:
    """When a day's results are late: the first such time of day, in the log's zone, after the day has ended."""
    zone = ZoneInfo(workload.time.zone)
    ended = end_of(workload, day).astimezone(zone)
    due = datetime.combine(ended.date(), moment, zone)
    return due if due >= ended else datetime.combine(ended.date() + timedelta(days=1), moment, zone)


def end_of(workload: Workload, day: date) -> datetime:
    """The first moment after an operating day."""
    return datetime.fromtimestamp(workload.operating_days.interval(day)[1] // UNITS[workload.time.unit], UTC)


def last_ended(workload: Workload, now: datetime) -> date:
    """The operating day that ended last."""
    days = workload.operating_days
    return days.day_of(int(now.timestamp()) * UNITS[days.unit]) - timedelta(days=1)


def _bound(condition: Condition, before: Mapping[date, Measured]) -> tuple[Magnitude | None, str]:
    """What a value is compared with, and its words; None: there are too few days before, and the words say so."""
    if not isinstance(condition.bound, Summary):
        bound = of_number(condition.bound)
        return bound, quantity(bound)
    summary = condition.bound
    if len(before) < (needed := min(FEWEST, summary.days)):
        have = f"{counted(len(before), 'day')} {'has' if len(before) == 1 else 'have'}"
        return None, f"of the {summary.days} days before, {have} results; {needed} are needed"
    bound = summarised(summary, before)
    name = {"median": "median", "max": "largest", "min": "smallest"}[summary.name]
    of = f"the {name} of the {len(before)} days before"
    if summary.factor == 1:
        return bound, f"{of}, {quantity(bound)}"
    usual = summarised(replace(summary, factor=Fraction(1)), before)
    return bound, f"{quantity(of_number(summary.factor))} times {of} ({quantity(usual)}), {quantity(bound)}"

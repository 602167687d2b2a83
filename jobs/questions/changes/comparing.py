"""Two versions of a query, asked of the same days of the lake, a few days at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta

import numpy as np

from cep_core.compile import BoundText, bind_text
from cep_core.language.budget import WorkExhausted
from cep_core.language.evaluator import Evaluator
from jobs.exits import WrongWorkload
from jobs.questions.asked_log import Answer, AskedLog
from jobs.questions.changes.former_text import FormerText
from jobs.questions.changes.row_changes import Row, RowChanges, RowKeys
from jobs.questions.lake_days import LakeDays
from jobs.runs.run import days_between
from jobs.workload.compiled import WorkloadQuery, evaluation_settings

TOGETHER = 2_000_000
"""Events of days that are asked together, about."""
LISTED = 50_000
"""Matches and violations of a day that are compared, if the workload lists fewer."""


@dataclass(frozen=True)
class ComparedDay:
    """A day under both versions. Totals are exact numbers of matches or violations, or of rows; None: not known."""

    day: date
    before: AskedLog
    after: AskedLog
    """Both with all events that were read, to explain the rows of either."""
    totals: tuple[int | None, int | None]
    changes: RowChanges
    until: int | None = None
    """If a listing was cut: the moment before which all rows are compared."""


class Comparison:
    """A query's present text beside a former one, with the workload's present settings. Raises QueryError for a former
    text that is wrong under the present schema, WrongWorkload for one of another kind."""

    def __init__(self, days: LakeDays, query: WorkloadQuery, former: FormerText) -> None:
        self.days = days
        self.query = query
        workload = days.workload
        before = bind_text(former.text, workload.schema, former.path, whole_log=False)
        if before.kind != query.bound.kind:
            raise WrongWorkload(f"{former.called} is of kind {before.kind}, {query.name} of kind {query.bound.kind}")
        own = evaluation_settings(workload, query.path.stem)
        most = None if own.max_violations is None else max(own.max_violations, LISTED)
        settings = replace(own, max_matches=max(own.max_matches or 0, LISTED), max_violations=most, explained=0)
        self.before: tuple[BoundText, Evaluator] = before, before.evaluator_by_day(settings)
        self.after: tuple[BoundText, Evaluator] = query.bound, query.bound.evaluator_by_day(settings)
        columns = [tuple(evaluator.schema.names) for _, evaluator in (self.before, self.after)]
        self.keys = RowKeys.of(before, query.bound, columns)

    def of_days(self, days: Sequence[date]) -> Iterator[ComparedDay]:
        """Each day compared. Raises WorkExhausted, and WrongWorkload for days that are too large."""
        for first, last in self._blocks(days):
            try:
                yield from self._compared(first, last)
            except WorkExhausted:
                if first == last:
                    raise
                for day in days_between(first, last):  # at night each day has a budget of its own
                    yield from self._compared(day, day)

    def _compared(self, first: date, last: date) -> Iterator[ComparedDay]:
        """Consecutive days, evaluated together before the first of them is told."""
        before, after = (self.days.asked(*version, first, last) for version in (self.before, self.after))
        answers = before.answer(), after.answer()
        longest = max(
            (before.events, after.events), key=len
        )  # a row may rest on events that the other version needs not
        before, after = (replace(log, events=longest) for log in (before, after))
        for day in days_between(first, last):
            begin, end = self.days.workload.operating_days.interval(day)
            rows = [certain_rows(answer, begin, end) for answer in answers]
            totals = [
                answer.total(begin) if answer.numbers(begin) else len(listed)
                for answer, listed in zip(answers, rows, strict=True)
            ]
            until = whole_until(self.keys.listed_by, totals, rows)
            if until is not None:
                rows = [[row for row in listed if row[self.keys.listed_by] < until] for listed in rows]
            yield ComparedDay(day, before, after, (totals[0], totals[1]), self.keys.changes(*rows), until)

    def _blocks(self, days: Sequence[date]) -> Iterator[tuple[date, date]]:
        """Consecutive days that are asked together."""
        block: list[date] = []
        events = 0
        for day in sorted(days):
            own = self.days.events_of((day,))
            if block and (day - block[-1] > timedelta(days=1) or events + own > TOGETHER):
                yield block[0], block[-1]
                block, events = [], 0
            block.append(day)
            events += own
        if block:
            yield block[0], block[-1]


def whole_until(listed_by: str, totals: Sequence[int | None], rows: Sequence[Sequence[Row]]) -> int | None:
    """The moment before which no listing was cut; None if none was.

    A listing is cut at its end, so that up to its last moment it has all rows.
    """
    ends = [
        listed[-1][listed_by]
        for total, listed in zip(totals, rows, strict=True)
        if listed and (total is None or total > len(listed))
    ]
    return min(ends, default=None)


def certain_rows(answer: Answer, begin: int, end: int) -> list[Row]:
    """The rows that became certain in a part of time."""
    places = np.flatnonzero((answer.certain >= begin) & (answer.certain < end))
    rows: list[Row] = answer.rows.take(places).to_pylist()
    return rows

"""What each edit of an aggregation does alone: rows and trends of the former text with that edit and no other.

Counted on the first days that differ, those that are asked together. Cost: one evaluation of them for each text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from cep_core.aggregates.count import CountTrends
from cep_core.aggregates.registry import over_trends
from cep_core.compile import bind_text
from cep_core.engines import evaluator_of
from cep_core.language.bound_query import AGGREGATION
from cep_core.language.budget import WorkExhausted
from cep_core.language.errors import QueryError
from cep_core.language.patterns.query import Query, ReturnItem
from cep_core.language.settings import Settings
from jobs.questions.asked_log import AskedLog
from jobs.questions.changes.comparing import ComparedDay, certain_rows
from jobs.questions.changes.row_changes import Row, RowKeys
from jobs.questions.changes.single_edits import single_edits
from jobs.questions.result_columns import exact
from jobs.reports.words.quantities import Magnitude, quantity

MOST = 8
"""Edits that are counted alone; texts with more between them are different questions."""
TRENDS = "trends_of_row"
"""The column of the number of trends, of a query that does not return it."""


@dataclass(frozen=True)
class Version:
    """A text and its rows of some days. `said`: before, now, or the edit; `trends`: the column of their number."""

    said: str
    keys: RowKeys
    rows: Mapping[date, Sequence[Row]]
    trends: str

    def total(self) -> int | None:
        """The trends of all rows, those of each window; None: a row's number is not known."""
        numbers = [exact(row, self.trends) for rows in self.rows.values() for row in rows]
        return None if None in numbers else sum(map(int, numbers))

    def row_of(self, day: date, row: Row) -> Row | None:
        """Its row of the same window and group."""
        wanted = self.keys.key(row)
        return next((each for each in self.rows[day] if self.keys.key(each) == wanted), None)


@dataclass(frozen=True)
class SingleEffects:
    """The former text, it with each edit alone, and the present one, on the same days."""

    before: Version
    edits: tuple[Version, ...]
    now: Version

    @property
    def days(self) -> list[date]:
        """The days that were counted."""
        return sorted(self.before.rows)

    def table(self) -> tuple[list[str], list[list[object]]]:
        """A row for each text: its rows and trends, and how its rows differ from those before."""
        rows: list[list[object]] = []
        numbered = [f"edit {number} alone: {edit.said}" for number, edit in enumerate(self.edits, 1)]
        named = zip(("before", *numbered, "now"), (self.before, *self.edits, self.now), strict=True)
        for said, version in named:
            total = version.total()
            trends = "?" if total is None else quantity(Magnitude.of(total))
            facts = [f"{sum(map(len, version.rows.values())):,}", trends]
            rows.append([said, *facts, *self._changes(version)])
        return ["", "rows", "trends", "added", "gone", "changed"], rows

    def _changes(self, version: Version) -> list[str]:
        if version is self.before:
            return ["", "", ""]
        changes = [version.keys.changes(rows, version.rows[day]) for day, rows in self.before.rows.items()]
        sums = (sum(len(getattr(each, name)) for each in changes) for name in ("added", "gone", "changed"))
        return [f"{number:,}" for number in sums]


def single_effects(days: Sequence[ComparedDay]) -> SingleEffects | None:
    """The effects of the edits between both versions; None if there is nothing to count, or it takes too much work."""
    first = next((each for each in days if any((each.changes.added, each.changes.gone, each.changes.changed))), None)
    if first is None or first.after.bound.kind != AGGREGATION:
        return None
    together = [each for each in days if each.before.events is first.before.events]
    before, after = first.before.bound, first.after.bound
    edits = single_edits(before.text, after.text)
    if not 1 <= len(edits) <= MOST:
        return None
    try:
        versions = [_version("before", before.query, before.query, first.before, together)]
        for edit in edits if len(edits) > 1 else ():  # a single one makes the present text
            try:
                alone = bind_text(edit.text, before.query.schema, before.path, whole_log=False).query
            except QueryError:
                continue  # what it needs is in another edit
            versions.append(_version(edit.said, alone, before.query, first.before, together))
        versions.append(_version("now", after.query, before.query, first.before, together))
    except (QueryError, WorkExhausted):
        return None
    return SingleEffects(versions[0], tuple(versions[1:-1]), versions[-1])


def _version(said: str, query: Query, former: Query, log: AskedLog, days: Sequence[ComparedDay]) -> Version:
    """A text's rows of some days. Raises WorkExhausted; QueryError where no engine evaluates it."""
    trends = next((item.column for item in query.returns if isinstance(item.aggregate, CountTrends)), None)
    if trends is None:
        trends = TRENDS
        counted = ReturnItem(TRENDS, query.returns[0].at, aggregate=over_trends("count", None))
        query = replace(query, returns=(*query.returns, counted))
    evaluator = evaluator_of(query, Settings(exact=True))
    answer = replace(log, bound=replace(log.bound, query=query), evaluator=evaluator).answer()
    calendar = log.workload.operating_days
    rows = {each.day: certain_rows(answer, *calendar.interval(each.day)) for each in days}
    columns: list[Any] = [evaluator_of(former).schema.names, evaluator.schema.names]
    return Version(said, RowKeys.of_aggregations(former, query, columns), rows, trends)

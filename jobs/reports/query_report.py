"""What one query's page says about one day, for every kind of query, and the data behind it.

`jobs.reports.kinds` computes it from `result_days`, the query's table and `events`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from jobs.reports.answers.answer import Answer
from jobs.reports.answers.changes import TRAILING, Change
from jobs.reports.answers.listing import Listing
from jobs.reports.answers.matches.detail import MatchDetail
from jobs.reports.answers.missing import is_missing
from jobs.reports.figures.drawing.figure import Figure
from jobs.reports.lake_reader import LakeReader, rows
from jobs.reports.questions import Question
from jobs.reports.words.clock import Clock, brief
from jobs.reports.words.quantities import Magnitude, quantity
from jobs.reports.words.values import listed
from jobs.workload.operating_days import OperatingDays


@dataclass(frozen=True)
class Section:
    """A table of a query's page, with its heading, a sentence about it, and its file."""

    anchor: str
    title: str
    summary: str
    listing: Listing
    file: str
    link: str = "All as CSV"
    details: tuple[tuple[str, str], ...] = ()
    """Longer texts below the table, folded: title and text."""
    figure: Figure | None = None
    """Shown above the table."""
    wide: bool = False


@dataclass(frozen=True)
class QueryReport:
    """One query on one day. Without `answer` the day has no result, and the first notice says why."""

    question: Question
    notices: tuple[str, ...]
    answer: Answer | None = None
    change: Change | None = None
    listing: Listing | None = None
    figures: tuple[Figure, ...] = ()
    periods: Mapping[int, Magnitude] | None = None
    """For each 24th part of the day: its largest headline, or its number of matches."""
    listed: int | None = None
    """How many listed matches `periods` counts; None: it counts all matches of the day."""
    peak: Callable[[Magnitude], str] = quantity
    """The largest of `periods` in words."""
    remark: str = ""
    """A sentence below the answer; empty if there is nothing to remark."""
    sections: tuple[Section, ...] = ()
    """Further tables, in their order on the page."""
    details: tuple[MatchDetail, ...] = ()
    """Of the matches that the listing shows, in its order."""

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


@dataclass(frozen=True)
class Records:
    """The `result_days` of the workload for the day and the 28 before it."""

    by_query: Mapping[str, Mapping[date, Mapping[str, Any]]]

    @staticmethod
    def read(reader: LakeReader, day: date) -> Records:
        by_query: dict[str, dict[date, Mapping[str, Any]]] = {}
        for row in rows(reader.read("result_days", day - timedelta(days=TRAILING), day)):
            by_query.setdefault(row["query"], {})[row["day"]] = row
        return Records(by_query)

    def of(self, query: str, day: date) -> Mapping[str, Any] | None:
        return self.by_query.get(query, {}).get(day)


@dataclass(frozen=True)
class EvaluatedDay:
    """A query with a result of a day. `records`: its `result_days` with results, of that day and the 28 before."""

    question: Question
    records: Mapping[date, Mapping[str, Any]]
    reader: LakeReader
    days: OperatingDays
    day: date
    clock: Clock

    @property
    def query(self) -> Any:
        """The bound query. Its kind decides what it holds."""
        return self.question.query

    @property
    def name(self) -> str:
        return self.question.name

    @property
    def interval(self) -> tuple[int, int]:
        return self.days.interval(self.day)


def notices_of(evaluated: EvaluatedDay, answer: Answer) -> tuple[str, ...]:
    """What a reader must know before the answer."""
    return (*incompleteness([evaluated.records[evaluated.day]]), *([answer.caveat] if answer.caveat else []))


def incompleteness(records: Sequence[Mapping[str, Any]]) -> list[str]:
    """One sentence that names the days that are missing or failed their gate; empty for complete results."""
    holes: dict[str, set[date]] = {"missing": set(), "refused": set()}
    lacking = [record for record in records if not record["complete"] and not is_missing(record)]
    if not lacking:
        return []
    for record in lacking:
        for on, version in json.loads(record["inputs"]).items():
            if version.startswith(("absent", "expired")):
                holes["missing"].add(date.fromisoformat(on))
            if version.endswith("refused"):
                holes["refused"].add(date.fromisoformat(on))
    parts = []
    if holes["missing"]:
        parts.append(f"not loaded: {listed([brief(on) for on in sorted(holes['missing'])])}")
    if holes["refused"]:
        parts.append(f"refused by the quality gate: {listed([brief(on) for on in sorted(holes['refused'])])}")
    why = f" ({'; '.join(parts)})" if parts else ""
    return [
        f"These results are incomplete: they look back to days that are missing{why}. "
        "They will be computed again when those days are loaded."
    ]

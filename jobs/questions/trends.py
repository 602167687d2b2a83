"""The trends that a row of an aggregation counts: those of its window and group, as matches of the same pattern."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import pyarrow.compute as pc

from cep_core.engines import evaluator_of
from cep_core.language.budget import Budget, WorkExhausted
from cep_core.language.errors import QueryError
from cep_core.language.patterns.query import Query
from cep_core.language.settings import Settings
from cep_core.matching.match_path import Path
from cep_core.matching.why.nearest import judge_of
from jobs.exits import WrongWorkload
from jobs.log_files.matches import LogMatches
from jobs.log_files.reasons import why_not
from jobs.questions.asked_log import AskedLog

WORK = 20_000_000
"""Steps that a listing, or an explanation, may take."""
MOST = 1_000
"""Trends of a window that are listed."""

Rows = tuple[int, ...]
"""The events of a trend by `seq`, in the order of time."""


@dataclass(frozen=True)
class Trends:
    """The trends of a row by their events. `whole`: whether these are all."""

    paths: Mapping[Rows, Path]
    whole: bool


def trends_of(log: AskedLog, row: Mapping[str, Any]) -> Trends | None:
    """The trends of the window that ends where the row's does, in the row's group; None: they cannot be listed.

    Cost: matching in the events of one window, at most `WORK` steps.
    """
    query, own = as_matches(log.bound.query), log
    end = row.get("window_end")
    if end is not None and not query.window.events:
        begin = int(end) - log.bound.query.window.size
        inside = pc.and_(pc.greater_equal(log.events["ts"], begin), pc.less(log.events["ts"], int(end)))
        own = replace(log, events=log.events.filter(inside), days=None)
    else:
        query = replace(query, window=log.bound.query.window)
    try:
        answer = replace(own, evaluator=evaluator_of(query, Settings(MOST, budget=Budget(WORK)))).answer()
    except (QueryError, WorkExhausted):
        return None
    matches = LogMatches(query, log.log)
    paths: dict[Rows, Path] = {}
    for match in answer.rows.to_pylist():
        path = matches.path(match)
        first = matches.event(path[0][0])
        if _fits(row, match, {name: first.get(name) for name in log.bound.query.group_by}):
            paths[tuple(int(log.events["seq"][place].as_py()) for place, _ in path)] = path
    return Trends(paths, answer.total() == answer.rows.num_rows)


def why_no_trend(log: AskedLog, rows: Rows, window_end: Any) -> Iterator[str]:
    """Why these events are no trend of the window that ends there."""
    query = as_matches(log.bound.query)
    matches = LogMatches(query, log.log)
    first = matches.row_of(rows[0])
    if first is not None and window_end is not None and not query.window.events:
        begin = int(window_end) - query.window.size
        if int(matches.event(first)["ts"]) < begin:
            yield f"begins before the window, which opens at {log.clock.time(begin)}"
            return
    try:
        lines = [line.strip() for line in why_not(matches, judge_of(query, log.events), rows, Budget(WORK))]
    except (WrongWorkload, WorkExhausted) as refusal:
        yield f"not explained: {refusal}"
        return
    yield from [line for line in lines if line.startswith("fails ")] or lines


def as_matches(query: Query) -> Query:
    """The query as one for matches within a window's length. In the events of one window it gives that window's
    trends."""
    window = query.window if query.window.events else replace(query.window, slide=None)
    return replace(query, aggregation=False, returns=(), group_by=(), window=window)


def _fits(row: Mapping[str, Any], match: Mapping[str, Any], group: Mapping[str, Any]) -> bool:
    """Whether a match lies in the row's window and group, as far as the row tells."""
    start = row.get("window_start")
    return (start is None or match.get("window_start", start) == start) and all(
        row.get(name, value) == value for name, value in group.items()
    )

"""Why a row is in an answer, and why one is not, whatever the language of the question.

Of a match: its conditions with their values. Of a row of an aggregation: the trends that its window has. Of a
violation: the proof of the verdict. Cost: that of one evaluation at most.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import islice
from typing import Any

import pyarrow as pa

from cep_core.compile import evaluator_of
from cep_core.events.table import order
from cep_core.language.bound_query import AGGREGATION, MATCHING
from cep_core.language.budget import Budget, WorkExhausted
from cep_core.language.errors import QueryError
from cep_core.language.settings import Settings
from cep_core.matching.why.nearest import judge_of
from jobs.exits import WrongWorkload
from jobs.log_files.matches import LogMatches
from jobs.log_files.reasons import why, why_none, why_not
from jobs.questions.asked_log import AskedLog
from jobs.questions.verdict_reasons import why_verdict
from jobs.reports.words.quantities import counted
from jobs.reports.words.values import listed

WORK = 20_000_000
"""Steps that an explanation may take."""
TRENDS = 4
"""Trends of a window that are shown."""
_MOST_TRENDS = 1_000


def why_row(log: AskedLog, row: Mapping[str, Any]) -> Iterator[str]:
    """Why a row of the answer is in it."""
    kind = log.bound.kind
    if kind == MATCHING:
        matches = LogMatches(log.bound.query, log.log)
        yield from why(matches, judge_of(matches.query, matches.log.events), matches.path(row), row.get("window_start"))
    elif kind == AGGREGATION:
        yield from _trends(log, row)
    else:
        yield from why_verdict(log, row)


def why_no_row(log: AskedLog, row: Mapping[str, Any]) -> Iterator[str]:
    """Why the answer has no such row. `row`: what is known of it, by column."""
    kind = log.bound.kind
    if kind == AGGREGATION:
        yield from _trends(log, row)
    elif kind != MATCHING:
        yield from why_verdict(log, row)
    else:
        matches = LogMatches(log.bound.query, log.log)
        seqs = [seq for variable in log.bound.query.positive for seq in _seqs(row.get(variable.name))]
        try:
            if unsaid := [variable.name for variable in log.bound.query.positive if seqs and variable.name not in row]:
                yield f"not explained: no event is said for {listed(unsaid)}"
            elif seqs:
                judge = judge_of(matches.query, matches.log.events)
                yield from why_not(matches, judge, seqs, Budget(WORK), matches.path(row))
            else:
                yield from why_empty(log)
        except (WrongWorkload, WorkExhausted) as refusal:
            yield f"not explained: {refusal}"


def why_empty(log: AskedLog) -> Iterator[str]:
    """Why a query for matches finds none: what it finds without one of its conditions."""
    if log.bound.kind == MATCHING:
        matches = LogMatches(log.bound.query, log.log)
        yield from (line.strip() for line in why_none(matches, lambda done, of: None, Budget(WORK)))


def _seqs(value: Any) -> list[int]:
    return [] if value is None else list(value) if isinstance(value, list | tuple) else [value]


def _trends(log: AskedLog, row: Mapping[str, Any]) -> Iterator[str]:
    """The trends of the row's window and group, as the same pattern lists them, the first few with their events.

    A window ends later than its trends, maybe on a later day: so they are listed whenever they become certain.
    """
    query = log.bound.query
    as_matches = replace(query, aggregation=False, returns=(), group_by=())
    settings = Settings(_MOST_TRENDS, budget=Budget(WORK))
    log = replace(log, events=_in_window(log, row), days=None)
    try:
        answer = replace(log, evaluator=evaluator_of(as_matches, settings)).answer()
    except (QueryError, WorkExhausted):
        return
    matches = LogMatches(as_matches, log.log)
    paths = {}
    for match in answer.rows.to_pylist():
        path = matches.path(match)
        if _fits(query, row, match, {name: matches.event(path[0][0]).get(name) for name in query.group_by}):
            paths[path] = [int(log.events["seq"][place].as_py()) for place, _ in path]
    cut = answer.total() != answer.rows.num_rows
    if cut and not paths:
        yield f"  none of the first {_MOST_TRENDS:,} trends listed is of this window and group; there are more"
        return
    shown = "; ".join(f"rows {listed([str(seq) for seq in seqs], 8)}" for seqs in islice(paths.values(), TRENDS))
    more = "; ..." if len(paths) > TRENDS else ""
    many = f"{'at least ' if cut else ''}{counted(len(paths), 'trend')}"
    yield f"  {many} in this window and group{': ' if paths else ''}{shown}{more}"


def _in_window(log: AskedLog, row: Mapping[str, Any]) -> pa.Table:
    """The log's events; those of the row's window, if it is one of time."""
    start, window = row.get("window_start"), log.bound.query.window
    if start is None or window.events:
        return log.events
    ts = log.events["ts"].to_numpy()
    inside = (ts >= start) & (ts < start + window.size)
    return order(log.events.filter(pa.array(inside)).drop_columns(["pos"]))


def _fits(query: Any, row: Mapping[str, Any], match: Mapping[str, Any], group: Mapping[str, Any]) -> bool:
    """Whether a match lies in the row's window and group, as far as the row tells."""
    start = row.get("window_start")
    return (start is None or match.get("window_start", start) == start) and all(
        row.get(name, value) == value for name, value in group.items()
    )

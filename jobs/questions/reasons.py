"""Why a row is in an answer, and why one is not, whatever the language of the question.

Of a match: its conditions with their values. Of a row of an aggregation: the trends that its window has. Of a
violation: the proof of the verdict. Cost: that of one evaluation at most.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from cep_core.language.bound_query import AGGREGATION, MATCHING
from cep_core.language.budget import Budget, WorkExhausted
from cep_core.matching.why.nearest import judge_of
from jobs.exits import WrongWorkload
from jobs.log_files.matches import LogMatches
from jobs.log_files.reasons import why, why_none, why_not
from jobs.questions.asked_log import AskedLog
from jobs.questions.trends import MOST, WORK, trends_of
from jobs.questions.verdict_reasons import why_verdict
from jobs.reports.words.quantities import counted
from jobs.reports.words.values import listed

TRENDS = 4
"""Trends of a window that are shown."""


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
    """The trends of the row's window and group, the first few with their events."""
    trends = trends_of(log, row)
    if trends is None:
        return
    if not (trends.whole or trends.paths):
        yield f"  none of the first {MOST:,} trends listed is of this window and group; there are more"
        return
    shown = "; ".join(f"rows {listed([str(seq) for seq in seqs], 8)}" for seqs in islice(trends.paths, TRENDS))
    more = "; ..." if len(trends.paths) > TRENDS else ""
    many = f"{'' if trends.whole else 'at least '}{counted(len(trends.paths), 'trend')}"
    yield f"  {many} in this window and group{': ' if trends.paths else ''}{shown}{more}"

"""Asking why in a notebook: why these events are a match, why those are none, what stands in the way of any match."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from math import log10
from pathlib import Path
from typing import cast

import pyarrow as pa

from cep_core.bound_log import SchemaLike, bind_to_log
from cep_core.events.table import order
from cep_core.frames import Frame, NamedColumns, arrow_table, read_frame
from cep_core.language.bound_query import MATCHING
from cep_core.language.budget import Budget
from cep_core.language.evaluator import CERTAIN, Evaluator, of_table
from cep_core.language.settings import Settings
from cep_core.matches.obstacles import obstacles
from cep_core.matches.reasons import MatchJudge, Reasons

_COUNT = pa.decimal128(38, 0)
_INSTEAD = "an aggregation has no matches to ask about; leave out its RETURN to ask about those of its pattern"


def why_match(
    query: str | Path,
    events: object,
    matches: object,
    row: int = 0,
    *,
    ts: str | None = None,
    type: str | None = None,
    seq: str | None = None,
    schema: SchemaLike | None = None,
    unit: str | None = None,
    ties: str = "concurrent",
    work: int | None = None,
) -> Reasons:
    """Why a listed match is one: each condition with the values that made it hold, and which was settled last.

    `matches`: what `cep.match` gave for `query` and `events`; `row`: which of them, from 0. All else as for `match`.
    Raises ValueError for matches of another log and for compact rows, which are many matches.

    >>> import cep_core as cep
    >>> log = pa.table({"event_type": list("ABB"), "ts": range(3), "x": [7, 6, 9]})
    >>> query = "PATTERN SEQ(A a, B b) WHERE b.x > a.x WITHIN 5"
    >>> print(cep.why_match(query, log, cep.match(query, log)))
    a match: a = 0; b = 2
      holds  b.x > a.x: 9 > 7
      holds  WITHIN 5: 2
      decided by b.x > a.x, with event 2
    """
    log = read_frame(events, NamedColumns(ts, type, seq), unit)
    bound, ordered = bind_to_log(query, log, schema, ties)
    bound.refuse_unless(MATCHING, _INSTEAD)
    listed = arrow_table(matches)
    if "match_count" in listed.column_names:
        raise ValueError("a compact row is many matches: ask about a row of cep.match without collapsed=True")
    if not -listed.num_rows <= row < listed.num_rows:
        raise ValueError(f"no row {row}: there are {listed.num_rows:,} matches")
    match = listed.slice(row % listed.num_rows, 1)
    values = match.to_pylist()[0]
    missing = [variable.name for variable in bound.query.positive if variable.name not in values]
    if missing:
        raise ValueError(f"matches have no column '{missing[0]}': they are not of this query")
    if "window_start" in values:
        values["window_start"] = log.number(values["window_start"])
    return MatchJudge(bound.query, order(ordered), lambda: listed).match(values, Budget(work))


def why_not_match(
    query: str | Path,
    events: object,
    seqs: Sequence[int],
    *,
    ts: str | None = None,
    type: str | None = None,
    seq: str | None = None,
    schema: SchemaLike | None = None,
    unit: str | None = None,
    ties: str = "concurrent",
    work: int | None = None,
) -> Reasons:
    """Why these events are no match: the conditions that fail for the binding of them that fails the fewest.

    `seqs`: the events by `seq`, which is the number of the row from 0 where the log has no such column. All else as for
    `match`. Raises ValueError for events that the log lacks.

    >>> import cep_core as cep
    >>> log = pa.table({"event_type": list("ABB"), "ts": range(3), "x": [7, 6, 9]})
    >>> print(cep.why_not_match("PATTERN SEQ(A a, B b) WHERE b.x > a.x WITHIN 5", log, [0, 1]))
    no match: a = 0; b = 1
      fails  b.x > a.x: 6 > 7
      holds  WITHIN 5: 1
    """
    log = read_frame(events, NamedColumns(ts, type, seq), unit)
    bound, ordered = bind_to_log(query, log, schema, ties)
    bound.refuse_unless(MATCHING, _INSTEAD)
    evaluator = bound.evaluator(Settings(budget=Budget(work)))
    return MatchJudge(bound.query, order(ordered), lambda: _merged(evaluator, ordered)).events(seqs)


def why_none(
    query: str | Path,
    events: Frame,
    *,
    ts: str | None = None,
    type: str | None = None,
    seq: str | None = None,
    schema: SchemaLike | None = None,
    unit: str | None = None,
    ties: str = "concurrent",
    work: int | None = None,
) -> Frame:
    """What stands in the way: the number of matches of the query without each of its conditions, most first.

    Columns: `without`, the condition; `matches` (null beyond 38 digits), `matches_log10` (null for zero), `exact`,
    false for a number that the total only reaches. Both numbers are null where `work` is too small. All else as for
    `match`.

    >>> import cep_core as cep
    >>> log = pa.table({"event_type": list("ABB"), "ts": [0, 8, 9], "x": [7, 6, 5]})
    >>> cep.why_none("PATTERN SEQ(A a, B b) WHERE b.x > a.x WITHIN 20", log).select(["without", "matches"]).to_pylist()
    [{'without': 'b.x > a.x', 'matches': Decimal('2')}, {'without': 'WITHIN', 'matches': Decimal('0')}]
    """
    log = read_frame(events, NamedColumns(ts, type, seq), unit)
    bound, ordered = bind_to_log(query, log, schema, ties)
    bound.refuse_unless(MATCHING, _INSTEAD)
    ordered = order(ordered)
    every = obstacles(bound.query, ordered, lambda evaluator: _merged(evaluator, ordered), Budget(work))
    rows = sorted(every, key=lambda obstacle: -1 if obstacle.matches is None else obstacle.matches, reverse=True)
    counts = [obstacle.matches for obstacle in rows]
    answer = {
        "without": pa.array([obstacle.condition for obstacle in rows], pa.string()),
        "matches": pa.array([None if count is None or count >= 10**38 else Decimal(count) for count in counts], _COUNT),
        "matches_log10": pa.array([log10(count) if count else None for count in counts], pa.float64()),
        "exact": pa.array([obstacle.exact for obstacle in rows], pa.bool_()),
    }
    return cast(Frame, log.back(pa.table(answer)))


def _merged(evaluator: Evaluator, events: pa.Table) -> pa.Table:
    return evaluator.merge(of_table(evaluator.evaluate(events))).drop_columns([CERTAIN])

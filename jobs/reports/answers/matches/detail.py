"""A match in detail: its events with all their attributes, and its conditions with the values that they had.

Cost: some tenths of a millisecond for each value of a condition.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from cep_core.language.patterns.query import Query
from cep_core.matching.match_path import Path
from cep_core.matching.why.nearest import judge_of
from cep_core.matching.why.verdicts import Kind, Verdict
from jobs.reports.answers.listing import Heading
from jobs.reports.answers.matching import CONFIDENCE, Match, variables
from jobs.reports.words.clock import Clock
from jobs.reports.words.quantities import counted, quantity
from jobs.reports.words.values import listed, shown

VALUES = 6
"""The most values of one condition that are told."""
EVENTS = 30
"""The most events of a match that are told; conditions of a longer match are not judged."""


@dataclass(frozen=True)
class MatchDetail:
    """One match. `conditions`: each as the query states it, with its values. `note`: what is left out, if anything."""

    title: str
    headings: Sequence[Heading]
    cells: Sequence[Sequence[str]]
    conditions: Sequence[tuple[str, str]]
    note: str


def details_of(query: Query, matches: Sequence[Match], events: pa.Table, clock: Clock) -> list[MatchDetail]:
    """A detail of each match. `events`: those of all matches with all their columns, in no order."""
    order = [("ts", "ascending"), ("seq", "ascending")]
    events = events.sort_by(order).combine_chunks()
    events = events.append_column("pos", pa.array(range(events.num_rows), pa.int64()))
    places = {seq: place for place, seq in enumerate(events["seq"].to_pylist())}
    rows = events.to_pylist()
    judge = judge_of(query, events)
    details = []
    for number, match in enumerate(matches, 1):
        path = tuple(sorted((places[event["seq"]], name) for name in variables(query) for event in match.events[name]))
        is_judged = len(path) == match.length <= EVENTS  # events may be gone
        verdicts = judge.verdicts(path, match.row.get("window_start")) if is_judged else ()
        title = ", ".join([*_title(match, clock), counted(len(path), "event")])
        headings, cells = _events(query, path, rows, clock)
        note = _left_out(len(path), match.length)
        details.append(MatchDetail(f"{number}. {title}", headings, cells, _conditions(verdicts), note))
    return details


def _left_out(events: int, length: int) -> str:
    """What a detail does not tell of a match of `length` events, of which so many are in the lake.

    >>> _left_out(3, 3), _left_out(2, 3)
    ('', '1 of its events is no longer in the lake, so its conditions are not judged.')
    """
    if gone := length - events:
        be = "is" if gone == 1 else "are"
        return f"{quantity(gone)} of its events {be} no longer in the lake, so its conditions are not judged."
    return f"Its first {EVENTS} events; of so many, conditions are not judged here." if length > EVENTS else ""


def _title(match: Match, clock: Clock) -> list[str]:
    likely = [f"confidence {match.confidence}"] if CONFIDENCE in match.row else []
    key = [" ".join(shown(value, 20) for value in match.key)] if match.key else []
    return [*key, f"from {clock.time(match.row['first_ts'])}", clock.length(match.duration), *likely]


def _events(
    query: Query, path: Path, rows: Sequence[Mapping[str, Any]], clock: Clock
) -> tuple[list[Heading], list[list[str]]]:
    """A row for each event; columns that none of them has are left out."""
    events = path[:EVENTS]
    names = dict.fromkeys(
        name for place, _ in events for name in query.schema.attributes_of(str(rows[place]["event_type"]))
    )
    held = [name for name in names if any(rows[place].get(name) is not None for place, _ in events)]
    headings = [
        Heading("event"),
        Heading("is"),
        Heading("time", whole=True),
        *(Heading(query.schema.title_of(name), whole=True) for name in held),
    ]
    cells = [
        [
            variable,
            shown(rows[place]["event_type"], 24),
            clock.time(rows[place]["ts"]),
            *("" if (value := rows[place].get(name)) is None else shown(value, 24) for name in held),
        ]
        for place, variable in events
    ]
    return headings, cells


def _conditions(verdicts: Sequence[Verdict]) -> list[tuple[str, str]]:
    """Equivalences and conditions. A match holds: where values seem to deny it, a page may not see them (`mask`)."""
    conditions = []
    for verdict in verdicts:
        if verdict.kind in (Kind.EQUIVALENCE, Kind.CONDITION):
            values = [shown(value) for value in verdict.values]
            conditions.append((verdict.said, listed(values, VALUES) if verdict.holds else ""))
    return conditions

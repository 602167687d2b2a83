"""One day of a matching query: how many matches, of whom, which are the longest, and what happened in each.

Matches name their events by `seq`; times and attributes come from the events themselves. What is shown of an event is
what the query's conditions mention, so that any matching query is reported without a line of Python.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cep_core.language.patterns.query import Query
from jobs.reports.answers import Answer
from jobs.reports.attributes import entity, mentioned
from jobs.reports.event_index import EventIndex
from jobs.reports.listing import FILED, SHOWN, Heading, Listing
from jobs.reports.moments import Clock, spoken
from jobs.reports.quantities import Magnitude, counted, quantity
from jobs.reports.values import keyed, shown

UNIT = "matches"
CONFIDENCE = "confidence"
"""The column that results WITH CONFIDENCE have."""
_AT_MOST = 6
"""Values of a Kleene variable shown in a cell; longer lists keep both ends."""


@dataclass(frozen=True)
class Totals:
    """What `result_days` says of the listing: the exact total, or at least so many; whether the listing is cut."""

    total: int | None
    at_least: int
    truncated: bool

    @property
    def magnitude(self) -> Magnitude:
        return Magnitude.of(self.at_least if self.total is None else self.total)


@dataclass(frozen=True)
class Match:
    """A listed match with its events by variable."""

    row: Mapping[str, Any]
    key: tuple[Any, ...]
    events: Mapping[str, Sequence[Mapping[str, Any]]]

    @property
    def confidence(self) -> str:
        """How likely the match is, of a query WITH CONFIDENCE."""
        return confidence(self.row[CONFIDENCE])

    @property
    def length(self) -> int:
        return sum(len(_bound(self.row[name])) for name in self.events)

    @property
    def duration(self) -> int:
        return int(self.row["last_ts"] - self.row["first_ts"])


def confidence(probability: float) -> str:
    """A confidence to three digits, never rounded to certainty.

    >>> confidence(0.8349), confidence(0.99999), confidence(1.0)
    ('0.835', '0.999', '1')
    """
    return f"{min(probability, 0.999):.3g}" if probability < 1 else "1"


def _bound(value: Any) -> list[int]:
    return [] if value is None else value if isinstance(value, list) else [value]


def variables(query: Query) -> list[str]:
    """The variables that a match binds, in pattern order."""
    return [variable.name for variable in query.variables if not variable.negated]


def foremost(query: Query, results: pa.Table, index: EventIndex, at_most: int) -> list[Match]:
    """The matches with most events; equal ones longest in time first, then in the listing's order.

    Of matches WITH CONFIDENCE the likeliest first, as the page shows it.
    """
    names = variables(query)
    order = sorted(
        results.to_pylist(),
        key=lambda row: (
            -float(confidence(row[CONFIDENCE])) if CONFIDENCE in row else 0,
            -sum(len(_bound(row[name])) for name in names),
            row["first_ts"] - row["last_ts"],
            row["last_ts"],
            [_bound(row[name]) for name in names],
        ),
    )
    return [_match(query, row, index) for row in order[:at_most]]


def exemplars(query: Query, results: pa.Table, index: EventIndex, at_most: int) -> list[tuple[Match, int]]:
    """For each key, most matches first, its foremost match and how many it has.

    Under skip-till-any-match the foremost matches of a day are variations of one; keys show who else there is. Without
    keys, or with one only, the foremost matches, each counted as one.
    """
    whose = keys(query, results, index)
    tally = Counter(whose)
    if len(tally) < 2:
        return [(match, 1) for match in foremost(query, results, index, at_most)]
    top = sorted(tally, key=lambda key: (-tally[key], [shown(value) for value in key]))[:at_most]
    chosen = []
    for key in top:
        own = results.filter(pa.array([other == key for other in whose]))
        chosen.append((foremost(query, own, index, 1)[0], tally[key]))
    return chosen


def _match(query: Query, row: Mapping[str, Any], index: EventIndex) -> Match:
    events = {
        name: [event for seq in _bound(row[name]) if (event := index.get(seq)) is not None] for name in variables(query)
    }
    key = tuple(
        events[variable][0].get(attribute) if events[variable] else None for _, variable, attribute in entity(query)
    )
    return Match(row, key, events)


def keys(query: Query, results: pa.Table, index: EventIndex) -> list[tuple[Any, ...]]:
    """The key of every listed match, in the table's order."""
    columns = []
    for _, variable, attribute in entity(query):
        firsts = [_bound(value)[:1] or [-1] for value in results[variable].to_pylist()]
        seqs = np.array([first for [first] in firsts], dtype=np.int64)
        columns.append(index.attribute(attribute, seqs).to_pylist())
    return list(zip(*columns, strict=True)) if columns else []


def answer(query: Query, results: pa.Table, totals: Totals, index: EventIndex, day: date, clock: Clock) -> Answer:
    """How many matches the day has and whose they are; without keys, which one lasts longest."""
    total = totals.magnitude
    if total.sign == 0 or results.num_rows == 0:
        return Answer(f"On {spoken(day)} there was no match.", total, UNIT)
    many = "at least " if totals.total is None else ""
    be = "was" if total.exact == 1 else "were"
    opening = f"On {spoken(day)} there {be} {many}{counted(total, 'match', 'matches')}{_likely(query, results, totals)}"
    caveat = ""
    if totals.truncated:
        of = f"{many}{counted(total, 'match', 'matches')}"
        caveat = f"The listing is cut: it holds the first {results.num_rows:,} of {of}."
    return Answer(f"{opening}; {_whose(query, results, totals, index, clock)}.", total, UNIT, caveat)


def _likely(query: Query, results: pa.Table, totals: Totals) -> str:
    """What is asked of each match where times are imprecise, and how many the order of events leaves open."""
    if query.confidence is None:
        return ""
    asked = f" of confidence {'above' if query.confidence.strict else 'at least'} {query.confidence.threshold:g}"
    if CONFIDENCE not in results.column_names:
        return asked
    listed = f"of the {results.num_rows:,} listed" if totals.truncated else "of them"
    return f"{asked}, {quantity(sum(pc.less(results[CONFIDENCE], 1).to_pylist()))} {listed} uncertain"


def _whose(query: Query, results: pa.Table, totals: Totals, index: EventIndex, clock: Clock) -> str:
    names = tuple(name for name, _, _ in entity(query))
    listed = f" of the {results.num_rows:,} listed" if totals.truncated else ""
    if not names:
        [match] = foremost(query, results, index, 1)
        span = clock.length(match.duration)
        if CONFIDENCE in match.row:
            return f"the likeliest has confidence {match.confidence}, from {clock.time(match.row['first_ts'])}"
        return f"the longest has {counted(match.length, 'event')} in {span}, from {clock.time(match.row['first_ts'])}"
    tally = Counter(keys(query, results, index))
    ordered = sorted(tally.items(), key=lambda item: (-item[1], [shown(value) for value in item[0]]))
    key, most = ordered[0]
    if len(tally) == 1:
        return f"{keyed(names, key)}" if results.num_rows == 1 else f"all of {keyed(names, key)}"
    if most == 1:
        return f"each of another {' and '.join(names)}{listed}"
    equals = sum(count == most for count in tally.values()) - 1
    like = f" (like {counted(equals, 'other')})" if equals else ""
    return f"{keyed(names, key)}{like} had the most, {quantity(most)}{listed}"


def listing(query: Query, results: pa.Table, index: EventIndex, clock: Clock) -> Listing:
    """The day's matches: on the page the longest or the likeliest, in the file all in their own order."""
    names = tuple(name for name, _, _ in entity(query))
    shows = {variable: attributes[:2] for variable, attributes in mentioned(query).items()}
    headings = [
        *(Heading(name) for name in names),
        Heading("from", whole=True),
        Heading("lasted", whole=True),
        Heading("events", number=True),
        *([Heading(CONFIDENCE, number=True)] if CONFIDENCE in results.column_names else []),
        *(
            Heading(f"{variable}.{attribute}" if attribute else f"{variable} at", whole=True)
            for variable in variables(query)
            for attribute in shows[variable] or ("",)
        ),
        *(Heading(item.column) for item in query.returns),
    ]
    cells = [_cells(query, match, shows, clock) for match in foremost(query, results, index, SHOWN)]
    order = "likeliest first" if CONFIDENCE in results.column_names else "longest first"
    return Listing(headings, cells, *_file(query, results, index, clock), results.num_rows, order)


def _cells(query: Query, match: Match, shows: Mapping[str, Sequence[str]], clock: Clock) -> list[str]:
    cells = [
        *(shown(value) for value in match.key),
        clock.time(match.row["first_ts"]),
        clock.length(match.duration),
        quantity(match.length),
        *([match.confidence] if CONFIDENCE in match.row else []),
    ]
    for variable in variables(query):
        events = match.events[variable]
        for attribute in shows[variable] or ("",):
            texts = [shown(event.get(attribute)) if attribute else clock.time(event["ts"]) for event in events]
            cells.append(_chain(texts))
    return [*cells, *(shown(match.row.get(item.column)) for item in query.returns)]


def _chain(texts: Sequence[str]) -> str:
    """Values one after another; of a long list both ends.

    >>> _chain(["1", "2"]), _chain([str(n) for n in range(10)]), _chain([])
    ('1 → 2', '0 → 1 → 2 → … → 7 → 8 → 9', '–')
    """
    if not texts:
        return "–"
    if len(texts) > _AT_MOST:
        texts = [*texts[: _AT_MOST // 2], "…", *texts[-_AT_MOST // 2 :]]
    return " → ".join(texts)


def _file(query: Query, results: pa.Table, index: EventIndex, clock: Clock) -> tuple[list[str], list[list[Any]]]:
    names = variables(query)
    header = [
        *(name for name, _, _ in entity(query)),
        "first_time",
        "last_time",
        "first_ts",
        "last_ts",
        *([CONFIDENCE] if CONFIDENCE in results.column_names else []),
        *names,
        *(item.column for item in query.returns),
    ]
    whose = keys(query, results, index) or [()] * results.num_rows
    order = sorted(
        zip(whose, results.to_pylist(), strict=True),
        key=lambda pair: (pair[1]["last_ts"], [_bound(pair[1][name]) for name in reversed(names)]),
    )
    rows = [
        [
            *key,
            clock.iso(row["first_ts"]),
            clock.iso(row["last_ts"]),
            row["first_ts"],
            row["last_ts"],
            *([row[CONFIDENCE]] if CONFIDENCE in row else []),
            *(" ".join(str(seq) for seq in _bound(row[name])) for name in names),
            *(row.get(item.column) for item in query.returns),
        ]
        for key, row in order[:FILED]
    ]
    return header, rows

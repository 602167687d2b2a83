"""The day's matches as rows: on the page those chosen, with what is shown of their events; in the file all in order.

Columns follow from the query: its keys, times, the attributes in its conditions, and what RETURN asks for. Assumes
that the index holds the events of the listed matches; where one is absent, cells show a dash. Cost: linear in the
matches that are shown, and a sort of those in the file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from cep_core.language.patterns.query import Query
from cep_core.matching.result.identity import MATCH_ID
from jobs.reports.answers.attributes import entity, entity_titles, shown_attributes
from jobs.reports.answers.event_index import EventIndex
from jobs.reports.answers.listing import FILED, SHOWN, Heading, Listing
from jobs.reports.answers.matching import ATTRIBUTES, CONFIDENCE, Chosen, Match, foremost, order_of, variables
from jobs.reports.answers.tallies import bound, keys_of
from jobs.reports.words.clock import Clock
from jobs.reports.words.quantities import quantity
from jobs.reports.words.values import shown

_AT_MOST = 6
"""How many values of a Kleene variable a cell shows; of longer lists, both ends."""


def listing(query: Query, results: pa.Table, index: EventIndex, clock: Clock, chosen: Chosen | None = None) -> Listing:
    """The day's matches: on the page those `chosen`, or the longest or likeliest; in the file all in their order."""
    if chosen is None:
        chosen = Chosen(foremost(query, results, index, SHOWN), order_of(results))
    shows = shown_attributes(query, ATTRIBUTES)
    headings = [
        *(Heading(title) for title in entity_titles(query)),
        Heading("from", whole=True),
        Heading("lasted", whole=True),
        Heading("events", number=True),
        *([Heading(CONFIDENCE, number=True)] if CONFIDENCE in results.column_names else []),
        *(
            Heading(_of_event(query, variable, attribute), whole=True)
            for variable in variables(query)
            for attribute in shows[variable] or ("",)
        ),
        *(Heading(item.column) for item in query.returns),
    ]
    cells = [_cells(query, match, shows, clock) for match in chosen.matches]
    return Listing(headings, cells, *_file(query, results, index, clock), results.num_rows, chosen.order)


def _of_event(query: Query, variable: str, attribute: str) -> str:
    """The heading of what is shown of a variable's events: "delay in minutes of b", "b.delay_min", "time of b"."""
    if not attribute:
        return f"time of {variable}"
    title = query.schema.title_of(attribute)
    return f"{variable}.{attribute}" if title == attribute else f"{title} of {variable}"


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
        MATCH_ID,
    ]
    whose = keys_of(query, results, index) or [()] * results.num_rows
    order = sorted(
        zip(whose, results.to_pylist(), strict=True),
        key=lambda pair: (pair[1]["last_ts"], [bound(pair[1][name]) for name in reversed(names)]),
    )
    rows = [
        [
            *key,
            clock.iso(row["first_ts"]),
            clock.iso(row["last_ts"]),
            row["first_ts"],
            row["last_ts"],
            *([row[CONFIDENCE]] if CONFIDENCE in row else []),
            *(" ".join(str(seq) for seq in bound(row[name])) for name in names),
            *(row.get(item.column) for item in query.returns),
            row.get(MATCH_ID),
        ]
        for key, row in order[:FILED]
    ]
    return header, rows

"""One day of a matching query: how many matches there are, for which keys, and which are the longest.

Matches name their events by `seq`; times and attributes come from the events themselves. The attributes in the query's
conditions are shown, so any matching query is reported without a line of Python. The number of matches and the key with
the most are those of all matches (`tallies`). If only the listing has an answer, the sentence says that it is about the
listed matches.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from cep_core.language.patterns.query import Query
from jobs.reports.answers.answer import Answer
from jobs.reports.answers.attributes import entity, entity_titles, shown_attributes
from jobs.reports.answers.event_index import EventIndex
from jobs.reports.answers.tallies import Key, Tally, Totals, bound, keys_of
from jobs.reports.words.clock import Clock, spoken
from jobs.reports.words.quantities import Magnitude, counted, quantity
from jobs.reports.words.values import capitalised, listed, named, shown

UNIT = "matches"
CONFIDENCE = "confidence"
"""The further column of results WITH CONFIDENCE."""
ATTRIBUTES = 2
"""The most attributes of a variable that the table shows."""


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
        return sum(len(bound(self.row[name])) for name in self.events)

    @property
    def duration(self) -> int:
        return int(self.row["last_ts"] - self.row["first_ts"])


@dataclass(frozen=True)
class Chosen:
    """The matches that a page shows; `order` says how they were chosen."""

    matches: Sequence[Match]
    order: str


def confidence(probability: float) -> str:
    """A confidence to three digits, never rounded to certainty.

    >>> confidence(0.8349), confidence(0.99999), confidence(1.0)
    ('0.835', '0.999', '1')
    """
    return f"{min(probability, 0.999):.3g}" if probability < 1 else "1"


def variables(query: Query) -> list[str]:
    """The variables that a match binds, in pattern order."""
    return [variable.name for variable in query.variables if not variable.negated]


def attributes(query: Query) -> set[str]:
    """The attributes of its events that name a match's keys, and all that pages show of them."""
    return {name for _, _, name in entity(query)}.union(*shown_attributes(query, ATTRIBUTES).values())


def foremost(query: Query, results: pa.Table, index: EventIndex, at_most: int) -> list[Match]:
    """The matches with the most events. Equal ones are ordered by duration, longest first, then as in the listing.

    Matches WITH CONFIDENCE are ordered by confidence, highest first, with the digits that the page shows.
    """
    rows = results.to_pylist()
    return [match_of(query, rows[number], index) for number in foremost_order(query, rows)[:at_most]]


def foremost_order(query: Query, rows: Sequence[Mapping[str, Any]]) -> list[int]:
    """The numbers of the rows in this order."""
    names = variables(query)

    def place(number: int) -> tuple[Any, ...]:
        row = rows[number]
        return (
            -float(confidence(row[CONFIDENCE])) if CONFIDENCE in row else 0,
            -sum(len(bound(row[name])) for name in names),
            row["first_ts"] - row["last_ts"],
            row["last_ts"],
            [bound(row[name]) for name in names],
        )

    return sorted(range(len(rows)), key=place)


def exemplars(
    query: Query, results: pa.Table, index: EventIndex, whose: Tally[Key], chosen: Chosen, at_most: int
) -> list[tuple[Match, int]]:
    """For each key, most matches first: its foremost listed match and its number of matches.

    Under skip-till-any-match the foremost matches of a day are variations of one match, so keys show more. With no
    keys, or only one, these are the first of those `chosen` for the table, each counted as one. A key without a listed
    match is left out.
    """
    if len(whose.counts) < 2:
        return [(match, 1) for match in chosen.matches[:at_most]]
    keys = keys_of(query, results, index)
    held = set(keys)
    leading = []
    for key in [key for key, _ in ranked(whose) if key in held][:at_most]:
        of_key = results.filter(pa.array([listed_key == key for listed_key in keys]))
        leading.append((foremost(query, of_key, index, 1)[0], whose.counts[key]))
    return leading


def ranked(whose: Tally[Key]) -> list[tuple[Key, int]]:
    """Keys with their numbers of matches, most first. Equal ones are ordered by their values as shown."""
    return sorted(whose.counts.items(), key=lambda item: (-item[1], [shown(value) for value in item[0]]))


def match_of(query: Query, row: Mapping[str, Any], index: EventIndex) -> Match:
    events = {
        name: [event for seq in bound(row[name]) if (event := index.get(seq)) is not None] for name in variables(query)
    }
    key = tuple(
        events[variable][0].get(attribute) if events[variable] else None for _, variable, attribute in entity(query)
    )
    return Match(row, key, events)


def answer(
    query: Query,
    results: pa.Table,
    totals: Totals,
    whose: Tally[Key],
    index: EventIndex,
    day: date,
    clock: Clock,
) -> Answer:
    """The key with the most matches, and the total. Without keys: the total, and the longest listed match."""
    total = magnitude_of(totals)
    if total.sign == 0:
        return Answer(f"There was no match on {spoken(day)}.", total, UNIT)
    be = "was" if total.exact == 1 and totals.total is not None else "were"
    of_all = f"{many(totals)}{_likely(query, results, totals)} on {spoken(day)}"
    there_were = f"there {be} {of_all}"
    if totals.total is None:
        there_were += ", counted only as far as they are listed"
    caveat = ""
    if totals.truncated:
        caveat = f"The listing is cut: it holds the first {results.num_rows:,} of {many(totals)}."
    if _has_leader(whose):
        sentence = _leader(query, totals, whose, of_all, there_were)
    else:
        sentence = f"{there_were}; {_whose(query, results, totals, whose, index, clock)}"
    return Answer(capitalised(f"{sentence}."), total, UNIT, caveat)


def magnitude_of(totals: Totals) -> Magnitude:
    """The number of matches, or its lower bound."""
    return Magnitude.of(totals.at_least if totals.total is None else totals.total)


def many(totals: Totals) -> str:
    """The number of matches in words.

    >>> many(Totals(1, 1, truncated=False)), many(Totals(None, 1001, truncated=True))
    ('1 match', 'at least 1,001 matches')
    """
    if totals.total is None:
        return f"at least {quantity(magnitude_of(totals))} matches"
    return counted(magnitude_of(totals), "match", "matches")


def _likely(query: Query, results: pa.Table, totals: Totals) -> str:
    """The required confidence if times are imprecise, and how many matches are uncertain."""
    if query.confidence is None:
        return ""
    required = (
        f" with a confidence {'above' if query.confidence.strict else 'of at least'} {query.confidence.threshold:g}"
    )
    if CONFIDENCE not in results.column_names:
        return required
    of = f"of the {results.num_rows:,} listed" if totals.truncated else "of them"
    return f"{required} ({quantity(sum(pc.less(results[CONFIDENCE], 1).to_pylist()))} {of} uncertain)"


def _has_leader(whose: Tally[Key]) -> bool:
    """Whether some keys have more matches than others, or several have more than one."""
    return len(whose.counts) > 1 and max(whose.counts.values()) > 1


def _leader(query: Query, totals: Totals, whose: Tally[Key], of_all: str, there_were: str) -> str:
    """The key with the most matches, and of how many. If only listed matches are counted: also the total."""
    (key, most), *further = ranked(whose)
    leads = f"{named(entity_titles(query), key)} had the most: {quantity(most)}"
    equals = sum(count == most for _, count in further)
    also = f"; {counted(equals, 'other')} had as many" if equals else ""
    if whose.listed is None and totals.total is not None:
        return f"{leads} of {of_all}{also}"
    return f"{leads}{whose.of}{also}; {there_were}"


def _whose(query: Query, results: pa.Table, totals: Totals, whose: Tally[Key], index: EventIndex, clock: Clock) -> str:
    """The keys of the matches, if no key has more than the others. Without keys: the foremost match."""
    names = entity_titles(query)
    if not names:
        return _foremost_text(query, results, totals, index, clock)
    if not whose.counts:
        return "none is listed"
    if len(whose.counts) > 1:
        return f"no two{whose.of} have the same {listed(names)}"
    [key] = whose.counts
    if totals.total == 1:
        return f"it is of {named(names, key)}"
    return f"all{whose.of} are of {named(names, key)}"


def _foremost_text(query: Query, results: pa.Table, totals: Totals, index: EventIndex, clock: Clock) -> str:
    """The longest or the likeliest match, of a query without equivalences."""
    if results.num_rows == 0:
        return "none is listed"
    [match] = foremost(query, results, index, 1)
    of = f" of the {results.num_rows:,} listed" if totals.truncated else ""
    since = clock.time(match.row["first_ts"])
    if CONFIDENCE in match.row:
        return f"the likeliest{of} has confidence {match.confidence}, from {since}"
    if not any(variable.kleene or variable.optional for variable in query.variables):
        return f"the longest{of} lasted {clock.length(match.duration)}, from {since}"
    return f"the longest{of} has {counted(match.length, 'event')} in {clock.length(match.duration)}, from {since}"


def order_of(results: pa.Table) -> str:
    """The order of the foremost matches in words."""
    return "likeliest first" if CONFIDENCE in results.column_names else "longest first"

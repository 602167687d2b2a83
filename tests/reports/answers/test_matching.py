"""Sentences about matches are made from the events that a listing binds, for any query."""

from __future__ import annotations

import pyarrow as pa
import pytest

from cep_core.events.schema import Attribute, AttributeType, LogSchema
from cep_core.language.patterns.bind.binding import bind
from cep_core.language.patterns.query import Query
from jobs.reports.answers import matching
from jobs.reports.answers.attributes import entity, mentioned
from jobs.reports.answers.attributes import shown_attributes as attribute_names
from jobs.reports.answers.event_index import EventIndex
from jobs.reports.answers.leaders import leaders
from jobs.reports.answers.matches import listed_matches
from jobs.reports.answers.matches.different import choose
from jobs.reports.answers.tallies import Totals, tallies_of
from jobs.reports.figures.timeline import timeline_figure
from jobs.reports.words.clock import Clock
from tests.reports.answers.travellers import DAY, HOUR, SCHEMA, START, TITLED

MATCHED = (
    "PATTERN SEQ(A a, B+ b[], C c) WHERE skip_till_next_match { [who] AND b[i].x > b[i-1].x AND a.x > 2 } WITHIN 1 hour"
)
KEYLESS = "PATTERN SEQ(A a, B b) WHERE a.x > 2 WITHIN 1 hour"


def events(*people: str) -> EventIndex:
    """Three events for each person: seq 10 n, 10 n + 1, 10 n + 2 for A, B, C."""
    rows = [
        {"seq": 10 * n + k, "ts": START + 60 * (10 * n + k), "event_type": kind, "who": who, "x": n + k}
        for n, who in enumerate(people)
        for k, kind in enumerate("ABC")
    ]
    names = {"seq": pa.int64(), "ts": pa.int64(), "event_type": pa.string(), "who": pa.string(), "x": pa.int64()}
    return EventIndex(pa.Table.from_pylist(rows, pa.schema(list(names.items()))))


def matched(query: Query, *numbers: int) -> pa.Table:
    rows = []
    for n in numbers:
        bound = {"a": 10 * n, "b": [10 * n + 1], "c": 10 * n + 2} if "c" in matching.variables(query) else {}
        bound = bound or {"a": 10 * n, "b": 10 * n + 1}
        rows.append({"match_id": str(n), "first_ts": START + 600 * n, "last_ts": START + 600 * n + 120, **bound})
    return pa.Table.from_pylist(rows)


def answer_of(text: str, people: list[str], numbers: list[int], totals: Totals | None = None) -> matching.Answer:
    query = bind(text, SCHEMA)
    results = matched(query, *numbers)
    return said_of(query, results, totals or Totals(len(numbers), len(numbers), truncated=False), events(*people))


def said_of(query: Query, results: pa.Table, totals: Totals, index: EventIndex) -> matching.Answer:
    """The answer from a listing alone."""
    whose = tallies_of(query, results, [], totals, index, (START, START + 24 * HOUR)).keys
    return matching.answer(query, results, totals, whose, index, DAY, Clock())


def test_matches_are_counted_and_the_top_key_named() -> None:
    """The key is that of the query's equivalence predicate, read from the events that the match binds."""
    answer = answer_of(MATCHED, ["u", "v", "u"], [0, 1, 2])
    assert answer.sentence == "Who u had the most: 2 of 3 matches on 8 March 2013."
    assert answer.headline.exact == 3


@pytest.mark.parametrize(
    ("people", "sentence"),
    [
        (["u"], "There was 1 match on 8 March 2013; it is of who u."),
        (["u", "u"], "There were 2 matches on 8 March 2013; all are of who u."),
        (["u", "v"], "There were 2 matches on 8 March 2013; no two have the same who."),
        (["u", "u", "v", "v", "w"], "Who u had the most: 2 of 5 matches on 8 March 2013; 1 other had as many."),
    ],
)
def test_whose_matches_they_are(people: list[str], sentence: str) -> None:
    """One, all the same, all different, and equals at the top."""
    assert answer_of(MATCHED, people, list(range(len(people)))).sentence == sentence


def test_without_a_key_the_longest_match_is_told() -> None:
    """By number of events, then by duration; where all have as many events, these are not told."""
    assert answer_of(KEYLESS, ["u", "v"], [0, 1]).sentence == (
        "There were 2 matches on 8 March 2013; the longest lasted 2 minutes, from 8 Mar 08:00."
    )


def test_a_cut_listing_and_an_unknown_total_are_said() -> None:
    """The total is that of `result_days`; null means at least so many."""
    cut = answer_of(MATCHED, ["u", "u"], [0, 1], Totals(10**40, 2, truncated=True))
    assert cut.sentence == "There were 1.0e40 matches on 8 March 2013; all of the 2 listed are of who u."
    assert cut.caveat == "The listing is cut: it holds the first 2 of 1.0e40 matches."
    unknown = answer_of(MATCHED, ["u", "u"], [0, 1], Totals(None, 2, truncated=True))
    assert unknown.sentence.startswith(
        "There were at least 2 matches on 8 March 2013, counted only as far as they are listed; all of the 2 listed"
    )


def test_events_that_are_gone_do_not_stop_a_report() -> None:
    """A match whose events cannot be found is still listed, without their attributes."""
    query = bind(MATCHED, SCHEMA)
    listing = listed_matches.listing(query, matched(query, 0), events(), Clock())
    assert listing.cells == [["–", "8 Mar 08:00", "2 minutes", "3", "–", "–", "–"]]


def test_what_conditions_mention_is_shown() -> None:
    """Attributes of each variable, keys apart; a variable without any shows its times."""
    query = bind(MATCHED, SCHEMA)
    assert mentioned(query) == {"a": ("x",), "b": ("x",), "c": ()}
    assert entity(query) == (("who", "a", "who"),)
    listing = listed_matches.listing(query, matched(query, 1), events("u", "v"), Clock())
    assert [heading.title for heading in listing.headings] == [
        "who",
        "from",
        "lasted",
        "events",
        "a.x",
        "b.x",
        "time of c",
    ]
    assert listing.cells == [["v", "8 Mar 08:10", "2 minutes", "3", "1", "2", "8 Mar 08:12"]]


def test_what_tells_an_event_is_shown_first() -> None:
    """Of a query without RETURN: before what conditions name, two attributes at most; keys are in their own column,
    and what is masked nowhere.
    """
    shown = {"who": "key", "place": "gate", "x": "delay", "z": "code"}
    types = {name: Attribute(name, AttributeType.INT, title=title, shown=name != "x") for name, title in shown.items()}
    types["z"] = Attribute("z", AttributeType.INT, shown=True, masked=True)
    schema = LogSchema(dict.fromkeys("ABC", types))
    assert attribute_names(bind(MATCHED, schema), 2) == {"a": ("place", "x"), "b": ("place", "x"), "c": ("place",)}
    assert attribute_names(bind(MATCHED, schema), 1) == {"a": ("place",), "b": ("place",), "c": ("place",)}
    asked = bind(f"RETURN c.x AS late {MATCHED}", schema)
    assert attribute_names(asked, 2) == {"a": ("x",), "b": ("x",), "c": ()}


LIKELY = "PATTERN SEQ(A a, B+ b[], C c) WHERE [who] WITHIN 1 hours WITH CONFIDENCE >= 0.8"


def test_possible_matches_say_how_likely_they_are() -> None:
    """The likeliest first; the threshold in the answer, each confidence in the listing and in its file."""
    query = bind(LIKELY, SCHEMA)
    results = matched(query, 0, 1, 2).append_column("confidence", pa.array([0.8, 1.0, 0.99999]))
    index = events("u", "v", "w")
    answer = said_of(query, results, Totals(3, 3, truncated=False), index)
    assert answer.sentence == (
        "There were 3 matches with a confidence of at least 0.8 (2 of them uncertain) on 8 March 2013; "
        "no two have the same who."
    )
    cut = said_of(query, results, Totals(None, 4, truncated=True), index)
    assert (
        "with a confidence of at least 0.8 (2 of the 3 listed uncertain) on 8 March 2013, counted only" in cut.sentence
    )
    listing = listed_matches.listing(query, results, index, Clock())
    assert listing.order == "likeliest first"
    place = [heading.title for heading in listing.headings].index("confidence")
    assert [(row[0], row[place]) for row in listing.cells] == [("v", "1"), ("w", "0.999"), ("u", "0.8")]
    assert [row[listing.header.index("confidence")] for row in listing.rows] == [0.8, 1.0, 0.99999]
    totals = Totals(3, 3, truncated=False)
    whose = tallies_of(query, results, [], totals, index, (START, START + 24 * HOUR)).keys
    best = matching.exemplars(query, results, index, whose, choose(query, results, index, whose), 12)
    figure = timeline_figure(query, "likely", best, totals, whose, DAY, Clock())
    assert figure is not None
    assert figure.caption.startswith("The likeliest match of each who, for those with the most matches")
    assert [row[figure.header.index("confidence")] for row in figure.rows][::3] == [0.8, 1.0, 0.99999]


def test_without_a_key_the_likeliest_match_is_told() -> None:
    query = bind(LIKELY.replace("WHERE [who] ", "").replace(">=", ">"), SCHEMA)
    results = matched(query, 0, 1).append_column("confidence", pa.array([0.9, 0.95]))
    answer = said_of(query, results, Totals(2, 2, truncated=False), events("u", "v"))
    assert answer.sentence == (
        "There were 2 matches with a confidence above 0.8 (2 of them uncertain) on 8 March 2013; "
        "the likeliest has confidence 0.95, from 8 Mar 08:10."
    )


def test_pages_call_attributes_of_matches_by_their_titles() -> None:
    """In the sentence, in headings, in what a figure tells; files for programs keep the names."""
    query = bind(MATCHED, TITLED)
    results, index, totals = matched(query, 0, 1, 2), events("u", "v", "u"), Totals(3, 3, truncated=False)
    assert said_of(query, results, totals, index).sentence == (
        "Traveller u had the most: 2 of 3 matches on 8 March 2013."
    )
    listing = listed_matches.listing(query, results, index, Clock())
    assert [heading.title for heading in listing.headings] == [
        "traveller",
        "from",
        "lasted",
        "events",
        "delay in minutes of a",
        "delay in minutes of b",
        "time of c",
    ]
    assert listing.header[0] == "who"
    whose = tallies_of(query, results, [], totals, index, (START, START + 24 * HOUR)).keys
    table = leaders(query, whose)
    assert table is not None
    assert (table.headings[0].title, table.header[0]) == ("traveller", "who")
    figure = timeline_figure(
        query,
        "q",
        matching.exemplars(query, results, index, whose, choose(query, results, index, whose), 12),
        totals,
        whose,
        DAY,
        Clock(),
    )
    assert figure is not None
    assert figure.caption.startswith("The longest match of each traveller, for those with the most matches.")
    assert "who" in figure.header

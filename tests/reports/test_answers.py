"""Sentences are made from a query's RETURN and GROUP BY and from result columns, for any query."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

from cep_core.events.schema import Attribute, AttributeType, LogSchema
from cep_core.language.patterns.bind.binding import bind
from cep_core.language.patterns.query import Query
from jobs.reports.answers import matching
from jobs.reports.answers.aggregations import aggregation
from jobs.reports.answers.aggregations.ranking import rank
from jobs.reports.answers.attributes import entity, mentioned
from jobs.reports.answers.attributes import told as attribute_names
from jobs.reports.answers.event_index import EventIndex
from jobs.reports.answers.leaders import leaders
from jobs.reports.answers.matches.different import choose
from jobs.reports.answers.tallies import Totals, tallies_of
from jobs.reports.figures.drawing.figure import drawn
from jobs.reports.figures.timeline import timeline_figure
from jobs.reports.figures.windows import windows_figure
from jobs.reports.words.clock import Clock

DAY = date(2013, 3, 8)
START = 1362729600
HOUR = 3600
SCHEMA = LogSchema(
    {
        kind: {
            "who": Attribute("who", AttributeType.STRING),
            "place": Attribute("place", AttributeType.STRING),
            "x": Attribute("x", AttributeType.INT),
        }
        for kind in ("A", "B", "C")
    }
)


def aggregated(text: str, *rows: dict[str, Any]) -> tuple[Query, pa.Table]:
    query = bind(text, SCHEMA)
    names = list(dict.fromkeys(name for row in rows for name in row)) or ["window_start", "window_end"]
    return query, pa.Table.from_pylist(list(rows), pa.schema([(name, _type(name)) for name in names]))


def _type(name: str) -> pa.DataType:
    if name in ("who", "place"):
        return pa.string()
    if name.endswith("_log10") or name.startswith("avg"):
        return pa.float64()
    return pa.decimal128(38, 0) if name in ("count", "count_A", "n", "sum_A_x") else pa.int64()


def row(count: int | None, window: int = 0, log10: float | None = None, **groups: str) -> dict[str, Any]:
    start = START + window * HOUR
    size = {"count": None if count is None else Decimal(count), "count_log10": log10}
    return {**groups, "window_start": start, "window_end": start + 12 * HOUR, **size}


def said(text: str, *rows: dict[str, Any]) -> str:
    query, results = aggregated(text, *rows)
    return aggregation.answer(query, rank(query, results), DAY, Clock()).sentence


GROUPED = "RETURN who, COUNT(*) PATTERN A+ GROUP-BY who WITHIN 12 hours SLIDE 1 hour"
TWICE = "RETURN who, place, COUNT(*) PATTERN A+ GROUP-BY who, place WITHIN 12 hours SLIDE 1 hour"
PLAIN = "RETURN COUNT(*) PATTERN A+ WITHIN 12 hours SLIDE 1 hour"


def test_the_top_group_and_its_window_are_named() -> None:
    """The largest count over all groups and windows, with how many groups and windows have any."""
    assert said(GROUPED, row(3, who="u"), row(87, window=1, who="v"), row(5, window=1, who="u")) == (
        "Who v had the most trends on 8 March 2013: 87 in the 12 hours from 8 Mar 09:00. "
        "2 values of who had results, in 2 windows."
    )


def test_groups_of_several_attributes_are_named_whole() -> None:
    """Every grouping attribute is said with its value."""
    assert said(TWICE, row(2, who="u", place="p")).startswith(
        "Who u and place p had the most trends on 8 March 2013: 2 in"
    )


def test_equal_groups_are_counted() -> None:
    """Where groups are equal the first by window and name is named, with how many are like it."""
    sentence = said(GROUPED, row(4, who="w"), row(4, who="u"), row(4, window=2, who="u"), row(1, who="v"))
    assert sentence.startswith(
        "Who u had the most trends on 8 March 2013: 4 in the 12 hours from 8 Mar 08:00; 1 other had as many."
    )


def test_a_query_without_groups_names_the_window() -> None:
    """One window says how many it had; several say which is the fullest."""
    assert said(PLAIN, row(1)) == "The 12 hours from 8 Mar 08:00 had 1 trend on 8 March 2013."
    assert said(PLAIN, row(4), row(9, window=3)) == (
        "The 12 hours from 8 Mar 11:00 had the most trends on 8 March 2013: 9, of 2 windows."
    )


def test_a_day_without_results_is_a_sentence_too() -> None:
    """No row means no trend."""
    assert said(GROUPED) == "On 8 March 2013 there was no trend in any window."


@pytest.mark.parametrize(
    ("count", "log10", "text"),
    [
        (123_456_789, 8.09151, "123,456,789"),
        (1_234_567_890, 9.0915149, "1.2e9"),
        (10**37 * 9, 37.9542, "9.0e37"),
        (None, 46.9999, "1.0e47"),
        (None, 5000.5, "3.2e5000"),
    ],
)
def test_counts_of_any_size_are_written(count: int | None, log10: float, text: str) -> None:
    """Up to nine digits in full, then as 1.2e34, far beyond what a float holds."""
    assert f"had the most trends on 8 March 2013: {text} in" in said(GROUPED, row(count, log10=log10, who="u"))


def test_counts_beyond_38_digits_rank_above_those_within() -> None:
    """A row whose exact count is null is larger than any DECIMAL, and the larger logarithm wins."""
    rows = [row(10**37, log10=37.0, who="u"), row(None, log10=40.0, who="v"), row(None, log10=41.0, who="w")]
    assert said(GROUPED, *rows).startswith("Who w had")


def test_without_count_the_first_aggregate_is_the_headline() -> None:
    """It is called by what the query wrote."""
    query = "RETURN who, AVG(A.x) PATTERN A+ GROUP-BY who WITHIN 12 hours"
    base = {"window_start": START, "window_end": START + 12 * HOUR}
    rows = [{"who": "u", **base, "avg_A_x": -3.5}, {"who": "v", **base, "avg_A_x": -7.25}]
    assert said(query, *rows).startswith("Who u came first by AVG(A.x) on 8 March 2013: −3.5 in the 12 hours")


def test_a_null_group_is_shown() -> None:
    """Tables may hold null in a group; it sorts and prints."""
    assert "Who – had the most trends" in said(GROUPED, {**row(4), "who": None})


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
    listing = matching.listing(query, matched(query, 0), events(), Clock())
    assert listing.cells == [["–", "8 Mar 08:00", "2 minutes", "3", "–", "–", "–"]]


def test_what_conditions_mention_is_shown() -> None:
    """Attributes of each variable, keys apart; a variable without any shows its times."""
    query = bind(MATCHED, SCHEMA)
    assert mentioned(query) == {"a": ("x",), "b": ("x",), "c": ()}
    assert entity(query) == (("who", "a", "who"),)
    listing = matching.listing(query, matched(query, 1), events("u", "v"), Clock())
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
    listing = matching.listing(query, results, index, Clock())
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


TITLED = LogSchema(
    {
        kind: {
            "who": Attribute("who", AttributeType.STRING, title="traveller"),
            "place": Attribute("place", AttributeType.STRING, title="Airport of departure"),
            "x": Attribute("x", AttributeType.INT, title="delay in minutes"),
        }
        for kind in ("A", "B", "C")
    }
)


def test_pages_call_attributes_of_matches_by_their_titles() -> None:
    """In the sentence, in headings, in what a figure tells; files for programs keep the names."""
    query = bind(MATCHED, TITLED)
    results, index, totals = matched(query, 0, 1, 2), events("u", "v", "u"), Totals(3, 3, truncated=False)
    assert said_of(query, results, totals, index).sentence == (
        "Traveller u had the most: 2 of 3 matches on 8 March 2013."
    )
    listing = matching.listing(query, results, index, Clock())
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


def test_pages_call_groups_and_aggregates_by_their_titles() -> None:
    """A title with a capital stays as it is written; COUNT(*) has no attribute."""
    text = "RETURN who, place, COUNT(*), MAX(A.x), COUNT(A) PATTERN A+ GROUP-BY who, place WITHIN 12 hours SLIDE 1 hour"
    query = bind(text, TITLED)
    _, results = aggregated(TWICE, row(2, who="u", place="p"), row(3, window=1, who="v", place="q"))
    answer = aggregation.answer(query, rank(query, results), DAY, Clock())
    assert answer.sentence == (
        "Traveller v and Airport of departure q had the most trends on 8 March 2013: 3 in the 12 hours from "
        "8 Mar 09:00. 2 combinations of traveller and Airport of departure had results, in 2 windows."
    )
    listing = aggregation.listing(query, rank(query, results), Clock())
    assert [heading.title for heading in listing.headings] == [
        "traveller",
        "Airport of departure",
        "COUNT(*)",
        "window",
        "highest delay in minutes of A",
        "COUNT(A)",
    ]
    assert listing.header[:2] == ["who", "place"]
    figure = windows_figure(query, "q", rank(query, results), DAY, Clock())
    assert figure is not None
    assert "each traveller and Airport of departure" in figure.caption
    assert figure.header[0] == "who and place"


def test_an_aggregate_with_a_title_is_the_headline_by_its_words() -> None:
    """The axis, the overview's unit and the sentence call it alike."""
    text = "RETURN who, MAX(A.x) PATTERN A+ GROUP-BY who WITHIN 12 hours"
    query = bind(text, TITLED)
    results = pa.Table.from_pylist(
        [{"who": "u", "window_start": START, "window_end": START + 12 * HOUR, "max_A_x": 29}]
    )
    answer = aggregation.answer(query, rank(query, results), DAY, Clock())
    assert answer.sentence.startswith(
        "Traveller u came first by highest delay in minutes of A on 8 March 2013: 29 in the 12 hours"
    )
    assert answer.unit == "highest delay in minutes of A in one window"
    figure = windows_figure(query, "q", rank(query, results), DAY, Clock())
    assert figure is not None
    assert figure.header == ["who", "MAX(A.x)", "log10 of MAX(A.x)"]
    assert "highest delay in minutes of A" in drawn(figure, narrow=False)

"""Which matches a page shows of many, and what it tells of each."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pyarrow as pa

from cep_core.events.schema import Attribute, AttributeType, LogSchema
from cep_core.language.patterns.bind.binding import bind
from jobs.reports.answers import matching
from jobs.reports.answers.event_index import EventIndex
from jobs.reports.answers.listing import SHOWN
from jobs.reports.answers.matches.detail import details_of
from jobs.reports.answers.matches.different import choose
from jobs.reports.answers.tallies import Totals, tallies_of
from jobs.reports.day_report import report_day
from jobs.reports.lake_reader import LakeReader
from jobs.reports.pages import query as query_page
from jobs.reports.questions import questions_of
from jobs.reports.words.clock import Clock
from jobs.workload.declaration import load_workload
from tests.reports.lake.small_days import DAY

ATTRIBUTES = {name: Attribute(name, AttributeType.INT) for name in ("who", "x")}
ATTRIBUTES |= {"secret": Attribute("secret", AttributeType.INT, masked=True)}
SCHEMA = LogSchema(dict.fromkeys("AB", ATTRIBUTES))
ANY = bind("PATTERN SEQ(A a, A b) WHERE skip_till_any_match { [who] AND b.x > a.x } WITHIN 2 hours", SCHEMA)
BOTH = bind("PATTERN SEQ(A a, B+ b[]) WHERE [who] AND b[i].x > b[i-1].x AND a.secret > 3 WITHIN 1 hour", SCHEMA)


def test_a_page_does_not_fill_with_nearly_equal_rows() -> None:
    """Of 66 pairs of 12 events of one key and one of another: the longest of each, then as many new events as can be,
    until every event was shown.
    """
    rows = [{"seq": n, "ts": 60 * n, "event_type": "A", "who": int(n > 11), "x": n} for n in range(14)]
    pairs = [(a, b) for a in range(12) for b in range(a + 1, 12)] + [(12, 13)]
    results = pa.Table.from_pylist([{"a": a, "b": b, "first_ts": 60 * a, "last_ts": 60 * b} for a, b in pairs])
    index = EventIndex(pa.Table.from_pylist(rows))
    whose = tallies_of(ANY, results, [], Totals(67, 67, truncated=False), index, (0, 3600)).keys
    chosen = choose(ANY, results, index, whose)
    shown = [(match.row["a"], match.row["b"]) for match in chosen.matches]
    assert shown[:3] == [(0, 11), (12, 13), (1, 10)]
    assert sorted(seq for pair in shown for seq in pair) == list(range(14))
    assert len(shown) == 7 < SHOWN
    assert chosen.order == (
        "the longest of each who, then those with the most events that none above has; the others have no further event"
    )
    few = choose(ANY, results.slice(0, SHOWN), index, whose)
    assert (len(few.matches), few.order) == (SHOWN, "longest first")


def test_a_match_is_told_with_its_events_and_the_values_of_its_conditions() -> None:
    """Attributes that are masked are neither shown nor told; a match of which events are gone has no values."""
    rows = [
        {"seq": 5 + n, "ts": 60 * n, "event_type": kind, "who": 7, "x": 10 * n, "secret": None}
        for n, kind in enumerate("ABBB")
    ]
    events = pa.Table.from_pylist(rows).cast(
        pa.schema([(name, pa.string() if name == "event_type" else pa.int64()) for name in rows[0]])
    )
    results = pa.Table.from_pylist([{"a": 5, "b": [6, 7, 8], "first_ts": 0, "last_ts": 180}])
    [match] = matching.foremost(BOTH, results, EventIndex(events), 1)
    [detail] = details_of(BOTH, [match], events, Clock())
    assert detail.title == "1. 7, from 1 Jan 00:00, 3 minutes, 4 events"
    assert [heading.title for heading in detail.headings] == ["event", "is", "time", "who", "x"]
    assert detail.cells[1] == ["b", "B", "1 Jan 00:01", "7", "10"]
    assert detail.conditions == [("[who]", "7"), ("a.secret > 3", ""), ("b.x > b[i-1].x", "20 > 10 and 30 > 20")]
    [partly] = matching.foremost(BOTH, results, EventIndex(events.slice(1)), 1)
    [detail] = details_of(BOTH, [partly], events.slice(1), Clock())
    assert (len(detail.cells), detail.conditions) == (3, [])
    assert detail.note == "1 of its events is no longer in the lake, so its conditions are not judged."


def test_a_page_says_where_the_other_matches_are_told(places: Path) -> None:
    """Every match of the page has its detail; for the others, how many they are, and what tells them."""
    workload = load_workload("lines")
    reader = LakeReader(places / "lake" / "lines")
    report = report_day(workload, questions_of(workload), reader, DAY, "night")
    [query] = [query for query in report.queries if query.question.name == "snowball"]
    assert query.listing is not None
    shown = len(query.listing.cells)
    assert len(query.details) == shown > 0
    assert query_page.page(report, query).content["further"] is None
    many = replace(query, listing=replace(query.listing, total=shown + 1_700))
    further = query_page.page(report, many).content["further"]
    assert further == {
        "many": "1,700 other listed matches are",
        "one": f"trendmill why lines snowball --day {DAY} --match ID",
        "all": f"trendmill sql \"SELECT * FROM lines.snowball_events WHERE day = '{DAY}'\"",
    }

"""Sentences that a reader stumbled over, each as it is told now; the drawing of an automaton; aligned time lines."""

from __future__ import annotations

import re
from datetime import date, timedelta
from pathlib import Path

import pyarrow as pa

from cep_core.language.patterns.bind.binding import bind
from cep_core.language.patterns.query import Query
from jobs.reports.answers import matching
from jobs.reports.answers.changes import Change, compare
from jobs.reports.answers.event_index import EventIndex
from jobs.reports.answers.matches.different import choose
from jobs.reports.answers.tallies import Tally, Totals
from jobs.reports.experiments_page import GridSection, page_of
from jobs.reports.figures.drawing.figure import drawn
from jobs.reports.figures.pattern_picture import MOST, automaton_figure, picture_of
from jobs.reports.figures.timeline import timeline_figure
from jobs.reports.figures.trailing import trailing_figure
from jobs.reports.site import rendered
from jobs.reports.words.clock import Clock
from jobs.reports.words.quantities import Magnitude
from jobs.workload.sections.experiment_grids import load_grids
from tests.reports.answers.travellers import DAY, HOUR, SCHEMA, START
from tests.reports.lake.reading import Document

BEFORE = DAY - timedelta(days=1)


def test_numbers_far_apart_are_compared_by_orders_of_magnitude() -> None:
    """Nobody reads "2.1e28 times the median"."""
    change = compare(DAY, Magnitude.of(None, 46.9), {BEFORE, DAY}, {BEFORE: Magnitude.of(None, 18.6)})
    assert change.sentence == "7.9e46 is 28 orders of magnitude above the day before (4.0e18)."
    change = compare(DAY, Magnitude.of(10), {BEFORE, DAY}, {BEFORE: Magnitude.of(10**9)})
    assert change.sentence == "10 is 8 orders of magnitude below the day before (1.0e9)."


def test_numbers_counted_only_as_far_as_listed_say_so_when_compared() -> None:
    """In the sentence; the figure names such a query instead of drawing it."""
    two = BEFORE - timedelta(days=1)
    numbers = {two: Magnitude.of(4), BEFORE: Magnitude.of(10)}
    change = compare(DAY, Magnitude.of(1001), {two, BEFORE, DAY}, numbers, at_least={DAY, two})
    assert change.sentence == (
        "At least 1,001 is 143 times the median of the 2 days before (7; from 4 to 10), more than on any of them. "
        "Today and on 1 of the days before matches were counted only as far as they are listed."
    )
    exact = Change(Magnitude.of(1), {BEFORE: Magnitude.of(2)})
    figure = trailing_figure({"counted": exact, "listed_only": change}, DAY)
    assert figure is not None
    assert {row[0] for row in figure.rows} == {"counted"}
    assert "n = 1 day." in figure.caption
    assert figure.caption.endswith("Not drawn, because matches were counted only as far as listed: listed_only.")


def _timeline(ends: dict[int, int]) -> str:
    """The drawing of matches of one A and one B each: by their beginnings, how long they last."""
    query: Query = bind("PATTERN SEQ(A a, B b) WHERE [who] WITHIN 1 hour", SCHEMA)
    events, rows = [], []
    for number, (begin, lasting) in enumerate(ends.items()):
        for kind, ts in (("A", begin), ("B", begin + lasting)):
            events.append({"seq": len(events), "ts": ts, "event_type": kind, "who": f"w{number}"})
        rows.append({"first_ts": begin, "last_ts": begin + lasting, "a": len(events) - 2, "b": len(events) - 1})
    index, results = EventIndex(pa.Table.from_pylist(events)), pa.Table.from_pylist(rows)
    totals, whose = Totals(len(rows), len(rows), truncated=False), Tally({(f"w{n}",): 1 for n in range(len(rows))})
    best = matching.exemplars(query, results, index, whose, choose(query, results, index, whose), 12)
    figure = timeline_figure(query, "q", best, totals, whose, date(2013, 3, 8), Clock())
    assert figure is not None
    return drawn(figure, narrow=False)


def test_short_matches_are_drawn_from_their_first_events_on() -> None:
    """Three minutes of a day are a dot: such matches begin at 0; longer ones stand at their time of day."""
    short = _timeline({START: 120, START + 9 * HOUR: 180})
    assert "minutes since the first event" in short
    assert "w1, 8 Mar 17:00" in short
    long = _timeline({START: 3 * HOUR, START + 9 * HOUR: 180})
    assert "time of day, UTC" in long
    assert "since the first event" not in long


def test_an_automaton_is_drawn_with_its_arrows() -> None:
    """NFA^b for sequences and closures, the template for other patterns; words for whoever cannot see it."""
    query = bind("PATTERN SEQ(A a, B+ b[], C c) WITHIN 1 hour", SCHEMA)
    figure = automaton_figure(query, "q")
    assert figure is not None
    assert "b[i] to b[i] take B or ignore any" in figure.alt
    assert "a match ends in F" in figure.alt
    for narrow in (False, True):
        letters = re.findall(r"<text[^>]*>([^<]*)</text>", drawn(figure, narrow=narrow))
        assert {"a", "b[1]", "b[i]", "c", "F", "begin A", "take B", "ignore any", "proceed", "begin C"} <= set(letters)
    either = picture_of(bind("PATTERN (SEQ(A a, B b) OR C c) WITHIN 1 hour", SCHEMA))
    assert either.states == ("a", "b", "c")
    assert (either.starts, either.ends) == ({0, 2}, {1, 2})
    many = ", ".join(f"A a{n}" for n in range(MOST))
    assert automaton_figure(bind(f"PATTERN SEQ({many}, B b) WITHIN 1 hour", SCHEMA), "q") is None


def test_pages_show_no_source_of_drawings() -> None:
    """The explanation in words has no Mermaid; `explain --json` has it."""
    from cep_core import explain

    explained = explain("PATTERN SEQ(A a, B+ b[], C c) WITHIN 1 hour", schema=SCHEMA)
    assert "stateDiagram" not in str(explained)
    assert explained.to_dict()["automaton"]["mermaid"].startswith("stateDiagram-v2")


def test_grids_that_nobody_measured_stand_in_one_table() -> None:
    """Not under an empty heading each: the demo's page has one heading and a row for every grid."""
    grids = load_grids("nyc_flights", Path(__file__).parents[2] / "workloads" / "nyc_flights")
    page = page_of([GridSection(grid, 0) for grid in grids.values()])
    document = Document()
    document.feed(rendered(page, {"workload_name": "w", "workload_title": "w", "trail": [], "pages": []}))
    assert document.text("h2") == ["Not measured yet"]
    assert len(document.all("tr")) == 1 + len(grids)
    assert "0 of 24 cells" in document.text("td")

"""No published number depends on how many matches are listed, save those that say in their sentence that it does."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cep_core.language.patterns.bind.binding import bind
from jobs.reports import overview
from jobs.reports.answers.tallies import Totals, tallies_of
from jobs.reports.day_report import DayReport
from jobs.reports.page import Page
from jobs.reports.pages import day, query
from jobs.reports.questions import Question, questions_of
from jobs.reports.site import rendered
from jobs.workload.declaration import Workload, load_workload
from tests.reports.answers.test_matching import events, matched
from tests.reports.answers.travellers import HOUR, SCHEMA, START
from tests.reports.lake.cut_days import BEFORE, QUESTIONS, Tables, evaluated, logs, reported
from tests.reports.lake.reading import Document, read
from tests.reports.lake.small_days import DAY, start_of
from tests.reports.lake.small_schemas import EVENTS
from tests.reports.lake.small_workload import write_workload

SAYS = re.compile(r"\blist(ed|ing)\b|≥")
FRAME = {"workload_name": "w", "workload_title": "w", "day_title": "d", "trail": [], "pages": []}


@cache
def _workload() -> tuple[Workload, list[Question]]:
    with TemporaryDirectory() as name:
        folder = Path(name, "lines")
        write_workload(folder, QUESTIONS)
        workload = load_workload(folder)
        return workload, questions_of(workload)


def _sentences(text: str) -> list[str]:
    return re.split(r"(?<=\.) (?=[A-Z≥])", text)


def _said(page: Page) -> set[str]:
    """Every sentence of a page with what its figures tell, but the table of listed matches and its plan."""
    document = Document()
    document.feed(rendered(page, FRAME))
    texts = [text for tag in ("p", "figcaption", "h2", "dd") for text in document.text(tag)]
    texts += [image.attributes["alt"] for image in document.all("img")]
    return {sentence for text in texts for sentence in _sentences(text)}


def _numbers(page: Page) -> set[tuple[object, ...]]:
    """Every row of numbers behind a page's figures and tables, with the name of its file and of its columns."""
    numbers: set[tuple[object, ...]] = set()
    for figure in page.figures:
        if not figure.name.endswith("-timeline"):  # listed matches, one by one
            numbers |= {(figure.name, *figure.header, *row) for row in figure.rows}
    for name, listing in page.listings.items():
        if name.endswith("-by-key.csv"):
            numbers |= {(name, *listing.header, *row) for row in listing.rows}
    return numbers


def _published(report: DayReport) -> tuple[set[str], set[tuple[object, ...]]]:
    pages = [day.page(report), *(query.page(report, of_query) for of_query in report.queries)]
    sentences = set().union(*(_said(page) for page in pages))
    rows = set().union(*(_numbers(page) for page in pages))
    return (
        {sentence for sentence in sentences if not SAYS.search(sentence)},
        {row for row in rows if not any(SAYS.search(str(cell).replace("_", " ")) for cell in row)},
    )


def _overview(workload: Workload, questions: list[Question], tables: Tables, home: Path) -> list[str]:
    overview.write(workload, questions, tables, home)
    return read(home / "index.html").text("td")


@settings(max_examples=15)
@given(st.data())
def test_no_published_number_depends_on_how_many_matches_are_listed(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    """Whatever a cut day publishes of all matches, the whole day publishes as well, word for word."""
    workload, questions = _workload()
    drawn = data.draw(logs(workload))
    chosen = [question for question in questions if data.draw(st.booleans(), question.name)]
    whole = evaluated(workload, chosen, drawn, None)
    sentences, rows = _published(reported(workload, chosen, whole))
    home = tmp_path_factory.mktemp("reports")
    cells = _overview(workload, chosen, whole, home)
    for most in data.draw(st.sets(st.integers(0, 6), min_size=1, max_size=2)):
        cut = evaluated(workload, chosen, drawn, most)
        cut_sentences, cut_rows = _published(reported(workload, chosen, cut))
        assert cut_sentences <= sentences
        assert cut_rows <= rows
        for cell, full in zip(_overview(workload, chosen, cut, home), cells, strict=True):
            assert cell == full or SAYS.search(cell)


@settings(max_examples=15)
@given(st.data())
def test_leaders_and_hours_of_a_cut_day_are_those_of_all_its_matches(data: st.DataObject) -> None:
    """Where matches can be counted without listing them, nothing is said of listed ones only."""
    workload, questions = _workload()
    own = [question for question in questions if question.name in ("keyed", "two_keys", "next", "sliding", "both")]
    drawn = data.draw(logs(workload))
    whole = reported(workload, own, evaluated(workload, own, drawn, None))
    cut = reported(workload, own, evaluated(workload, own, drawn, data.draw(st.integers(0, 3))))
    for full, less in zip(whole.queries, cut.queries, strict=True):
        assert less.listed is None
        assert less.periods == full.periods
        assert less.answer is not None
        assert full.answer is not None
        assert less.answer.sentence == full.answer.sentence
        assert [section.listing.rows for section in less.sections] == [
            section.listing.rows for section in full.sections
        ]


def _log(*steps: tuple[str, int, str]) -> pa.Table:
    """Events by line, hour of the day and type."""
    start = start_of(DAY)
    own = {"station": "p", "delay_min": 5, "day": DAY, "run_id": "run"}
    rows = [
        {"event_type": kind, "ts": start + 3600 * hour, "seq": number, "line": line, **own}
        for number, (line, hour, kind) in enumerate(steps)
    ]
    return pa.Table.from_pylist(rows, EVENTS)


def test_matches_that_end_together_and_differ_in_their_key_are_told_as_listed() -> None:
    """Where the event that ends them does not carry the key: one compact row stands for a match of u and one of v."""
    index = events("u", "v")
    query = bind("PATTERN SEQ(A a, B+ b[], C c) WHERE a.who = b[i].who WITHIN 1 hour", SCHEMA)
    listed = matched(query, 0)
    columns = {"first_ts": [START], "last_ts": [START + HOUR], "match_count_exact": ["2"]}
    compact = pa.table({**columns, "a": [[0, 10]], "b": [[1, 11]], "c": [[12]]})
    totals, interval = Totals(2, 2, truncated=True), (START, START + 24 * HOUR)
    tallied = tallies_of(query, listed, [(compact, index)], totals, index, interval)
    assert (tallied.keys.counts, tallied.keys.listed) == ({("u",): 1}, 1)
    assert (tallied.periods.counts, tallied.periods.listed) == ({1: 2}, None)
    alike = compact.set_column(4, "b", pa.array([[1]]))
    assert tallies_of(query, listed, [(alike, index)], totals, index, interval).keys.counts == {("u",): 2}
    fewer = Totals(3, 3, truncated=True)
    assert tallies_of(query, listed, [(alike, index)], fewer, index, interval).periods.listed == 1


def test_a_day_of_which_nothing_is_listed_is_no_day_without_results() -> None:
    """Matches that only a listing can count, on both days, with none and with one listed."""
    workload, questions = _workload()
    [postponed] = [question for question in questions if question.name == "postponed"]
    own = {"station": "p", "delay_min": 5, "run_id": "run", "line": "x"}
    days = ((BEFORE, workload.operating_days.interval(BEFORE)[0]), (DAY, start_of(DAY)))
    kinds = ["Depart", "Depart", "Depart", "Arrive"]
    log = pa.Table.from_pylist(
        [
            {"day": on, "event_type": kind, "ts": start + 600 * n, "seq": 10 * place + n, **own}
            for place, (on, start) in enumerate(days)
            for n, kind in enumerate(kinds)
        ],
        EVENTS,
    )
    none, listed_day = (reported(workload, [postponed], evaluated(workload, [postponed], log, most)) for most in (0, 1))
    words = " ".join(_said(day.page(none)))
    assert "No result is listed." in words
    assert "Matches of postponed were counted only as far as listed: there is nothing to compare." in words
    assert "No results." not in words
    assert "No earlier day" not in words
    assert "One of them is listed." in " ".join(_said(query.page(listed_day, listed_day.queries[0])))


def test_a_day_whose_first_matches_are_another_lines() -> None:
    """Line x has the first two matches and line y all the others, hours later; only two are listed."""
    workload, questions = _workload()
    [keyed] = [question for question in questions if question.name == "keyed"]
    steps = [("x", hour, kind) for hour, kind in enumerate(["Depart", "Depart", "Arrive", "Arrive"])]
    steps += [("y", 12 + n, kind) for n, kind in enumerate(["Depart"] * 4 + ["Arrive"])]
    report = reported(workload, [keyed], evaluated(workload, [keyed], _log(*steps), 2))
    [of_query] = report.queries
    assert of_query.answer is not None
    assert of_query.answer.sentence == "Line y had the most: 6 of 8 matches on 8 March 2013."
    page = day.page(report)
    [hours] = [figure for figure in page.figures if figure.name == "results-by-hour"]
    assert "keyed: at most 6 matches in an hour." in hours.caption
    assert "The hour with the most: keyed 8 Mar 19:00." in hours.alt
    assert Counter(row[1] for row in hours.rows) == {"all": 3}
    timeline = of_query.figures[0]
    assert "1 has no listed match." in timeline.caption

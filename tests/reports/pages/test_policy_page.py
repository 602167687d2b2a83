"""A policy's page: its sentence, when, whose, how long, and why; an empty day and a cut one read well."""

from __future__ import annotations

import csv
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pyarrow as pa
import pytest

from cep_core.events.schema import Attribute, AttributeType, LogSchema
from cep_core.language.settings import Settings
from jobs.reports.answers import causes
from jobs.reports.day_report import DayReport, report_day
from jobs.reports.pages import day as day_page
from jobs.reports.pages import query as query_page
from jobs.reports.questions import questions_of
from jobs.reports.site import write_pages
from jobs.reports.words.clock import Clock
from jobs.workload.declaration import Workload, load_workload
from tests.reports.lake.policy_days import policy_tables
from tests.reports.lake.reading import Document, read
from tests.reports.lake.small_days import DAY, SCRIPT
from tests.reports.lake.small_schemas import EVENTS
from tests.reports.lake.small_workload import write_workload

SCHEMA = LogSchema(
    {"P": {"b": Attribute("b", AttributeType.INT), "a": Attribute("a", AttributeType.INT, title="number", shown=True)}}
)
BEFORE, AFTER = DAY - timedelta(days=1), DAY + timedelta(days=1)
TEXT = """-- Which line left a station and arrived nowhere within two hours?
Depart(line=l, station=s) AND NOT EVENTUALLY[0,2h] Arrive(line=l)
"""
FRAME = {"workload_name": "w", "workload_title": "w", "day_title": "d", "trail": [], "pages": []}
STEPS = [
    (-20, "Depart", "x", "p"),  # the day before
    (-1, "Depart", "y", "p"),  # becomes certain on the day
    (1, "Depart", "x", "p"),
    (2, "Depart", SCRIPT, "q"),
    (3, "Depart", "x", "p"),
    (4, "Depart", "x", "q"),  # kept
    (5, "Arrive", "x", "q"),
    (6, "Depart", "x", "p"),
    (7, "Depart", "x", "p"),
    (20, "Arrive", "y", "q"),
]


@pytest.fixture(scope="module")
def workload(tmp_path_factory: pytest.TempPathFactory) -> Workload:
    home = tmp_path_factory.mktemp("policies") / "lines"
    write_workload(home, queries={}, policies={"lost.mfotl": TEXT})
    return load_workload(home)


def report(workload: Workload, on: int, *, largest: int | None = None, **settings: int) -> DayReport:
    """The report of one of the three days. `largest`: proofs with more claims are too large to be told."""
    start = workload.operating_days.interval(DAY)[0]
    rows = [
        {"event_type": kind, "ts": start + 3600 * hour, "seq": seq, "line": line, "station": station, "delay_min": seq}
        | {"day": workload.operating_days.day_of(start + 3600 * hour), "run_id": "run"}
        for seq, (hour, kind, line, station) in enumerate(STEPS)
    ]
    questions = questions_of(workload)
    events = pa.Table.from_pylist(rows, EVENTS)
    days = (BEFORE, DAY, AFTER)
    tables = policy_tables(workload, questions[0], events, days, Settings(**settings))
    if largest is not None:
        held = {**tables.held, "lost_why": without_large_proofs(tables.held["lost_why"], largest)}
        tables = replace(tables, held=held)
    return report_day(workload, questions, tables, days[on], "run")


def without_large_proofs(claims: pa.Table, largest: int) -> pa.Table:
    """Of a proof with more than so many claims only the top one, as an evaluator leaves it."""
    rows = claims.to_pylist()
    violated = [(row["ts"], row["offset"], row["l"], row["s"]) for row in rows]
    kept = [row for row, own in zip(rows, violated, strict=True) if violated.count(own) <= largest or row["node"] == 0]
    return pa.Table.from_pylist(kept, claims.schema)


def page(workload: Workload, on: int, folder: Path, *, largest: int | None = None, **settings: int) -> Document:
    made = report(workload, on, largest=largest, **settings)
    write_pages(folder, [query_page.page(made, made.queries[0]), day_page.page(made)], FRAME)
    return read(folder / "query-lost.html")


def test_it_says_how_many_of_whom_and_against_other_days(workload: Workload, tmp_path: Path) -> None:
    document = page(workload, 1, tmp_path)
    assert document.text("p", class_="finding") == [
        "There were 5 violations in 4 episodes on 8 March 2013; station p had the most, 4."
    ]
    quiet = document.text("p", class_="quiet")
    assert quiet[0] == "5 is 5.0 times the day before (1)."
    assert quiet[1].startswith("1 of these violations lies before this operating day, the earliest at 8 Mar 02:00:")
    assert document.text("h2") == [
        *("Violations by station", "Longest episodes", "Causes", "Results"),
        *("The policy", "How it is evaluated"),
    ]
    first = read(tmp_path / "index.html")
    assert "There were 5 violations in 4 episodes" in first.text("p", class_="finding")[0]
    captions = " ".join(first.text("figcaption"))
    assert "lost: at most 1 violation in an hour, 1 violation happened before the day." in captions


def test_every_figure_has_words_and_numbers_beside_it(workload: Workload, tmp_path: Path) -> None:
    document = page(workload, 1, tmp_path)
    names = ["lost-by-day", "lost-moments", "lost-episodes", "lost-causes"]
    assert [image.attributes["src"] for image in document.all("img")] == [f"{name}.svg" for name in names]
    assert all(len(image.attributes["alt"]) > 20 for image in document.all("img"))
    assert all("n = " in caption for caption in document.text("figcaption"))
    for name in (*names, "lost", "lost-by-key", "lost-longest-episodes", "lost-why"):
        with (tmp_path / f"{name}.csv").open() as file:
            assert len(list(csv.reader(file))) > 1
    labels = [text for text in read(tmp_path / "lost-causes-narrow.svg").text("text") if text.startswith(("x", "y"))]
    assert labels == ["y 02:00", "x 04:00", "x 09:00", "x 10:00"]  # the moment, where values do not tell rows apart
    moments = list(csv.reader((tmp_path / "lost-moments.csv").open()))
    assert moments[1][0].startswith("2013-03-08T02:00:00")  # before the operating day


def test_causes_are_events_and_what_is_not_there(workload: Workload, tmp_path: Path) -> None:
    document = page(workload, 1, tmp_path)
    cells = document.text("td")
    assert "line y, station p, delay <b>in</b> minutes 1" in cells
    assert 'no Arrive(line="x")' in cells
    assert "3 points, 8 Mar 04:00 to 8 Mar 06:00" in cells
    assert len(document.all("details")) == 5
    assert 'no Arrive(line="y") at 2 points, first 8 Mar 02:00, last 8 Mar 04:00' in document.text("pre")[0]
    assert not document.all("script")


def test_a_day_without_violations_has_no_empty_tables(workload: Workload, tmp_path: Path) -> None:
    document = page(workload, 2, tmp_path)
    assert document.text("p", class_="finding") == ["There was no violation on 9 March 2013."]
    assert document.text("h2") == ["Results", "The policy", "How it is evaluated"]
    assert [image.attributes["src"] for image in document.all("img")] == ["lost-by-day.svg"]
    assert document.text("p")[-2].startswith("No results on this day.")


def test_a_cut_listing_says_so_and_numbers_stay_exact(workload: Workload, tmp_path: Path) -> None:
    document = page(workload, 1, tmp_path, max_violations=3)
    assert document.text("p", class_="notice") == ["Only the first 3 of 5 violations are listed."]
    assert "5 violations in 4 episodes" in document.text("p", class_="finding")[0]
    assert len(document.all("details")) == 3
    assert any(text.startswith("All 3 listed violations, first ones first.") for text in document.text("p"))
    assert read(tmp_path / "index.html").text("p", class_="notice") == [
        "The listing is cut for lost. Numbers here count everything, unless they say that they count what is listed."
    ]


def test_nothing_explained_is_no_section(workload: Workload, tmp_path: Path) -> None:
    assert "Causes" not in page(workload, 1, tmp_path, explained=0).text("h2")


def test_proofs_that_are_too_large_are_named(workload: Workload, tmp_path: Path) -> None:
    document = page(workload, 1, tmp_path, largest=0)
    assert document.text("td").count("its proof is too large to be told") == 5
    assert any("The proofs of the first 5 violations are too large to be told." in text for text in document.text("p"))
    assert not document.all("details")
    rows = list(csv.DictReader((tmp_path / "lost-why.csv").open()))
    assert [row["cause"] for row in rows] == ["not told"] * 5


def test_many_causes_are_folded_and_all_are_in_the_file() -> None:
    claims = [
        {"node": seq, "parent": None if seq == 0 else 0, "leaf": "event", "claim": "P(1)", "at_ts": seq, "at_offset": 0}
        | {"holds": True, "seq": seq, "valuation": "", "ts": 9, "offset": 0, "x": 1}
        for seq in range(7)
    ]
    events = [{"event_type": "P", "ts": seq, "seq": seq, "b": 3, "a": seq} for seq in range(7)]
    listing = causes.listing(causes.explained(pa.Table.from_pylist(claims), events), Clock(), SCHEMA)
    assert [row[1] for row in listing.cells] == ["P", "P", "3 more, in the CSV", "P", "P"]
    assert [row[3] for row in listing.cells] == [
        *(f"number {n}, b 3" for n in (0, 1)),
        "",
        "number 5, b 3",
        "number 6, b 3",
    ]
    assert [row[-1] for row in listing.rows] == [f"b 3, a {seq}" for seq in range(7)]


def test_violations_of_mostly_the_same_events_stand_once_in_the_table() -> None:
    """Of windows that move on by one event, the first and the one that shares no more than half; the file has all."""
    claims = [
        {"node": seq, "parent": None if seq == ts - 4 else ts - 4, "leaf": "event", "claim": "P(1)", "at_ts": seq}
        | {"at_offset": 0, "holds": True, "seq": seq, "valuation": "", "ts": ts, "offset": 0, "x": 1}
        for ts in range(4, 8)
        for seq in range(ts - 4, ts)
    ]
    events = [{"event_type": "P", "ts": seq, "seq": seq, "a": seq} for seq in range(8)]
    explained = causes.explained(pa.Table.from_pylist(claims), events)
    assert [violation.ts for violation in causes.that_differ(explained)] == [4, 6]
    listing = causes.listing(explained, Clock(), SCHEMA)
    assert sum(bool(row[0]) for row in listing.cells) == 2
    assert {row[0] for row in listing.rows} == {4, 5, 6, 7}


def test_a_proof_that_is_told_in_part_names_what_is_not() -> None:
    rows = [
        {"node": 0, "parent": None, "leaf": None, "claim": "P(1) AND NOT Q(1)", "seq": None},
        {"node": 1, "parent": 0, "leaf": "event", "claim": "P(1)", "seq": 4},
        {"node": 2, "parent": 0, "leaf": "untold", "claim": "NOT Q(1)", "seq": None},
    ]
    shared = {"at_ts": 9, "at_offset": 0, "holds": True, "valuation": "", "ts": 9, "offset": 0, "x": 1}
    claims = pa.Table.from_pylist([row | shared for row in rows])
    [violation] = explained = causes.explained(claims, [{"event_type": "P", "ts": 9, "seq": 4, "a": 7}])
    assert violation.has_proof
    assert replace(violation, values={"n": 6, "airline": "US"}).title(Clock()).startswith("US 6, ")
    listing = causes.listing(explained, Clock(), SCHEMA)
    assert [row[1] for row in listing.cells] == ["P", "NOT Q(1) holds: its proof is too large to be told"]
    assert [row[2] for row in listing.rows] == ["event", "not told"]
    last = violation.proof(Clock()).splitlines()[-1]
    assert last.startswith("  NOT Q(1) holds at ")
    assert last.endswith(": its proof is too large to be told")

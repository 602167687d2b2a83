"""What the first page says of ordinary, empty, incomplete and missing days."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from jobs.reports.publish import publish
from jobs.workload.declaration import load_workload
from tests.reports.lake.reading import Document, read
from tests.reports.lake.small_days import DAY, EMPTY, HOLE, INCOMPLETE, REFUSED, REPORTED, SCRIPT


def first_page(site: Path, day: object) -> Document:
    return read(site / "lines" / str(day) / "index.html")


def test_answers_come_first(site: Path) -> None:
    """One sentence for each question, made from the query's results."""
    sentences = first_page(site, DAY).text("p", class_="finding")
    assert sentences == [
        "The 24 hours from 7 Mar 19:00 had 80 trends on 8 March 2013.",
        "Line \u2068\\u202eevil \u05d0\u05d1\u05d2\u2069 had the most trends on 8 March 2013: 1.0e52 in the 12 hours "
        "from 8 Mar 13:00. 5 values of line had results, in 3 windows.",
        "Line Red had the most: 2 of the 6 listed; there were 75,000 matches on 8 March 2013.",
        "At 140 % load over the busiest 3 hours pSPICE would have missed 12 % of the matches of late_chains and "
        "snowball, dropping at random 31 % (± 3.1 %); E-BL would have been the best with 5 % (± 0.5 %), 58 % fewer, "
        "but 1 % of the events would have been later than the latency bound; the best that keeps the bound is trend "
        "counts with 10 %.",
    ]


def test_a_cut_listing_says_so(site: Path) -> None:
    """The day's page and the query's page say that a listing was cut, and what it holds."""
    assert first_page(site, DAY).text("p", class_="notice") == [
        "The listing is cut for snowball. Numbers here count everything, unless they say that they count what is "
        "listed."
    ]
    query = read(site / "lines" / str(DAY) / "query-snowball.html")
    assert query.text("p", class_="notice") == ["The listing is cut: it holds the first 6 of 75,000 matches."]


def test_an_empty_day_looks_right(site: Path) -> None:
    """A day without events says so, answers every question with none, and draws no empty axes."""
    page = first_page(site, EMPTY)
    assert page.text("p", class_="notice") == [
        "This day has no events: no row of the files that were read gave one. Results that need one are empty. If "
        "other files have this day's rows, name them in the workload's sources and run the day again."
    ]
    assert page.text("p", class_="finding") == [
        "On 4 March 2013 there was no trend in any window.",
        "On 4 March 2013 there was no trend in any window.",
        "There was no match on 4 March 2013.",
    ]
    assert [image.attributes["src"] for image in page.all("img")] == ["trailing-days.svg"]
    query = read(site / "lines" / str(EMPTY) / "query-snowball.html")
    assert [image.attributes["src"] for image in query.all("img")] == ["snowball-automaton.svg"]
    assert any(text.startswith("No results on this day.") for text in query.text("p"))
    [why] = [text for text in query.text("p", class_="quiet") if text.startswith("Without")]
    assert why in page.text("p", class_="quiet")  # the first page says it, too
    header = (site / "lines" / str(EMPTY) / "snowball.csv").read_text(encoding="utf-8").splitlines()
    assert header == ["line,first_time,last_time,first_ts,last_ts,a,b,c,match_id"]


def test_an_incomplete_day_says_so_in_its_first_line(site: Path) -> None:
    """The first paragraph names the days that the results lack; a complete query's page does not."""
    page = first_page(site, INCOMPLETE)
    [first, *_] = page.text("p")
    assert first.startswith(
        "These results are incomplete: they look back to days that are missing (not loaded: Sat 9 Mar 2013;"
    )
    assert "refused by the quality gate: Sat 9 Mar 2013)" in first
    assert not read(site / "lines" / str(INCOMPLETE) / "query-all_departures.html").text("p", class_="notice")
    assert read(site / "lines" / str(INCOMPLETE) / "query-snowball.html").text("p", class_="notice") == [first]


def test_a_day_that_never_passed_its_gate_has_no_report(site: Path) -> None:
    """It is skipped, and the page above the days says why."""
    assert not (site / "lines" / str(HOLE)).exists()
    rows = read(site / "lines" / "index.html").text("tr")
    [row] = [text for text in rows if text.startswith("Sat 9 Mar 2013")]
    assert "refused by the gate" in row


def test_the_pages_above_list_the_days(site: Path) -> None:
    """Every day has its headline numbers, newest first, and a link if published; the root links the workload."""
    document = read(site / "lines" / "index.html")
    targets = [element.attributes["href"] for element in document.all("a") if "class" not in element.attributes]
    days = [target for target in targets if target.startswith("2") and target.endswith("index.html")]
    assert days == [f"{day}/index.html" for day in reversed(REPORTED)]
    cells = document.text("td")
    place = cells.index("Fri 8 Mar 2013")
    assert cells[place + 1 : place + 6] == ["complete", "40", "80", "1.0e52", "75,000"]
    root = read(site / "index.html")
    assert "lines/index.html" in [element.attributes["href"] for element in root.all("a")]
    assert "3 days published; the latest is 10 March 2013." in root.text("p")


def test_publishing_records_itself(site: Path) -> None:
    """`run.json` names run, day, table versions and what was written."""
    record = json.loads((site / "lines" / str(DAY) / "run.json").read_text(encoding="utf-8"))
    assert (record["workload"], record["day"], record["stage"], record["status"]) == (
        "lines",
        str(DAY),
        "publish",
        "done",
    )
    assert record["pages"] == 9
    assert record["figures"] == 8 + 1 + 11 + 4
    assert record["versions"]["events"] == 0
    assert record["seconds"] > 0


@pytest.mark.usefixtures("places")
def test_a_run_publishes_every_day_that_it_evaluated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`result_days` says which days a run touched beyond its own; unknown days are skipped and reported."""
    monkeypatch.setenv("TRENDMILL_REPORTS", str(tmp_path))
    published = publish(load_workload("lines"), [HOLE], "run-2")
    assert sorted(published.pages) == [EMPTY]
    assert published.skipped == (HOLE,)
    assert not [path for path in (tmp_path / "lines").iterdir() if path.name.startswith(".")]


@pytest.mark.usefixtures("places")
def test_a_day_that_fails_its_gate_keeps_its_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a report the results of the load before are published, and say so; with one, it stays as it is."""
    monkeypatch.setenv("TRENDMILL_REPORTS", str(tmp_path))
    assert list(publish(load_workload("lines"), [REFUSED], "night").pages) == [REFUSED]
    [notice] = first_page(tmp_path, REFUSED).text("p", class_="notice")
    assert notice.startswith("The last load of this day failed the quality gate; this report shows the load before it.")
    assert SCRIPT in notice
    before = (tmp_path / "lines" / str(REFUSED) / "run.json").read_bytes()
    published = publish(load_workload("lines"), [REFUSED], "next-night")
    assert published.kept == (REFUSED,)
    assert (tmp_path / "lines" / str(REFUSED) / "run.json").read_bytes() == before

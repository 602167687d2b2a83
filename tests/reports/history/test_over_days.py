"""Pages over all days: what stands out, a calendar, links between neighbours, whatever order days came in."""

from __future__ import annotations

import re
import shutil
from collections.abc import Sequence
from datetime import date, timedelta
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobs.reports.answers.series import LEAST, series_of
from jobs.reports.figures.drawing.figure import drawn
from jobs.reports.figures.over_days import over_days_figure
from jobs.reports.history.calendar import months_of
from jobs.reports.history.neighbours import FIRST, PLACE, link_days
from jobs.reports.history.sparkline import sparkline
from jobs.reports.publish import publish
from jobs.reports.words.quantities import Magnitude
from jobs.workload.declaration import load_workload
from tests.counts import few
from tests.reports.lake.reading import read
from tests.reports.lake.small_days import DAY, EMPTY, INCOMPLETE

FIRST_DAY = date(2012, 12, 20)
RECORD = {"complete": True, "definition": "a", "matches_at_least": None, "exhausted": None}
OFFSETS = st.lists(st.integers(0, 70), unique=True, max_size=50)


def on(offset: int) -> date:
    return FIRST_DAY + timedelta(days=offset)


@given(st.dictionaries(st.integers(0, 70), st.integers(0, 9), max_size=50))
def test_a_day_stands_out_above_the_evaluated_ones_of_four_weeks(numbers: dict[int, int]) -> None:
    """Days that were not evaluated do not count; with fewer than seven before it no day stands out."""
    records = {on(offset): dict(RECORD) for offset in numbers}
    series = series_of(records, {on(offset): Magnitude.of(number) for offset, number in numbers.items() if number})
    assert [day.day for day in series.days] == sorted(records)
    for day in series.days:
        offset = (day.day - FIRST_DAY).days
        before = [number for earlier, number in numbers.items() if offset - 28 <= earlier < offset]
        assert day.stands_out == (len(before) >= LEAST and numbers[offset] > max(before))
    assert {day.day for day in series.standing_out} == {day.day for day in series.days if day.stands_out}


def test_a_number_is_told_beside_those_before() -> None:
    """Also where the comparison does not begin with it."""
    series = series_of({on(0): dict(RECORD), on(1): dict(RECORD)}, {on(0): Magnitude.of(4)})
    assert [day.sentence for day in series.days] == [
        "4. There is no earlier day to compare with.",
        "0. The day before had 4.",
    ]
    assert (
        series_of({on(0): dict(RECORD), on(1): dict(RECORD)}, {}).days[1].sentence
        == "0 is the same as the day before (0)."
    )


def test_too_few_days_are_not_called_usual() -> None:
    """With seven days none can stand out, and no page says that they were compared; the eighth is."""
    records = {on(offset): dict(RECORD) for offset in range(LEAST + 1)}
    few_days, enough = ({on(n): records[on(n)] for n in range(many)} for many in (LEAST, LEAST + 1))
    for kept, worded, drawn_as in (
        (few_days, "too few to say which stand out", "too few days before"),
        (enough, "none above all days before", "as usual"),
    ):
        series = series_of(kept, {})
        figure, spark = over_days_figure("q", series, "matches"), sparkline(series)
        assert figure is not None
        assert spark is not None
        assert worded in spark.words
        assert (drawn_as in drawn(figure, narrow=False), "none is judged" in figure.caption) == (True, kept is few_days)
        assert ("as usual" in drawn(figure, narrow=False)) == (kept is enough)


def test_what_changed_is_told() -> None:
    """Another definition, days that are incomplete, days without a result."""
    records = {on(offset): dict(RECORD) for offset in range(6)}
    records[on(3)] |= {"complete": False}
    records[on(4)] |= {"definition": "b"}
    records[on(5)] |= {"definition": "b", "exhausted": "{}"}
    series = series_of(records, {})
    assert (series.redefined, series.incomplete, series.without_result) == ([on(4)], [on(3)], (on(5),))


@few(30)
@given(st.lists(st.sampled_from([None, 0, 1, 5, 10**5, 10**40]), max_size=40), st.booleans())
def test_any_series_is_drawn(numbers: list[int | None], narrow: bool) -> None:
    """Of any size, with gaps; nothing for fewer than two days."""
    records = {on(n): dict(RECORD, complete=n % 3 > 0) for n, number in enumerate(numbers) if number is not None}
    series = series_of(records, {on(n): Magnitude.of(number) for n, number in enumerate(numbers) if number})
    figure, spark = over_days_figure("q", series, "matches"), sparkline(series)
    assert (figure is None) == (spark is None) == (len(records) < 2)
    if figure is not None and spark is not None:
        assert len(figure.rows) == len(records)
        assert f"n = {len(records)} days" in figure.caption
        assert not re.search("nan|inf", drawn(figure, narrow=narrow) + spark.line)


@given(OFFSETS)
def test_a_calendar_has_every_day_of_its_months_once(offsets: Sequence[int]) -> None:
    """Each below its weekday; only known days say something, and only reports are linked."""
    states = {on(offset): "complete" for offset in offsets}
    months = months_of({day: f"{day}/index.html" for day in states}, states, {})
    places = [(month, place, day) for month in months for week in month.weeks for place, day in enumerate(week) if day]
    linked = [day.link for _, _, day in places if day.words]
    assert sorted(linked) == sorted(f"{day}/index.html" for day in states)
    for month in months:
        numbers = [day.number for week in month.weeks for day in week if day]
        assert numbers == list(range(1, len(numbers) + 1))
        assert len(numbers) >= 28
    for _, place, day in places:
        if day.link:
            assert date.fromisoformat(day.link[:10]).weekday() == place


def test_a_calendar_shows_what_is_not_well() -> None:
    months = months_of({}, {on(0): "incomplete", on(1): "complete"}, {on(1): 3})
    days = {day.number: day for month in months for week in month.weeks for day in week if day}
    assert days[20].look == "level-0 unwell"
    assert days[21].look == "level-2"
    assert days[20].words == "Thu 20 Dec 2012, incomplete, too few days before to compare"
    assert days[21].words == "Fri 21 Dec 2012, complete, 3 answers above all days before"


@few(20)
@given(st.lists(st.sets(st.integers(0, 8), min_size=1), max_size=4), st.data())
def test_neighbours_are_linked_whatever_order_reports_came_in(publishes: list[set[int]], data: st.DataObject) -> None:
    """After any publishes, again of the same days too, whose pages come and go: the same bytes as if all had been
    written, then linked once.
    """
    sheds: dict[int, bool] = {}

    def write(home: Path, offset: int) -> None:
        folder = home / str(on(offset))
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        for name in (FIRST, "run.html", *(["shedding.html"] if sheds[offset] else [])):
            (folder / name).write_text(f"<p>{offset}</p>\n{PLACE}\n", encoding="utf-8")

    def content(home: Path) -> dict[str, str]:
        return {str(page.relative_to(home)): page.read_text(encoding="utf-8") for page in home.rglob("*.*")}

    with TemporaryDirectory() as folder:
        parts, whole = Path(folder) / "parts", Path(folder) / "whole"
        for days in publishes:
            for offset in data.draw(st.permutations(sorted(days))):
                sheds[offset] = data.draw(st.booleans())
                write(parts, offset)
            link_days(parts)
        for offset in set().union(*publishes):
            write(whole, offset)
        link_days(whole)
        assert content(parts) == content(whole)
        days = sorted(str(on(offset)) for offset in set().union(*publishes))
        for before, after in pairwise(days):
            assert f'<a rel="next" href="../{after}/index.html">' in content(parts)[f"{before}/index.html"]
            assert f'<a rel="prev" href="../{before}/run.html">' in content(parts)[f"{after}/run.html"]


def test_pages_of_a_site_lead_on(site: Path) -> None:
    """A day's pages lead to its neighbours' and to the question over all days; the first page to all of these."""
    home = site / "lines"
    links = {a.attributes.get("rel", ""): a.attributes["href"] for a in read(home / str(DAY) / FIRST).all("a")}
    assert links["prev"] == f"../{EMPTY}/index.html"
    assert links["next"] == f"../{INCOMPLETE}/index.html"
    query = read(home / str(DAY) / "query-snowball.html")
    assert "../history/snowball.html" in [a.attributes["href"] for a in query.all("a")]
    first = read(home / FIRST)
    assert len(first.all("svg", class_="spark")) == 3
    assert [a.text for a in first.all("a", class_="cell")] == [str(day.day) for day in (EMPTY, DAY, INCOMPLETE)]


def test_a_history_says_the_most_the_usual_and_what_changed(site: Path) -> None:
    page = read(site / "lines" / "history" / "snowball.html")
    [finding] = page.text("p", class_="finding")
    assert "the most were 75,000 on 8 March 2013, the median is" in finding
    assert "(matches of a day)." in finding
    assert any("incomplete: Sun 10 Mar 2013" in text for text in page.text("p"))
    assert page.text("td")[:2] == ["March 2013", finding.split(" ", 1)[0]]


def test_a_publish_adds_links_to_reports_that_stand(
    places: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The day before the new one gets its link to it; its other bytes stay."""
    monkeypatch.setenv("TRENDMILL_REPORTS", str(tmp_path))
    publish(load_workload("lines"), [EMPTY], "night")
    page = tmp_path / "lines" / str(EMPTY) / "quality.html"
    before = page.read_text(encoding="utf-8")
    assert PLACE in before
    publish(load_workload("lines"), [DAY], "night")
    after = page.read_text(encoding="utf-8")
    link = f'<a rel="next" href="../{DAY}/quality.html">Fri 8 Mar 2013\u202f→</a>'
    assert after == before.replace(PLACE, PLACE.replace("></nav>", f">{link}</nav>"))

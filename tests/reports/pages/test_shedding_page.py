"""The Shedding page: its place among the others, figures with their numbers, days on which nothing was dropped."""

from __future__ import annotations

import csv
import json
import re
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from cep_core.experiments.shedding_measures import measures_of
from jobs.reports.comparisons.shedding_rows import shedding_of
from jobs.reports.figures.along_settings import along_settings
from jobs.reports.figures.shed_hours import latency_figure
from tests.reports.lake.reading import Document, read
from tests.reports.lake.small_days import DAY, EMPTY, INCOMPLETE, SCRIPT, start_of
from tests.reports.lake.small_shedding import BOUND, CHOICE, LATE, LEAST, LOST, measured
from tests.reports.pages.shedding_rows import CLOCK, TOLD, of
from tests.reports.pages.test_figures import letters


def page(site: Path, day: date = DAY) -> Document:
    return read(site / "lines" / day.isoformat() / "shedding.html")


def numbers(site: Path, name: str, day: date = DAY) -> list[dict[str, str]]:
    with (site / "lines" / day.isoformat() / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_the_first_sentence_answers(site: Path) -> None:
    """What pSPICE and chance would have missed, and who would have been best, by how much; then the bound."""
    first, second, third, fourth = page(site).text("p", class_="finding")
    assert first == (
        f"{TOLD} pSPICE would have missed 12 % of the matches of late_chains and snowball, dropping at random "
        "31 % (± 3.1 %); E-BL would have been the best with 5 % (± 0.5 %), 58 % fewer, but 1 % of "
        "the events would have been later than the latency bound; the best that keeps the bound is trend "
        "counts with 10 %."
    )
    assert second == (
        "Without shedding 40 % of the events would have been later than the bound of 10 ms; under E-BL 1 %, under "
        "the other 5 strategies none."
    )
    assert third == (
        "Strategies that drop partial matches had to drop some at 8 events of the day. In 75 % of these drops they "
        "could choose which, because not all had to be dropped."
    )
    assert fourth == (
        "46 % of the work on partial matches leads to no match: a clairvoyant, who keeps only what still leads to a "
        "match, would have missed 2 %; no strategy that drops "
        "partial matches and keeps the bound could have missed less than 1 %."
    )


def test_the_day_page_has_the_answer(site: Path) -> None:
    """The same sentences, and the way to the page; a day without a comparison has neither page nor sentence."""
    day = read(site / "lines" / DAY.isoformat() / "index.html")
    assert page(site).text("p", class_="finding")[0] in day.text("p", class_="finding")
    assert [link for link in day.all("a", href="shedding.html") if "article" in link.inside]
    assert not (site / "lines" / EMPTY.isoformat() / "shedding.html").exists()
    empty = read(site / "lines" / EMPTY.isoformat() / "index.html")
    assert not empty.all("a", href="shedding.html")


def test_the_page_of_days_links_it(site: Path) -> None:
    """What pSPICE would have missed, for every day that was compared."""
    days = read(site / "lines" / "index.html")
    links = {link.attributes["href"]: link.text for link in days.all("a") if "shedding" in link.attributes["href"]}
    assert links == {f"{DAY}/shedding.html": "12 %", f"{INCOMPLETE}/shedding.html": "0 %"}
    assert days.text("th")[-1] == "shedding"
    [row] = [text for text in days.text("tr") if text.startswith("Mon 4 Mar 2013")]
    assert row.endswith("–")


def test_a_day_on_which_nothing_was_dropped(site: Path) -> None:
    """Says so, and draws no empty axes."""
    day = page(site, INCOMPLETE)
    first, second = day.text("p", class_="finding")
    assert first == (
        f"{TOLD} nothing would have been dropped, so no match of late_chains and snowball would have been missed."
    )
    assert second == "Even without shedding every event would have been within the bound of 10 ms."
    assert "Nothing was dropped at 140 % load over the busiest 3 hours." in day.text("p")
    assert [image.attributes["src"] for image in day.all("img")] == ["shedding-latency.svg"]


def test_figures_are_their_numbers(site: Path) -> None:
    """Every file has what is drawn: means, deviations and n of all settings, lower bounds; hours of the one told."""
    for over, least in (("busiest", LEAST), ("day", 1.1 * LEAST)):
        against = numbers(site, f"shedding-missed-by-load-{over}")
        assert {(row["strategy"], row["load"], row["n"]) for row in against} == {
            (name, load, "3" if name in ("PM-BL", "E-BL") else "1")
            for name in [*LOST, "lower bound"]
            for load in ("1.2", "1.4")
            if name != "none"
        }
        assert {(row["load_over"], row["bound_ns"]) for row in against} == {(over, str(BOUND))}
        assert [float(row["mean"]) for row in against[-2:]] == pytest.approx([least / 2, least])
    by_bound = [row for row in numbers(site, "shedding-missed-by-bound") if row["strategy"] == "pSPICE"]
    assert [(row["bound_ns"], float(row["mean"])) for row in by_bound] == [(str(BOUND // 2), 0.24), (str(BOUND), 0.12)]
    choice = numbers(site, "shedding-choice")
    assert {(row["load"], row["load_over"], row["mean"]) for row in choice} == {
        (load, "busiest", str(CHOICE)) for load in ("1.2", "1.4")
    }
    assert {row["strategy"] for row in choice} == set(LOST) - {"none", "E-BL"}
    against = numbers(site, "shedding-missed-by-load-busiest")
    [chance] = [row for row in against if (row["strategy"], row["load"]) == ("PM-BL", "1.4")]
    assert (float(chance["mean"]), float(chance["standard_deviation"])) == pytest.approx((0.31, 0.031))
    assert {
        row["mean"] for row in numbers(site, "shedding-missed-by-load-busiest-snowball") if row["strategy"] == "pSPICE"
    } == {
        "0.06",
        "0.12",
    }
    latency = numbers(site, "shedding-latency")
    assert len(latency) == 4 * len(LOST)
    assert {row["bound_ns"] for row in latency} == {str(BOUND)}
    late = {row["strategy"] for row in latency if float(row["latency_max_ns"]) > BOUND}
    assert late == set(LATE)
    dropped = numbers(site, "shedding-dropped")
    assert sum(float(row["dropped"]) for row in dropped if row["strategy"] == "pSPICE") == 120
    missed = numbers(site, "shedding-missed")
    assert sum(float(row["missed"]) for row in missed if row["strategy"] == "pSPICE") == pytest.approx(12)
    assert missed[0]["from"] == CLOCK.iso(start_of(DAY))
    captions = " ".join(page(site).text("figcaption"))
    assert "n = 3 seeds a point for PM-BL and E-BL: mean, bars are one standard deviation" in captions
    assert "n = 40 events" in captions


def test_hostile_names_stay_names(site: Path) -> None:
    """A strategy's name in tables and drawings is text."""
    assert SCRIPT in page(site).text("td")
    text = (site / "lines" / DAY.isoformat() / "shedding.html").read_text(encoding="utf-8")
    assert "<script" not in text


def test_costs_are_told(site: Path) -> None:
    """Each of them in virtual time, with the weights that differ from 1."""
    costs = dict(zip(page(site).text("dt"), page(site).text("dd"), strict=True))
    assert (costs["Latency bound"], costs["The day unshed"], costs["An event"]) == ("10 ms", "6 s", "2 µs")
    assert costs["A partial match of late_chains"] == "100 ns in every state; weight 2"
    assert costs["A partial match of snowball"] == "100 ns in every state"
    assert costs["Trained on"] == "400 events before the day, of 7 days (28 were asked for)"


def test_what_load_and_bound_mean_on_the_day_is_told(site: Path) -> None:
    """When the busiest hours are, the load over the day, and the bound in the day's own time."""
    [paragraph] = [text for text in page(site).text("p") if text.startswith("The day is replayed")]
    assert (
        "At a load of 140 % over the busiest 3 hours, 8 Mar 13:00 to 16:00, the work of those hours takes 1.4 times as "
        "long as they last; over the whole day that is a load of 70 %. In the day's own time the bound of 10 ms "
        "is 1.7 minutes."
    ) in paragraph


def test_the_latency_figure_shows_the_bound() -> None:
    """Named on a logarithmic axis; what breaks it is said in words."""
    shedding = of(none=0, pSPICE=0.12, late_none=0.4)
    figure = latency_figure(shedding, DAY, CLOCK)
    assert figure is not None
    assert "bound 10 ms" in letters(figure)
    assert "Above it at some time: none 500 ms." in figure.alt
    assert "n = 40 events" in figure.caption
    free = [{**row, "value": 0.0} if "latency" in row["metric"] else row for row in measured()]
    costless = shedding_of(free)
    assert costless is not None
    still = latency_figure(costless, DAY, CLOCK)
    assert still is not None
    assert "bound 10 ms" in letters(still, narrow=True)
    calm = latency_figure(of(none=0, pSPICE=0.1), DAY, CLOCK)
    assert calm is not None
    assert "No strategy is ever above it." in calm.caption


def test_a_measure_that_is_nothing_has_no_figure() -> None:
    """No axes with all lines on the ground."""
    shedding = of(none=0, pSPICE=0)
    drawn = partial(along_settings, shedding, "x", strategies=["pSPICE"], words=("matches missed", "Share."))
    assert drawn(shedding.along("day"), measure=lambda setting: setting.lost_of(None)) is None
    assert drawn(shedding.along("day"), measure=lambda setting: setting.measures["late_events"]) is None


def test_one_setting_is_no_line() -> None:
    """A table says it; a lower bound is drawn only where it was measured."""
    shedding = of(none=0, pSPICE=0.1)
    lost = partial(along_settings, shedding, "x", strategies=["pSPICE"], words=("matches missed", "Share."), least=True)
    assert lost(shedding.along("day")[:1], measure=lambda setting: setting.lost_of(None)) is None
    figure = lost(shedding.bounds, measure=lambda setting: setting.lost_of(None))
    assert figure is not None
    assert {"lower bound", "latency bound", "5 ms", "10 ms"} <= set(letters(figure))
    assert "Shaded: no strategy that drops partial matches" in figure.caption
    plain = lost(shedding.bounds, measure=lambda setting: setting.lost_of(None), least=False)
    ground = of(none=0, pSPICE=0.1, least=0)
    flat = along_settings(
        ground, "x", ground.bounds, ["pSPICE"], lambda setting: setting.lost_of(None), ("missed", "Share."), least=True
    )
    assert plain is not None
    assert flat is not None
    assert "lower bound" not in letters(plain) + letters(flat)
    assert "The lower bound is 0 % throughout." in flat.caption
    assert [row for row in flat.rows if row[0] == "lower bound"]


def test_the_small_rows_are_like_real_ones() -> None:
    """Measures have the names that the experiment gives them."""
    real = {metric for metric, _, _ in measures_of(_quality(), 0)}
    made: set[Any] = {
        row["metric"] for row in measured() if not json.loads(row["parameters"]).keys() & {"query", "from", "costs"}
    }
    assert made == real | {"least_lost", "useless_work"}


def _quality() -> Any:
    from cep_core.shedding.result_quality import Quality

    return Quality((1,), (0,), (0,), (1.0,), (1, 1, 1, 1), 0.0, 0.0, 0.0, 1, drops=1, choices=1)


def test_the_overview_says_what_was_missed_and_on_how_many_days(site: Path) -> None:
    paragraphs = " ".join(read(site / "lines" / "index.html").text("p"))
    assert re.search(
        r"2013: pSPICE would have missed [\d.]+ % of the matches; of \d days? with matches, median [\d.]+ %", paragraphs
    )

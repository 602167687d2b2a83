"""The Shedding page: its first sentence, figures with their numbers, days on which nothing or everything went wrong."""

from __future__ import annotations

import csv
import json
import re
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from cep_core.experiments.loads import Setting
from cep_core.experiments.shedding_measures import measures_of
from jobs.reports.comparisons.shedding_answer import answer, bound_kept, choice_told, over_what, yardsticks
from jobs.reports.comparisons.shedding_comparison import SheddingComparison, shedding_of
from jobs.reports.figures.along_settings import along_settings
from jobs.reports.figures.shed_hours import dropped_figure, latency_figure, missed_figure
from jobs.reports.words.clock import Clock
from tests.reports.lake.reading import Document, read
from tests.reports.lake.small_days import DAY, EMPTY, INCOMPLETE, SCRIPT, start_of
from tests.reports.lake.small_shedding import BOUND, CHOICE, LATE, LEAST, LOST, measured
from tests.reports.pages.test_figures import letters

TOLD = "At 140 % load over the busiest 3 hours"
CLOCK = Clock("s", "America/New_York")


def page(site: Path, day: date = DAY) -> Document:
    return read(site / "lines" / day.isoformat() / "shedding.html")


def numbers(site: Path, name: str, day: date = DAY) -> list[dict[str, str]]:
    with (site / "lines" / day.isoformat() / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def of(choice: float = CHOICE, least: float = LEAST, **lost: float) -> SheddingComparison:
    """A day on which strategies lost so much; `_` stands for a blank, `late_X` is how often X broke the bound."""
    late = {name.removeprefix("late_"): share for name, share in lost.items() if name.startswith("late_")}
    kept = {name: share for name, share in lost.items() if not name.startswith("late_")}
    names = {"PM_BL": "PM-BL", "E_BL": "E-BL", "trend_counts": "trend counts"}
    shedding = shedding_of(
        measured(
            DAY,
            {names.get(name, name): share for name, share in kept.items()},
            {names.get(name, name): share for name, share in late.items()},
            choice=choice,
            least=least,
        )
    )
    assert shedding is not None
    return shedding


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


def test_which_strategy_is_best() -> None:
    """The one that misses fewest, by how much; whether it keeps the bound, and who else does; equals are named."""
    assert answer(of(none=0, pSPICE=0.1, PM_BL=0.2)) == (
        f"{TOLD} pSPICE would have missed 10 % of the matches of late_chains and snowball, dropping at "
        "random 20 % "
        "(± 2 %); that would have been the best, ahead of dropping at random, 50 % fewer."
    )
    assert answer(of(none=0, pSPICE=0.2, PM_BL=0.1)).endswith(
        "; dropping at random would have been the best, 50 % fewer."
    )
    assert answer(of(none=0, pSPICE=0.2, PM_BL=0.19)).endswith(
        "; dropping at random would have been the best, 5 % fewer (within one standard deviation over seeds)."
    )
    assert answer(of(none=0, pSPICE=0.19, PM_BL=0.2)).endswith(
        "; that would have been the best, with dropping at random within one standard deviation over seeds."
    )
    assert answer(of(none=0, pSPICE=0.1, E_BL=0.2, late_pSPICE=0.02)).endswith(
        "; that would have been the best, ahead of E-BL, 50 % fewer, but 2 % of the events would have been later "
        "than the latency bound; the best that keeps the bound is E-BL with 20 % (± 2 %)."
    )
    assert answer(of(none=0, pSPICE=0.1, trend_counts=0.1)).endswith(
        "; no strategy would have been better, and trend counts would have been as good."
    )
    assert answer(of(none=0, pSPICE=0.1, trend_counts=0.05, late_pSPICE=0.2, late_trend_counts=0.1)).endswith(
        "; trend counts would have been the best with 5 %, 50 % fewer, but 10 % of the events would have been "
        "later than the latency bound, as with every other."
    )
    assert answer(of(none=0, trend_counts=0.05)) == (
        f"{TOLD} trend counts would have missed 5 % of the matches of late_chains and snowball; no other "
        "strategy "
        "was tried."
    )


def test_how_often_the_bound_broke() -> None:
    """Told with and without a run that sheds nothing, for every strategy that broke it."""
    assert bound_kept(of(pSPICE=0.1)) == "Under every strategy all events would have been within the bound of 10 ms."
    assert bound_kept(of(none=0, pSPICE=0.1, late_none=0.25)) == (
        "Without shedding 25 % of the events would have been later than the bound of 10 ms; under every strategy none."
    )
    assert bound_kept(of(none=0, pSPICE=0.1, PM_BL=0.1, late_none=0.25, late_pSPICE=0.001, late_PM_BL=0.002)) == (
        "Without shedding 25 % of the events would have been later than the bound of 10 ms; under pSPICE 0.1 % and "
        "PM-BL 0.2 %."
    )


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


def test_a_day_without_matches() -> None:
    """Nothing could be missed, whatever was dropped."""
    nothing = shedding_of(measured(matches=0))
    assert nothing is not None
    assert answer(nothing) == (f"{TOLD} nothing could be missed: late_chains and snowball had no matches on this day.")
    assert not any(outcome.has_matches(name) for outcome in nothing.attainable for name in (None, *nothing.queries))
    assert missed_figure(nothing, DAY, CLOCK) is None
    assert nothing.outcomes[0].lost_of("snowball").mean == 0


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


def test_rows_without_all_measures_do_not_break_it() -> None:
    """No hours, no costs, one load, an unknown strategy: what is there is told."""
    kept = ("lost", "late_events", "dropped", "matches", "query_matches", "query_missed", "late_time")
    rows = [row for row in measured(loads=(2.0,)) if row["metric"] in kept]
    shedding = shedding_of(rows)
    assert shedding is not None
    assert shedding.setting == Setting(2.0, "busiest", BOUND)
    assert (shedding.parts, shedding.virtual_cost, shedding.choice, shedding.least_lost(shedding.setting)) == (
        {},
        None,
        None,
        None,
    )
    assert yardsticks(shedding) == "A clairvoyant, who keeps only what still leads to a match, would have missed 2 %."
    assert choice_told(shedding) == ""
    assert latency_figure(shedding, DAY, CLOCK) is None
    assert dropped_figure(shedding, DAY, CLOCK) is None
    assert answer(shedding).startswith("At 200 % load over the busiest 3 hours pSPICE")
    whole = shedding_of([row for row in rows if not row["metric"].startswith("query_")])
    assert whole is not None
    assert "of the matches of all queries;" in answer(whole).replace(", dropping at random 31 % (± 3.1 %)", "")
    assert shedding_of([]) is None
    assert shedding_of([row for row in rows if row["metric"] != "lost"]) is None


def test_the_setting_told_is_the_one_that_is_marked() -> None:
    """Else, as in rows of former versions, 140 % or the middle one, over the busiest hours where there are such."""
    whole = shedding_of(measured(loads=(1.2, 1.4, 1.8)))
    assert whole is not None
    assert whole.setting == Setting(1.8, "busiest", BOUND)
    assert (
        [setting.load for setting in whole.along("day")]
        == [setting.load for setting in whole.along("busiest")]
        == [1.2, 1.4, 1.8]
    )
    assert [setting.bound for setting in whole.bounds] == [BOUND // 2, BOUND]
    unmarked, former = [], []
    for row in measured(loads=(1.2, 1.4, 1.8)):
        about = json.loads(row["parameters"])
        if "from" not in about and "state" not in about:
            unmarked.append({**row, "parameters": json.dumps({key: about[key] for key in about if key != "told"})})
            if about["load_over"] == "day":
                kept = {key: about[key] for key in about if key not in ("told", "load_over", "busiest_hours")}
                former.append({**row, "parameters": json.dumps(kept)})
    shedding, before = shedding_of(unmarked), shedding_of(former)
    assert shedding is not None
    assert before is not None
    assert (shedding.setting, before.setting) == (Setting(1.4, "busiest", BOUND), Setting(1.4, "day", BOUND))
    assert answer(before).startswith("At 140 % load over the day pSPICE would have missed")
    assert over_what(before, "busiest") == "the busiest hours"


def test_little_choice_says_nothing_about_strategies() -> None:
    """Neither the first sentence nor the one about yardsticks; at half of the drops strategies are compared."""
    few = of(none=0, pSPICE=0.1, PM_BL=0.2, clairvoyant=0.01, choice=0.3)
    assert answer(few) == (
        f"{TOLD} pSPICE would have missed 10 % of the matches of late_chains and snowball, dropping at random 20 % "
        "(± 2 %). That does not show which strategy is better: in only 30 % of the drops was there a choice, in all "
        "others every partial match had to be dropped."
    )
    assert "best" not in answer(few)
    alike = of(none=0, pSPICE=0.2, PM_BL=0.2, clairvoyant=0.01, choice=0.3)
    assert "about as many" not in yardsticks(alike)
    assert "would have been the best" in answer(of(none=0, pSPICE=0.1, PM_BL=0.2, choice=0.5))


def test_strategies_that_miss_alike_have_a_reason() -> None:
    """Nothing better was possible, or nobody could tell which partial matches would complete."""
    same = {"none": 0.0, "pSPICE": 0.2, "PM_BL": 0.2}
    assert yardsticks(of(**same, clairvoyant=0.01, least=0.005)).endswith(
        " The strategies that drop partial matches all miss about as many: they know the query of a partial match, how "
        "far it has come and how long it has left, and that does not tell which will complete."
    )
    assert yardsticks(of(**same, clairvoyant=0.2, least=0.195)).endswith(" because no strategy can miss fewer.")
    assert yardsticks(of(**same, clairvoyant=0.2, least=0.05)).endswith(
        " miss about as many, and so does the clairvoyant."
    )
    assert "about as many" not in yardsticks(of(none=0, pSPICE=0.1, PM_BL=0.2, clairvoyant=0.01))
    # dropping events is another thing to do
    assert "about as many" in yardsticks(of(**same, E_BL=0.6, clairvoyant=0.01))
    assert yardsticks(of(none=0, pSPICE=0, clairvoyant=0)) == choice_told(of(none=0, pSPICE=0, clairvoyant=0)) == ""
    # a lower bound of nothing is no news
    assert yardsticks(of(none=0, pSPICE=0.1, clairvoyant=0, least=0)) == (
        "46 % of the work on partial matches leads to no match: a clairvoyant, who keeps only what still leads to a "
        "match, would have missed none."
    )


def test_nothing_had_to_go_but_events_did() -> None:
    """E-BL begins at half of the bound."""
    assert answer(of(none=0, pSPICE=0, PM_BL=0, E_BL=0.05)) == (
        f"{TOLD} no partial match would have been dropped, so no match would have been missed; E-BL, which drops "
        "events and begins at half of the bound, would have missed 5 % (± 0.5 %)."
    )


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

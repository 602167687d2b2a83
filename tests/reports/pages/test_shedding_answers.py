"""Sentences about a comparison of shedding strategies: which is best, who keeps the bound, was there a choice."""

from __future__ import annotations

import json

from cep_core.experiments.loads import Setting
from jobs.reports.comparisons.shedding_answer import answer, bound_kept, choice_text, over_what, yardsticks
from jobs.reports.comparisons.shedding_rows import shedding_of
from jobs.reports.figures.shed_hours import dropped_figure, latency_figure, missed_figure
from tests.reports.lake.small_days import DAY
from tests.reports.lake.small_shedding import BOUND, measured
from tests.reports.pages.shedding_rows import CLOCK, TOLD, of


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


def test_a_day_without_matches() -> None:
    """Nothing could be missed, whatever was dropped."""
    nothing = shedding_of(measured(matches=0))
    assert nothing is not None
    assert answer(nothing) == (f"{TOLD} nothing could be missed: late_chains and snowball had no matches on this day.")
    assert not any(outcome.has_matches(name) for outcome in nothing.attainable for name in (None, *nothing.queries))
    assert missed_figure(nothing, DAY, CLOCK) is None
    assert nothing.outcomes[0].lost_of("snowball").mean == 0


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
    assert choice_text(shedding) == ""
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
    assert yardsticks(of(none=0, pSPICE=0, clairvoyant=0)) == choice_text(of(none=0, pSPICE=0, clairvoyant=0)) == ""
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

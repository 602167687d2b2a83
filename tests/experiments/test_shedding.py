"""Shedding strategies compared: the rows of an experiment and their summary."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pytest

from cep_core.events.table import log_schema_of, order
from cep_core.experiments.shedding_rows import compare_shedding, scenario_of, summarise
from cep_core.language.patterns.bind.binding import bind
from cep_core.shedding.arrays.costs import Costs
from cep_core.shedding.replaying import Experiment
from tests.shedding.worlds import planted

DROPPING = {"pSPICE", "pSPICE--", "pSPICE by partition", "PM-BL", "trend counts", "greedy look-ahead", "clairvoyant"}
"""Strategies that drop partial matches."""


@pytest.fixture(scope="module")
def compared():
    return compare_shedding(planted(1, 3_000), loads=(0.5, 1.5), seeds=(0, 1, 2))


def test_every_strategy_at_every_load(compared):
    names = set(compared["strategy"].to_pylist())
    assert names == {"none", "E-BL", *DROPPING}
    assert {json.loads(text)["load"] for text in compared["parameters"].to_pylist()} == {0.5, 1.5}
    assert compared.equals(compare_shedding(planted(1, 3_000), loads=(0.5, 1.5), seeds=(0, 1, 2)))


def test_mean_spread_and_number_of_seeds(compared):
    lost = {(row["strategy"], row["load"]): row for row in summarise(compared).to_pylist() if row["metric"] == "lost"}
    assert lost["PM-BL", 1.5]["n"] == lost["E-BL", 1.5]["n"] == 3
    assert lost["pSPICE", 1.5]["n"] == 1
    assert lost["PM-BL", 1.5]["deviation"] > 0 == lost["pSPICE", 1.5]["deviation"]
    assert 0 < lost["greedy look-ahead", 1.5]["mean"] <= lost["pSPICE", 1.5]["mean"] < lost["PM-BL", 1.5]["mean"]
    assert lost["none", 1.5]["mean"] == 0


def test_nothing_is_lost_by_an_operator_that_keeps_up(compared):
    rows = [row for row in compared.to_pylist() if json.loads(row["parameters"])["load"] == 0.5]
    assert {row["value"] for row in rows if row["metric"] in ("lost", "false_positives", "late_events")} == {0.0}


def test_parts_of_the_day_add_up_to_the_day(compared):
    """At one load, for the first seed: events, what was dropped, late events and missed matches."""
    periods: dict[str, dict[str, list[float]]] = {}
    whole: dict[tuple[str, str], float] = {}
    states: dict[str, list[float]] = {}
    for row in compared.to_pylist():
        about = json.loads(row["parameters"])
        if "state" in about:
            states.setdefault(row["strategy"], []).append(row["value"])
        elif "from" in about:
            assert (about["load"], row["seed"]) == (1.5, 0)
            periods.setdefault(row["strategy"], {}).setdefault(row["metric"], []).append(row["value"])
        elif about["load"] == 1.5 and row["seed"] == 0 and "query" not in about:
            whole[row["strategy"], row["metric"]] = row["value"]
    assert len(periods) == 2 + len(DROPPING)
    for strategy, numbers in periods.items():
        assert {len(values) for values in numbers.values()} == {24}
        assert sum(numbers["period_events"]) == 1_500
        assert sum(numbers["period_dropped"]) == sum(states[strategy]) == whole[strategy, "dropped"]
        assert len(states[strategy]) == 3
        assert sum(numbers["period_missed"]) == whole[strategy, "false_negatives"]
        assert sum(numbers["period_late_events"]) / 1_500 == pytest.approx(whole[strategy, "late_events"])
        assert max(numbers["period_latency_max"]) == whole[strategy, "latency_p100"]
        assert all(
            mean <= worst
            for mean, worst in zip(numbers["period_latency_mean"], numbers["period_latency_max"], strict=True)
        )
    assert sum(periods["none"]["period_dropped"]) == 0 < sum(periods["pSPICE"]["period_missed"])


def test_the_day_told_is_one_of_those_measured():
    """140 % where it is measured, else the load in the middle; a short interval has no more parts than moments."""

    def day_of(loads: tuple[float, ...], count: int) -> tuple[set[float], int]:
        scenario = planted(1, count)
        rows = [
            json.loads(text) for text in compare_shedding(scenario, loads=loads, seeds=(3,))["parameters"].to_pylist()
        ]
        parts = {(about["from"], about["to"]) for about in rows if "from" in about}
        assert sorted(parts)[0][0] == scenario.begin
        assert sorted(parts)[-1][1] == scenario.end
        return {about["load"] for about in rows if "from" in about}, len(parts)

    assert day_of((1.2, 1.4), 200) == ({1.4}, 24)
    assert day_of((2.0, 1.2, 1.6), 20) == ({1.6}, 10)


def test_settings_say_over_what_a_load_is_and_with_which_bound():
    """Loads over the busiest span are loads over the interval, divided by how much busier it is; so is the one told."""
    scenario = planted(1, 3_000)
    table = compare_shedding(scenario, loads=(1.2, 1.4), busiest=300, bounds=(4_000, 20_000, 40_000), seeds=(0,))
    begin, end, busy = Experiment(scenario).busiest(300)
    abouts = [json.loads(text) for text in table["parameters"].to_pylist()]
    tried = {(a["load"], a["load_over"], a["bound_ns"], a.get("told", False)) for a in abouts}
    assert tried == {
        (1.2, "day", 40_000, False),
        (1.4, "day", 40_000, False),
        (1.2, "busiest", 40_000, False),
        (1.4, "busiest", 40_000, True),
        (1.4, "busiest", 4_000, False),
        (1.4, "busiest", 20_000, False),
    }
    assert {(a["busiest_from"], a["busiest_to"]) for a in abouts if a["load_over"] == "busiest"} == {(begin, end)}
    for about in (a for a in abouts if a["load_over"] == "busiest"):
        assert about["load_over_day"] * busy == pytest.approx(about["load"])
    assert {a["load_over"] for a in abouts if "from" in a} == {"busiest"}
    lost = {
        (row["load_over"], row["bound_ns"]): row["mean"]
        for row in summarise(table).to_pylist()
        if (row["strategy"], row["load"], row["metric"]) == ("PM-BL", 1.4, "lost")
    }
    assert lost["busiest", 40_000] < lost["day", 40_000]
    assert lost["busiest", 40_000] <= lost["busiest", 20_000] <= lost["busiest", 4_000]


def test_a_share_of_choice_is_told_where_something_had_to_go(compared):
    """Never of what drops nothing, nor of a strategy whose events leave; a clairvoyant may have nothing to drop."""
    choice = {
        (row["strategy"], json.loads(row["parameters"])["load"]): row["value"]
        for row in compared.to_pylist()
        if row["metric"] == "choice"
    }
    assert {name for name, _ in choice} | {"clairvoyant"} == DROPPING
    assert {load for _, load in choice} == {1.5}
    assert 0 < choice["pSPICE", 1.5] <= 1


def test_the_price_of_the_day_is_told(compared):
    """Costs, weights and training beside what the day costs unshed; one row a load."""
    rows = [row for row in compared.to_pylist() if row["metric"] == "virtual_cost"]
    assert [row["strategy"] for row in rows] == ["none", "none"]
    about = json.loads(rows[0]["parameters"])
    assert about["costs"]["states"] == {"ABC": [50, 50, 50]}
    assert (about["weights"], about["trained_events"]) == ({"ABC": 1.0}, 1_500)
    assert rows[0]["value"] == rows[1]["value"] > 0


def test_several_queries_are_one_operator():
    """Matches of each query add up, with weights; events after the interval play no part."""
    rng = np.random.default_rng(2)
    kinds, ts = rng.choice(list("ABC"), 300), np.arange(300)
    log = order(pa.table({"event_type": kinds, "ts": ts, "k": rng.integers(0, 2, 300)}))
    schema = log_schema_of(log)
    queries = {
        "ab": bind("PATTERN SEQ(A a, B b) WHERE skip_till_any_match { [k] } WITHIN 20", schema),
        "c": bind("PATTERN SEQ(C a, C b) WHERE skip_till_next_match WITHIN 10", schema),
    }
    costs = Costs(((5, 5), (7, 7)), event=3, lookup=1, drop=1, draw=1)
    compared = summarise(
        compare_shedding(scenario_of(queries, log, (100, 250), costs, 500, weights={"c": 2.0}), loads=(1.5,))
    )
    measured = {(row["strategy"], row["metric"]): row["mean"] for row in compared.to_pylist() if row["query"] is None}
    by_query = {
        (row["strategy"], row["query"], row["metric"]): row["mean"] for row in compared.to_pylist() if row["query"]
    }

    def brute(first: str, last: str, within: int, *, same: bool, once: bool) -> int:
        matches = 0
        for i in range(300):
            partners = [
                j
                for j in range(i + 1, min(250, i + within + 1))
                if kinds[i] == first and kinds[j] == last and (not same or log["k"][i] == log["k"][j])
            ]
            matches += sum(j >= 100 for j in (partners[:1] if once else partners))
        return matches

    expected = {"ab": brute("A", "B", 20, same=True, once=False), "c": brute("C", "C", 10, same=False, once=True)}
    assert measured["none", "matches"] == sum(expected.values())
    assert {name: by_query["none", name, "query_matches"] for name in queries} == expected
    missed = {name: by_query["pSPICE", name, "query_missed"] for name in queries}
    assert measured["pSPICE", "false_negatives"] == missed["ab"] + 2 * missed["c"]
    assert measured["pSPICE", "false_negatives"] > 0 == measured["pSPICE", "false_positives"]

"""Shedding strategies compared: the rows of an experiment and their summary."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pytest

from cep_core.events.table import log_schema_of, order
from cep_core.experiments.shedding import compare_shedding, scenario_of, summarise
from cep_core.language.patterns.binding import bind
from cep_core.shedding.costs import Costs
from tests.shedding.worlds import planted


@pytest.fixture(scope="module")
def compared():
    return compare_shedding(planted(1, 3_000), loads=(0.5, 1.5), seeds=(0, 1, 2))


def test_every_strategy_at_every_load(compared):
    names = set(compared["strategy"].to_pylist())
    assert names == {"none", "pSPICE", "pSPICE--", "PM-BL", "E-BL", "trend counts", "hindsight"}
    assert {json.loads(text)["load"] for text in compared["parameters"].to_pylist()} == {0.5, 1.5}
    assert compared.equals(compare_shedding(planted(1, 3_000), loads=(0.5, 1.5), seeds=(0, 1, 2)))


def test_mean_spread_and_number_of_seeds(compared):
    lost = {(row["strategy"], row["load"]): row for row in summarise(compared).to_pylist() if row["metric"] == "lost"}
    assert lost["PM-BL", 1.5]["n"] == lost["E-BL", 1.5]["n"] == 3
    assert lost["pSPICE", 1.5]["n"] == 1
    assert lost["PM-BL", 1.5]["deviation"] > 0 == lost["pSPICE", 1.5]["deviation"]
    assert 0 < lost["hindsight", 1.5]["mean"] <= lost["pSPICE", 1.5]["mean"] < lost["PM-BL", 1.5]["mean"]
    assert lost["none", 1.5]["mean"] == 0


def test_nothing_is_lost_by_an_operator_that_keeps_up(compared):
    rows = [row for row in compared.to_pylist() if json.loads(row["parameters"])["load"] == 0.5]
    assert {row["value"] for row in rows if row["metric"] in ("lost", "false_positives", "late_events")} == {0.0}


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
    measured = {(row["strategy"], row["metric"]): row["mean"] for row in compared.to_pylist()}

    def brute(first: str, last: str, within: int, *, same: bool, once: bool) -> int:
        found = 0
        for i in range(300):
            partners = [
                j
                for j in range(i + 1, min(250, i + within + 1))
                if kinds[i] == first and kinds[j] == last and (not same or log["k"][i] == log["k"][j])
            ]
            found += sum(j >= 100 for j in (partners[:1] if once else partners))
        return found

    expected = brute("A", "B", 20, same=True, once=False) + brute("C", "C", 10, same=False, once=True)
    assert measured["none", "matches"] == expected
    assert measured["pSPICE", "false_negatives"] > 0 == measured["pSPICE", "false_positives"]

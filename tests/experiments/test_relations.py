"""What pSPICE's figures say, asked of small grids: the project's own, with fewer seeds and places.

What does not hold here, and why, is told on the page of experiments and in docs/experiments.md; a test of such a
relation says what holds instead.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from cep_core.experiments.grids import grid_of
from cep_core.experiments.measuring import measure_cell
from cep_core.experiments.relations import RELATIONS, judged
from cep_core.experiments.summaries import Summary, summary_of

GRIDS = Path(__file__).parents[2] / "workloads" / "nyc_flights" / "experiments"


@cache
def measured(name: str, strategies: Sequence[str], seeds: int, **axes: Sequence[float]) -> Summary:
    """A grid of the project with other strategies, seeds and axes."""
    yaml = pytest.importorskip("yaml")
    grid = grid_of(name, yaml.safe_load((GRIDS / f"{name}.yaml").read_text()))
    grid = replace(grid, strategies=strategies, seeds=tuple(range(seeds)), axes={**grid.axes, **axes})
    rows = [row for cell in grid.cells for row in measure_cell(grid, cell, GRIDS).to_pylist()]
    return summary_of(rows)


def lost(summary: Summary, axis: str, strategy: str) -> list[float]:
    return [point["lost"] for point in summary.along(axis, strategy)]


def assert_agrees(summary: Summary, *names: str) -> None:
    for name, verdict in judged(summary, names).items():
        assert verdict.agrees, f"{name}: {verdict.finding}"


def test_xl2_pspice_loses_less_than_chance_and_more_where_more_match():
    """Fig. 5a: windows from 3,500 to 10,000 quotes span match probabilities from below 10 % to above 80 %."""
    summary = measured("q1_match_probability", ("pSPICE", "PM-BL"), 2, window=(3500, 5500, 10_000))
    likely = [point["match_probability"] for point in summary.along("window", "pSPICE")]
    assert likely[0] < 0.1
    assert likely[-1] > 0.8
    assert_agrees(summary, "loses_less_unless_likely", "advantage_shrinks")
    assert lost(summary, "window", "pSPICE") == sorted(lost(summary, "window", "pSPICE"))


def test_xl2_dropping_events_is_worse_where_few_match_if_no_event_is_irrelevant():
    """Fig. 5a's E-BL, on a market of the ten companies that Q1 names."""
    summary = measured("q1_ten_companies", ("pSPICE", "PM-BL", "E-BL"), 2, window=(110, 160))
    assert max(point["match_probability"] for point in summary.along("window", "pSPICE")) < 0.5
    for own, chance, events in zip(*(lost(summary, "window", name) for name in summary.strategies), strict=True):
        assert own < chance < events


def test_xl2_dropping_events_loses_nothing_where_most_are_irrelevant():
    """490 of 500 companies are in no pattern: they go first, which is enough."""
    summary = measured("q1_match_probability", ("E-BL",), 1, window=(3500,))
    assert lost(summary, "window", "E-BL") == [0.0]


def test_xl3_with_repetition():
    """Fig. 5b."""
    summary = measured("q2_match_probability", ("pSPICE", "PM-BL"), 2, window=(6000, 8000, 14_000))
    assert_agrees(summary, "loses_less_unless_likely")


def test_xl4_more_defenders_or_buses_match_less():
    """Fig. 5c and d: match probability falls with n."""
    for name, ns in (("q3_match_probability", (2, 4, 6)), ("q4_match_probability", (3, 10))):
        likely = [point["match_probability"] for point in measured(name, ("pSPICE",), 1, n=ns).along("n", "pSPICE")]
        assert likely == sorted(likely, reverse=True)
        assert len(set(likely)) == len(ns)


def test_xl4_buses():
    """Fig. 5d: pSPICE loses less than chance, most so where few match; dropping events gains where many do."""
    summary = measured("q4_match_probability", ("pSPICE", "PM-BL", "E-BL"), 2, n=(3, 10))
    assert_agrees(summary, "loses_less_unless_likely", "grows_with_match_probability", "events_gain")


def test_xl5_more_load_more_loss():
    """Fig. 6: pSPICE loses less than chance at every rate, and all lose more at a higher one."""
    summary = measured("q1_rate", ("pSPICE", "PM-BL"), 2, load=(1.2, 1.6, 2.0))
    assert_agrees(summary, "better_than_chance_at_every_load")
    for strategy in ("pSPICE", "PM-BL"):
        assert lost(summary, "load", strategy) == sorted(lost(summary, "load", strategy))


def test_xl6_latency_keeps_the_bound_over_time():
    """Fig. 7: in each of 24 parts of the judged events, while without shedding the bound breaks."""
    summary = measured("q2_latency", ("none", "pSPICE"), 1)
    assert_agrees(summary, "keeps_the_bound", "bound_breaks_without")
    for point in summary.along("load", "pSPICE"):
        assert max(spread.mean for name, spread in point.metrics.items() if name.startswith("latency_part")) <= 1e9


def test_xl7_remaining_time_matters_the_more_the_dearer_one_query_is():
    """Fig. 8."""
    summary = measured("q1_q2_remaining_time", ("pSPICE", "pSPICE--"), 2, tau_factor=(1, 4, 16))
    assert_agrees(summary, "time_matters", "equal_at_low_factors")


def test_xl8_dropping_partial_matches_is_cheaper_than_dropping_events():
    """Fig. 9a: at every window, and dropping events gets dearer the more windows overlap."""
    summary = measured("q1_match_probability", ("pSPICE", "PM-BL", "E-BL"), 1, window=(3500, 10_000))
    assert_agrees(summary, "cheaper_than_events", "events_cost_grows")
    assert max(point["overhead"] for point in summary.along("window", "pSPICE")) < 0.01


def made_up(**lost_by: Sequence[float]) -> Summary:
    """Strategies' losses at match probabilities 10 %, 50 % and 90 %, and at as many loads, factors and windows."""
    rows = []
    for strategy, losses in lost_by.items():
        for place, loss in enumerate(losses):
            setting = json.dumps({"load": 1.2 + place, "tau_factor": 1 + place, "window": 100 * (place + 1)})
            metrics = {
                "lost": loss,
                "match_probability": (0.1, 0.5, 0.9)[place],
                "late_events": loss,
                "overhead": loss,
            }
            rows += [
                {"strategy": strategy.replace("_", "-"), "parameters": setting, "metric": metric, "value": value}
                for metric, value in metrics.items()
            ]
    return summary_of(rows)


@pytest.mark.parametrize(
    ("name", "holds", "fails"),
    [
        ("loses_less_unless_likely", {"pSPICE": (0.1, 0.2, 0.9)}, {"pSPICE": (0.1, 0.5, 0.1)}),
        ("grows_with_match_probability", {"pSPICE": (0.1, 0.2, 0.3)}, {"pSPICE": (0.3, 0.2, 0.1)}),
        ("advantage_shrinks", {"pSPICE": (0.1, 0.2, 0.4)}, {"pSPICE": (0.4, 0.2, 0.1)}),
        ("events_gain", {"E_BL": (0.9, 0.5, 0.1)}, {"E_BL": (0.0, 0.0, 0.0)}),
        ("events_win_only_when_likely", {"E_BL": (0.9, 0.5, 0.1)}, {"E_BL": (0.0, 0.0, 0.0)}),
        ("more_load_more_loss", {}, {"E_BL": (0.0, 0.0, 0.0)}),
        ("best_at_every_load", {}, {"E_BL": (0.6, 0.1, 0.6)}),
        ("better_than_chance_at_every_load", {"E_BL": (0.0, 0.0, 0.0)}, {"PM_BL": (0.4, 0.0, 0.4)}),
        ("keeps_the_bound", {"pSPICE": (0.0, 0.0, 0.0)}, {"pSPICE": (0.0, 0.0, 0.1)}),
        ("bound_breaks_without", {}, {"none": (0.0, 0.5, 0.5)}),
        ("time_matters", {"pSPICE__": (0.1, 0.3, 0.6)}, {"pSPICE__": (0.1, 0.2, 0.3)}),
        ("equal_at_low_factors", {"pSPICE__": (0.1, 0.3, 0.6)}, {"pSPICE__": (0.2, 0.3, 0.6)}),
        ("cheaper_than_events", {}, {"E_BL": (0.0, 0.0, 0.0)}),
        ("chance_is_cheaper_still", {"PM_BL": (0.0, 0.1, 0.1)}, {"PM_BL": (0.0, 0.1, 0.9)}),
        ("events_cost_grows", {}, {"E_BL": (0.6, 0.6, 0.5)}),
    ],
)
def test_a_relation_is_asked_of_the_numbers(name, holds, fails):
    """It holds for one made-up summary and fails for another, and tells numbers either way."""
    usual = {
        "none": (0.5, 0.5, 0.5),
        "pSPICE": (0.1, 0.2, 0.3),
        "pSPICE__": (0.1, 0.2, 0.3),
        "PM_BL": (0.3, 0.35, 0.4),
        "E_BL": (0.5, 0.6, 0.7),
    }
    for changed, agrees in ((holds, True), (fails, False)):
        verdict = RELATIONS[name].judge(made_up(**{**usual, **changed}))
        assert verdict.agrees is agrees, verdict.finding
        assert any(letter.isdigit() for letter in verdict.finding)


def test_every_relation_is_tried():
    [marks] = test_a_relation_is_asked_of_the_numbers.pytestmark
    assert {case[0] for case in marks.args[1]} == set(RELATIONS)

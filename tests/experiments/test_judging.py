"""What judges a relation of a figure: it holds for one made-up summary, and fails for another."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest

from cep_core.experiments.grids.relations import RELATIONS
from cep_core.experiments.grids.summaries import Summary, summary_of


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
                "model_time": 1e8 * loss,
                "model_share": loss / 100,
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
        ("chance_wins_when_likely", {"PM_BL": (0.4, 0.5, 0.2)}, {"PM_BL": (0.0, 0.1, 0.5)}),
        ("grows_with_match_probability", {"pSPICE": (0.1, 0.2, 0.3)}, {"pSPICE": (0.3, 0.2, 0.1)}),
        ("advantage_shrinks", {"pSPICE": (0.1, 0.2, 0.4)}, {"pSPICE": (0.4, 0.2, 0.1)}),
        ("events_gain", {"E_BL": (0.9, 0.5, 0.1)}, {"E_BL": (0.0, 0.0, 0.0)}),
        ("events_win_only_when_likely", {"E_BL": (0.9, 0.5, 0.1)}, {"E_BL": (0.0, 0.0, 0.0)}),
        ("more_load_more_loss", {}, {"E_BL": (0.5, 0.3, 0.7)}),
        ("best_at_every_load", {}, {"E_BL": (0.6, 0.1, 0.6)}),
        ("better_than_chance_at_every_load", {"E_BL": (0.0, 0.0, 0.0)}, {"PM_BL": (0.4, 0.0, 0.4)}),
        ("keeps_the_bound", {"pSPICE": (0.0, 0.0, 0.0)}, {"pSPICE": (0.0, 0.0, 0.1)}),
        ("bound_breaks_without", {}, {"none": (0.0, 0.5, 0.5)}),
        ("time_matters", {"pSPICE__": (0.1, 0.3, 0.6)}, {"pSPICE__": (0.1, 0.2, 0.3)}),
        ("equal_at_low_factors", {"pSPICE__": (0.1, 0.3, 0.6)}, {"pSPICE__": (0.2, 0.3, 0.6)}),
        ("cheaper_than_events", {}, {"E_BL": (0.0, 0.0, 0.0)}),
        ("chance_is_cheaper_still", {"PM_BL": (0.0, 0.1, 0.1)}, {"PM_BL": (0.0, 0.1, 0.9)}),
        ("events_cost_grows", {}, {"E_BL": (0.6, 0.6, 0.5)}),
        ("model_takes_longer", {}, {"pSPICE": (0.1, 0.2, 0.2)}),
        ("model_is_small", {}, {"pSPICE": (0.1, 0.2, 1.1)}),
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

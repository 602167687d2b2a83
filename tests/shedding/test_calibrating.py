"""Measured costs: what planted times are explained by, and what the command prints."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from cep_core.shedding.training.calibrating import calibrate, fit_costs
from jobs.cli import main
from jobs.workload.declaration import load_workload
from tests.reports.lake.small_lake import write_lake
from tests.reports.lake.small_workload import WORKLOAD, write_workload
from tests.shedding.worlds import planted


@settings(max_examples=30, deadline=None)
@given(st.lists(st.floats(1, 1e4), min_size=3, max_size=6), st.integers(0, 2**32))
def test_planted_costs_are_found_where_counts_tell_states_apart(costs: list[float], seed: int) -> None:
    """Within what being drawn towards a common cost may move them."""
    rng = np.random.default_rng(seed)
    counts = np.column_stack([np.ones(64), rng.integers(50, 200, 64), rng.integers(0, 5_000, (64, len(costs) - 2))])
    fitted = fit_costs(counts.astype(float), counts @ np.array(costs))
    assert (fitted >= 0).all()
    states = np.array(costs[2:])
    np.testing.assert_allclose(fitted[2:], states, atol=0.02 * (states.max() - states.min()) + 1e-6 * max(costs))


def test_states_that_always_come_together_cost_the_same() -> None:
    """Nothing tells them apart."""
    rng = np.random.default_rng(3)
    met = rng.integers(0, 900, 64)
    counts = np.column_stack([np.ones(64), rng.integers(50, 200, 64), met, met]).astype(float)
    fitted = fit_costs(counts, counts @ np.array([40.0, 300.0, 10.0, 90.0]))
    np.testing.assert_allclose(fitted, [40, 300, 50, 50], rtol=1e-3)


def test_an_operator_is_measured_and_every_cost_can_be_declared() -> None:
    """Each event and each state but the final one; the least lies below the median, the most above."""
    scenario = planted(1, 2_000)
    measured = calibrate(scenario.patterns, scenario.ts, repetitions=3)
    assert [len(states) for states in measured.states] == [3]
    assert measured.events == 2_000
    assert measured.meetings > 2_000
    for spread in (measured.event, *measured.states[0], *measured.parts):
        assert 0 <= spread.least <= spread.median <= spread.most
        assert spread.whole >= 1
    with pytest.raises(ValueError, match="no events"):
        calibrate(list(scenario.patterns), scenario.ts[:0])


def test_the_command_prints_what_a_workload_accepts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A query that does not ask for shedding yet is measured when named; what is printed makes it ask."""
    folder = tmp_path / "workloads" / "lines"
    write_workload(folder)
    write_lake(tmp_path / "lake")
    monkeypatch.setenv("TRENDMILL_WORKLOADS", str(tmp_path / "workloads"))
    monkeypatch.setenv("TRENDMILL_LAKE", str(tmp_path / "lake"))
    assert main(["calibrate", "lines", "snowball", "--repeat", "2"]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("# ")
    assert "median [least..most] of 2 repetitions" in printed
    (folder / "workload.yaml").write_text(WORKLOAD + printed)
    workload = load_workload("lines")
    assert [len(own.costs) for own in workload.shed_queries.values()] == [3]
    assert workload.shedding is not None
    assert workload.shedding.costs.event >= 1
    assert set(yaml.safe_load(printed)) == {"queries", "shedding"}
    assert main(["check", "lines"]) == 0
    for arguments, message in (
        (["calibrate", "lines", "snowbal"], "has no query 'snowbal'; did you mean 'snowball'?"),
        (["calibrate", "lines", "late_chains"], "shedding an aggregation is not supported yet"),
        (["calibrate", "lines", "--days", "0"], "at least 1"),
    ):
        assert main(arguments) == 2
        assert message in capsys.readouterr().err

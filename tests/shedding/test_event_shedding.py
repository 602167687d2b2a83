"""Events that leave windows: which types go, with which probability, and what that brings."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from cep_core.shedding.arrays.costs import Costs
from cep_core.shedding.arrays.rules import WITHOUT
from cep_core.shedding.kernels.dropping import share_to_drop
from cep_core.shedding.replaying import Experiment, Scenario
from cep_core.shedding.shedders.events import Events, spread_over_types
from cep_core.shedding.shedders.nothing import Nothing
from cep_core.shedding.shedders.pspice import PSpice
from cep_core.shedding.shedders.shedder import detector_of
from tests.shedding.worlds import planted, sequence


def test_l17_events_leave_windows_until_the_same_bound_is_met():
    experiment = Experiment(planted(2))
    measured, unshed = experiment.measure(Events(), 1.5), experiment.measure(Nothing(), 1.5)
    assert measured.quality.dropped > 0
    assert measured.quality.late < 0.2 < unshed.quality.late


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32), st.integers(1, 12), st.floats(0, 1))
def test_l17_types_go_by_their_lack_of_utility_and_the_share_wanted_goes(seed, types, wanted):
    """Of equal lack equally, never a more useful type rather than a less useful one."""
    rng = np.random.default_rng(seed)
    repeated, counts = rng.integers(0, 4, types).astype(float), rng.integers(0, 9, types)
    assume(counts.any())
    shares = counts / counts.sum()
    lack, wanted_at, scale_at = spread_over_types(repeated, shares)
    rules = WITHOUT._replace(lack=lack, wanted_at=wanted_at, scale_at=scale_at)
    goes = np.array([share_to_drop(rules, kind, wanted) for kind in range(types)])
    assert goes @ shares == pytest.approx(wanted, abs=1e-6)
    utility = repeated * shares
    for lower in range(types):
        for higher in range(types):
            if utility[lower] <= utility[higher]:
                assert goes[lower] >= goes[higher] - 1e-12
    partly = (goes > 0) & (goes < 1)
    if partly.any():
        assert np.ptp(goes[partly] / lack[partly]) <= 1e-6 * scale_at[-1]


def test_l17_types_that_no_pattern_wants_go_more_readily():
    """But not alone: every type goes with some probability."""
    experiment = Experiment(planted(2, wanted="ABC", alphabet="ABCDEFGH"))
    rules = Events().rules(experiment.model, detector_of(Events(), experiment.model, 1000), 0)
    goes = [share_to_drop(rules, kind, 0.2) for kind in range(8)]
    assert 0.1 < max(goes[:3]) < min(goes[3:])
    assert goes[3:] == [goes[3]] * 5


def test_l17_false_positives_under_negation_are_reported():
    """seq(A; not N; B): an N that leaves the window brings a match that is none."""
    rng = np.random.default_rng(1)
    letters = rng.choice(list("ABNX"), 6_000, p=[0.1, 0.1, 0.3, 0.5])
    kills = np.zeros((len(letters), 2), bool)
    kills[:, 1] = letters == "N"
    plain = sequence(letters, "AB", 40, opening=np.arange(len(letters)) % 2 == 0)
    scenario = Scenario(
        [replace(plain, kills=kills)],
        np.arange(len(letters)),
        3_000,
        6_000,
        Costs(((50, 50),), event=10, draw=1, drop=1, lookup=1),
        np.searchsorted(np.array(list("ABNX")), letters),
        5_000,
    )
    experiment = Experiment(scenario)
    assert sum(experiment.measure(Events(), 1.8).quality.invented) > 0
    assert sum(experiment.measure(PSpice(), 1.8).quality.invented) == 0

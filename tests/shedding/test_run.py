"""A run's limits: an operator that would need more memory than there is ends with a message, not with the machine."""

from __future__ import annotations

import numpy as np
import pytest

from cep_core.shedding import operator_run as runs
from cep_core.shedding.replaying import Experiment
from tests.shedding.worlds import planted


@pytest.mark.parametrize("limit", ["MOST_ALIVE", "MOST_RECORDED"])
def test_too_many_partial_matches_are_refused_before_they_are_made(monkeypatch: pytest.MonkeyPatch, limit: str) -> None:
    """The event is named, and what it may bring."""
    letters = "".join(map(chr, range(65, 265)))  # so many that a partial match waits long for the next one
    scenario = planted(1, 20_000, wanted=letters[:9], alphabet=letters, each=1, size=9_000)
    monkeypatch.setattr(runs, limit, 1_000)
    with pytest.raises(runs.TooManyPartialMatches, match=r"event [\d,]+ of 20,000 may bring [\d,]+ partial matches"):
        Experiment(scenario)


def test_a_run_within_its_limits_is_as_it_was() -> None:
    """Nothing is refused that fits."""
    experiment = Experiment(planted(1, 2_000))
    assert experiment.unshed.at == len(experiment.scenario.ts)
    assert np.all(experiment.unshed.account.work > 0)

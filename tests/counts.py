"""How many examples the dearest properties draw: few in every run of the tests, many in a deep one."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

DEEP = "deep"
"""The profile of `make test-deep`."""
TIMES = 10
"""How many times as many examples a deep run draws, of every property."""


def few(examples: int) -> settings:
    """A property that draws so many examples, and ten times as many in a deep run.

    For properties that would take more than about five seconds of a core with Hypothesis' usual hundred. A smaller
    number has been tried against kernels with planted mistakes before it is written down.
    """
    deep = os.environ.get("HYPOTHESIS_PROFILE") == DEEP
    return settings(
        max_examples=examples * (TIMES if deep else 1),
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
    )

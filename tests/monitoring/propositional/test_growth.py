"""What the whole-log engine costs, in lines of its kernels: points count; intervals and rates do not.

Sub-logs begin and end somewhere, so many short ones take more than one long one: at most twice as much, as measured.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from cep_core.language.temporal.formulas import Formula
from cep_core.monitoring.propositional.arrays.trace import Trace
from cep_core.monitoring.propositional.evaluation import truths
from tests.monitoring.kernel_steps import Steps, kernel_steps
from tests.monitoring.propositional.streamed import core_of

FORMULAS = (
    "p SINCE[0,{0}] q",
    "p UNTIL[3,{0}] q",
    "q IMPLIES EVENTUALLY[0,{0}] (ALWAYS[0,{0}] (NOT q))",
    "PREV[0,{0}] q",
)


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> Iterator[Steps]:
    with kernel_steps("cep_core.monitoring.propositional", monkeypatch) as counted:
        yield counted


def log(points: int, *, rate: int = 1, sub_logs: int = 1) -> Trace:
    """Points of equal sub-logs, `rate` of each stamp."""
    drawn, each = np.random.default_rng(7), points // sub_logs
    atoms = {"p": drawn.random(points) < 0.9, "q": drawn.random(points) < 0.1}
    return Trace(np.tile(np.arange(each) // rate, sub_logs), atoms, np.arange(0, points + 1, each))


@pytest.mark.parametrize("text", FORMULAS)
def test_points_alone_make_the_cost_grow(text: str, steps: Steps) -> None:
    def cost(interval: int, trace: Trace) -> int:
        core: Formula = core_of(text.format(interval))
        return steps(lambda: truths(core, trace))

    least = cost(5, log(1024))
    assert least > 1024
    for interval in (100, 10_000):
        assert cost(interval, log(1024)) <= 1.05 * least
    for rate in (16, 1024):
        assert cost(5, log(1024, rate=rate)) <= 1.05 * least
    short = cost(5, log(1024, sub_logs=64))
    assert short <= 2 * least
    assert 1.9 * short <= cost(5, log(2048, sub_logs=128)) <= 2.1 * short
    assert 1.9 * least <= cost(5, log(2048)) <= 2.1 * least

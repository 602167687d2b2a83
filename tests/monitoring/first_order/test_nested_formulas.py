"""Formulas whose parts stand at many places cost what their nodes cost: EQUIV nested in EQUIV has 2**depth parts."""

from __future__ import annotations

import pyarrow as pa
import pytest

import cep_core as cep
from cep_core.compile import parse_text
from cep_core.events.logs.monpoly import read
from cep_core.events.logs.signature import parse_signature
from cep_core.language.first_order.policy import Policy
from cep_core.language.temporal.walk import walk
from cep_core.monitoring.first_order.evaluation import satisfied
from cep_core.monitoring.shared.decided import decided_points

SIGNATURE = "P(x: int) Q(x: int) R(x: int)"


def nested(depth: int) -> str:
    text = "Q(x)"
    for _ in range(depth):
        text = f"(P(x) EQUIV {text})"
    return f"R(x) AND {text}"


def policy_of(depth: int) -> Policy:
    policy = parse_text(nested(depth), "p.mfotl").bind(parse_signature(SIGNATURE)).query
    assert isinstance(policy, Policy)
    return policy


def test_nodes_and_evaluations_grow_with_the_depth() -> None:
    def sizes(depth: int) -> tuple[int, int, int]:
        policy = policy_of(depth)
        log = read("@1 P(1) R(1) R(2) @2 Q(2) P(2) R(2)", policy.schema)
        evaluated: list[int] = []
        satisfied(policy.core, log, policy.types, recorder=lambda part, rows_in, rows: evaluated.append(rows))
        assert decided_points(policy.plain, log.stamps, closed=False) == 2
        return sum(1 for _ in walk(policy.core)), sum(1 for _ in walk(policy.plain)), len(evaluated)

    for few, many in zip(sizes(8), sizes(16), strict=True):
        assert many <= 2.2 * few


@pytest.mark.parametrize("depth", [1, 2, 7, 12])
def test_they_mean_what_they_say(depth: int) -> None:
    """P EQUIV (P EQUIV Q) is Q: an even number of P cancels out."""
    table = cep.monitor(nested(depth), SIGNATURE, "@1 P(1)(3) Q(1)(2) R(1)(2)(3)(4)", end="closed")
    expected = {1, 2} if depth % 2 == 0 else {1, 4}
    assert isinstance(table, pa.Table)
    assert set(table["x"].to_pylist()) == expected

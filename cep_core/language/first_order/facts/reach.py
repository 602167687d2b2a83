"""How far back a policy looks from the moment at which a verdict is certain, and when that is (`docs/semantics.md` 2).

A verdict about a point at `ts` is certain at `ts + FR`, FR the future reach. It is the policy's meaning that counts,
not what is evaluated: rewriting may look ahead where the policy does not, and is equal on every log, cut ones included.
"""

from __future__ import annotations

from cep_core.language.evaluator import Reach
from cep_core.language.first_order.policy import Policy
from cep_core.language.temporal.reach import future_reach, reach_from_certainty


def certain_after(policy: Policy) -> int | None:
    """How long after its point a verdict is certain, in the log's unit; None: not before the log ends."""
    return future_reach(policy.plain)


def reach_of(policy: Policy) -> Reach:
    """The reach of a policy from the moment at which a verdict is certain."""
    return reach_from_certainty(policy.plain, in_sub_logs=bool(policy.for_each))

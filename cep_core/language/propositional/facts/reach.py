"""How far back a policy looks from the moment at which a verdict is certain, and when that is (`docs/semantics.md` 2).

A verdict about a point at `ts` is certain at `ts + FR`, FR the future reach (paper 02, section 3).
"""

from __future__ import annotations

from cep_core.language.evaluator import Reach
from cep_core.language.propositional.policy import PropositionalPolicy
from cep_core.language.temporal.reach import future_reach, reach_from_certainty


def certain_after(policy: PropositionalPolicy) -> int | None:
    """How long after its point a verdict is certain, in the log's unit; None: not before the log ends."""
    return future_reach(policy.core)


def reach_of(policy: PropositionalPolicy) -> Reach:
    """The reach of a policy from the moment at which a verdict is certain."""
    return reach_from_certainty(policy.core, in_sub_logs=bool(policy.for_each))

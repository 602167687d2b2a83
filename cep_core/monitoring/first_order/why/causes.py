"""The causes of one verdict of a first-order policy: its smallest proof.

Cost: that of `proving`, for the events of the verdict's reach.
"""

from __future__ import annotations

from collections.abc import Mapping

from cep_core.events.logs.point_log import PointLog
from cep_core.events.schema import AttributeType
from cep_core.language.first_order.bind.declarations import is_built_in
from cep_core.language.first_order.bind.positions import by_position
from cep_core.language.first_order.policy import Policy
from cep_core.language.first_order.text.printing import formula_text
from cep_core.language.temporal.formulas import Predicate
from cep_core.language.temporal.walk import walk
from cep_core.monitoring.first_order.evaluator import PolicyEvaluator
from cep_core.monitoring.shared.scalars import Value, plain
from cep_core.monitoring.shared.why.proving import ProofMaker
from cep_core.monitoring.shared.why.verdict_causes import Causes, point_at


def causes_of(policy: Policy, log: PointLog, at: tuple[int, int], valuation: Mapping[str, Value]) -> Causes:
    """The causes of the verdict of a policy at (ts, offset) for values of all its free variables.

    `log` has the columns of `columns_of`. Raises ValueError for a point that the log lacks, for values that are not
    those of the free variables, and where the verdict hangs on a term without value.
    """
    return causes_of_point(policy, log, point_at(log, at), valuation)


def causes_of_point(policy: Policy, log: PointLog, point: int, valuation: Mapping[str, Value]) -> Causes:
    """The causes of the verdict at a point, by its index in the log. Raises as `causes_of` for values and terms."""
    own = _checked(policy, valuation)
    texts = frozenset(name for name, kind in policy.types.items() if kind is AttributeType.STRING)
    maker = ProofMaker(log, texts)
    tree = maker.proof(policy.unfolded, point, own, True) or maker.proof(policy.unfolded, point, own, False)
    if tree is None:
        raise ValueError("the verdict hangs on a term without value (division by zero, or more than 64 bits)")
    return Causes(tree, log, lambda formula: formula_text(by_position(formula, policy.schema)), texts)


def columns_of(policy: Policy) -> dict[str, tuple[str, ...]]:
    """The columns of each event type that causes are told by: those that evaluation reads, and those written."""
    columns = {name: dict.fromkeys(own) for name, own in PolicyEvaluator(policy).looked_at.items()}
    for part in walk(policy.unfolded):
        if isinstance(part, Predicate) and not is_built_in(part):
            columns.setdefault(part.event_type, {}).update(dict.fromkeys(part.names or ()))
    return {name: tuple(own) for name, own in columns.items()}


def _checked(policy: Policy, valuation: Mapping[str, Value]) -> dict[str, Value]:
    """The values in their one form. Raises ValueError for names or types that are not those of the free variables."""
    if valuation.keys() != policy.variables.keys():
        wanted, given = (", ".join(names) or "none" for names in (policy.variables, valuation))
        raise ValueError(f"the formula's free variables are {wanted}; values are given for {given}")
    own: dict[str, Value] = {}
    for name, kind in policy.variables.items():
        value = valuation[name]
        is_number = isinstance(value, int | float)
        if kind is AttributeType.FLOAT and is_number:
            value = float(value)
        elif is_number if kind is AttributeType.STRING else not isinstance(value, int):
            raise ValueError(f"{name} is of type {kind.value}, {value!r} is not")
        own[name] = plain(value)
    return own

"""The causes of one verdict, as `cep.why` gives them: its smallest proof, as text and as plain values.

Cost: that of `proving`, for the events of the verdict's reach.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from cep_core.events.logs.point_log import PointLog
from cep_core.events.schema import AttributeType, LogSchema
from cep_core.language.first_order.bind.declarations import is_built_in
from cep_core.language.first_order.bind.positions import by_position
from cep_core.language.first_order.policy import Policy
from cep_core.language.first_order.text.printing import formula_text
from cep_core.language.temporal.formulas import Predicate
from cep_core.language.temporal.walk import walk
from cep_core.monitoring.first_order.evaluator import PolicyEvaluator
from cep_core.monitoring.shared.scalars import Value, plain
from cep_core.monitoring.shared.why.checker import proves
from cep_core.monitoring.shared.why.printing import told
from cep_core.monitoring.shared.why.proof import AnyOther, ProofTree, Reading
from cep_core.monitoring.shared.why.proving import ProofMaker


@dataclass(frozen=True)
class Causes:
    """Why a verdict is as it is. `tree`: its proof, by points of `log`; `texts`: the variables of type string.

    `str` is for people.
    """

    tree: ProofTree
    log: PointLog
    schema: LogSchema
    texts: frozenset[str] = frozenset()

    @property
    def holds(self) -> bool:
        """Whether the formula holds there."""
        return self.tree.holds

    @property
    def is_proof(self) -> bool:
        """Whether the checker accepts the tree."""
        return proves(self.tree, self.log, self.texts)

    def __str__(self) -> str:
        return self.text()

    def text(self, time: Callable[[int], str] = str) -> str:
        """The tree as lines for people; `time` shows a stamp."""
        return told(self.tree, self.log, self.schema, time)

    def to_dict(self) -> dict[str, Any]:
        """The tree in plain values, for JSON: `formula`, `ts`, `offset`, `holds`, `valuation`, `seq`, `children`.

        A variable that stands for every other value has `{"any_but": [values]}`. After the log's end, `ts` is null.
        """
        return self._plain(self.tree)

    def _plain(self, node: ProofTree) -> dict[str, Any]:
        is_end = node.point == self.log.points
        ts = None if is_end else int(self.log.stamps[node.point])
        first = node.point if ts is None else int(np.searchsorted(self.log.stamps, ts))
        plain_node = {
            "formula": formula_text(by_position(node.formula, self.schema)),
            "ts": ts,
            "offset": node.point - first,
            "holds": node.holds,
            "valuation": {name: _plain_reading(value) for name, value in node.valuation.items()},
        }
        number = {} if node.seq is None else {"seq": node.seq}
        return plain_node | number | {"children": [self._plain(child) for child in node.children]}


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
    return Causes(tree, log, policy.schema, texts)


def columns_of(policy: Policy) -> dict[str, tuple[str, ...]]:
    """The columns of each event type that causes are told by: those that evaluation reads, and those written."""
    columns = {name: dict.fromkeys(own) for name, own in PolicyEvaluator(policy).looked_at.items()}
    for part in walk(policy.unfolded):
        if isinstance(part, Predicate) and not is_built_in(part):
            columns.setdefault(part.event_type, {}).update(dict.fromkeys(part.names or ()))
    return {name: tuple(own) for name, own in columns.items()}


def point_at(log: PointLog, at: tuple[int, int]) -> int:
    """The index of a point. Raises ValueError if the log lacks it.

    >>> point_at(PointLog(np.array([3, 5, 5])), (5, 1))
    2
    """
    ts, offset = at
    first, end = (int(np.searchsorted(log.stamps, ts, side)) for side in ("left", "right"))
    if not 0 <= offset < end - first:
        count = f"{end - first} point{'' if end - first == 1 else 's'}"
        raise ValueError(f"the log has {count} at {ts}, none of offset {offset}")
    return first + offset


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


def _plain_reading(value: Reading) -> Any:
    return {"any_but": sorted(value.excluded, key=repr)} if isinstance(value, AnyOther) else value

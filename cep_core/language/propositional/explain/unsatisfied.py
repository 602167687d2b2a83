"""Conditions that no event can meet, such as `delay > 60 AND delay < 5`, `speed < NULL` or `gate = 'A' AND gate = 'B'`.

Looked at are the conjuncts that compare one attribute with constants: together they leave an interval of values, or
none. Everything else might be met. So what is told is certain, and not all is told. Linear in the condition.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from cep_core.language.patterns.tree import (
    MIRRORED,
    Between,
    Comparison,
    Expression,
    In,
    IsNull,
    Literal,
    Logical,
    Reference,
)
from cep_core.language.patterns.walk import conjuncts


@dataclass
class _Values:
    """What is left of an attribute's values: a lowest and a highest bound.

    A bound is a value and a step: 1 for just above the value, -1 for just below, 0 for the value itself. The values of
    an attribute are of one type, so bounds compare as tuples.
    """

    low: tuple[Any, int] | None = None
    high: tuple[Any, int] | None = None
    none_left: bool = False

    def keep(self, operator: str, value: Any) -> None:
        if operator in (">", ">=", "="):
            bound = value, int(operator == ">")
            self.low = bound if self.low is None else max(self.low, bound)
        if operator in ("<", "<=", "="):
            bound = value, -int(operator == "<")
            self.high = bound if self.high is None else min(self.high, bound)
        self.none_left |= self.low is not None and self.high is not None and self.low > self.high


def is_never_met(condition: Expression) -> bool:
    """Whether no event can meet a bound condition, as far as comparisons with constants tell.

    >>> from cep_core.events.schema import Attribute, AttributeType, LogSchema
    >>> from cep_core.language.patterns.bind.conditions import bind_condition
    >>> schema = LogSchema({"D": {"x": Attribute("x", AttributeType.INT), "s": Attribute("s", AttributeType.STRING)}})
    >>> texts = ["x > 5 AND x < 3", "x > 5 OR x < 3", "x >= 5 AND 5 >= x", "s = 'a' AND s = 'b'", "x < NULL"]
    >>> [is_never_met(bind_condition(text, "D", schema).expression) for text in texts]
    [True, False, False, True, True]
    """
    if isinstance(condition, Logical) and condition.operator == "or":
        return all(is_never_met(operand) for operand in condition.operands)
    values: dict[Reference, _Values] = {}
    nulls: set[Reference] = set()
    for part in conjuncts(condition):
        match part:
            case Logical():
                if is_never_met(part):
                    return True
            case Comparison(operator, Reference() as of, Literal(value=value)):
                _keep(values, of, operator, value)
            case Comparison(operator, Literal(value=value), Reference() as of):
                _keep(values, of, MIRRORED[operator], value)
            case Comparison(operator, Literal(value=left), Literal(value=right)):
                if left is None or right is None:
                    return True
            case Between(Reference() as of, Literal(value=low), Literal(value=high)):
                _keep(values, of, ">=", low)
                _keep(values, of, "<=", high)
            case In(Reference(), wanted) if not wanted:
                return True
            case IsNull(Reference() as of):
                nulls.add(of)
    return any(left.none_left for left in values.values()) or not nulls.isdisjoint(values)


def _keep(values: dict[Reference, _Values], of: Reference, operator: str, value: Any) -> None:
    left = values.setdefault(of, _Values())
    if value is None:
        left.none_left = True
    else:
        left.keep(operator, value)

"""Conditions that no event can meet, such as `delay > 60 AND delay < 5`, `speed < NULL` or `gate = 'A' AND gate = 'B'`.

Looked at are the conjuncts that compare one attribute with constants: together they leave an interval of values, or
none. Everything else might be met. So what is told is certain, and not all is told. Linear in the condition.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from cep_core.language.patterns.tree import Between, Comparison, Expression, In, IsNull, Literal, Logical, Reference

_TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "=": "=", "!=": "!="}
Known = int | float | str | bool


@dataclass
class _Values:
    """What is left of an attribute's values: bounds, each with whether it is itself left."""

    low: tuple[Known, bool] | None = None
    high: tuple[Known, bool] | None = None
    none_left: bool = False

    def keep(self, operator: str, value: Known) -> None:
        if operator in (">", ">=", "=") and (self.low is None or self._above((value, operator != ">"))):
            self.low = value, operator != ">"
        if operator in ("<", "<=", "=") and (self.high is None or self._below((value, operator != "<"))):
            self.high = value, operator != "<"
        if self.low is not None and self.high is not None:
            (low, with_low), (high, with_high) = self.low, self.high
            self.none_left |= low > high or (low == high and not (with_low and with_high))  # type: ignore[operator]

    def _above(self, bound: tuple[Known, bool]) -> bool:
        assert self.low is not None
        return bound[0] > self.low[0] or (bound[0] == self.low[0] and not bound[1])  # type: ignore[operator]

    def _below(self, bound: tuple[Known, bool]) -> bool:
        assert self.high is not None
        return bound[0] < self.high[0] or (bound[0] == self.high[0] and not bound[1])  # type: ignore[operator]


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
    for part in _conjuncts(condition):
        match part:
            case Logical():
                if is_never_met(part):
                    return True
            case Comparison(operator, Reference() as of, Literal(value=value)):
                _keep(values, of, operator, value)
            case Comparison(operator, Literal(value=value), Reference() as of):
                _keep(values, of, _TURNED[operator], value)
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


def _keep(values: dict[Reference, _Values], of: Reference, operator: str, value: Known | None) -> None:
    left = values.setdefault(of, _Values())
    if value is None:
        left.none_left = True
    else:
        left.keep(operator, value)


def _conjuncts(condition: Expression) -> Iterator[Expression]:
    if isinstance(condition, Logical) and condition.operator == "and":
        for operand in condition.operands:
            yield from _conjuncts(operand)
    else:
        yield condition

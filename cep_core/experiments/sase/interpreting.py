"""Evaluates conditions over the events of one binding, in plain Python, with SQL's three-valued logic.

The run-by-run engine (`execution_plan`) uses it, for one run and one event at a time. The columnar engines evaluate the
same expressions on columns. Cost: the size of the expression, plus the events of a prefix for an aggregate over it.
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any

from cep_core.aggregates.registry import NAMED
from cep_core.language.patterns.tree import (
    Arithmetic,
    Between,
    Comparison,
    Expression,
    In,
    IsNull,
    Like,
    Literal,
    Logical,
    Negation,
    Negative,
    PrefixAggregate,
    Reference,
    Span,
    Which,
)
from cep_core.language.patterns.values.comparing import COMPARE

Columns = Mapping[str, Sequence[Any]]
"""By attribute, the value of each event."""
Bound = Mapping[str, Sequence[int]]
"""By variable, its events in the order of time."""
Places = Mapping[str, int]
"""By running variable, the place of the event for which a condition is evaluated."""


FOLDS: Mapping[str, Callable[[list[Any]], Any]] = {
    "sum": sum,
    "avg": lambda values: sum(values) / len(values),
}
"""Aggregates of doubles, rounded after each addition. All other aggregates follow their definition."""
ARITHMETIC: Mapping[str, Callable[[Any, Any], Any]] = {"+": operator.add, "-": operator.sub, "*": operator.mul}


def places_of(running: Sequence[str], bound: Bound) -> Iterator[dict[str, int]]:
    """Every choice of one event of each running variable."""
    for choice in product(*(range(len(bound.get(name, ()))) for name in running)):
        yield dict(zip(running, choice, strict=True))


def value_of(expression: Expression, columns: Columns, bound: Bound, at: Places) -> Any:
    """The value of an expression; None is NULL.

    >>> from cep_core.language.patterns.text.parsing import parse_condition
    >>> above = parse_condition("b[i].x > avg(b[..i-1].x)")
    >>> [value_of(above, {"x": [1, 5, 2]}, {"b": [0, 1, 2]}, {"b": i}) for i in (1, 2)]
    [True, False]
    """

    def of(part: Expression) -> Any:
        return value_of(part, columns, bound, at)

    match expression:
        case Literal():
            return expression.value
        case Reference():
            row = _row(expression, bound.get(expression.variable, ()), at.get(expression.variable, 0))
            return None if row is None else columns[expression.attribute][row]
        case PrefixAggregate():
            return _aggregate(expression, columns, bound.get(expression.variable, ()), at.get(expression.variable, 0))
        case Comparison():
            left, right = of(expression.left), of(expression.right)
            return None if left is None or right is None else COMPARE[expression.operator](_place(left), _place(right))
        case Arithmetic():
            return _arithmetic(expression.operator, of(expression.left), of(expression.right))
        case Negative():
            return _arithmetic("-", 0, of(expression.operand))
        case Logical():
            values = [of(operand) for operand in expression.operands]
            decides = expression.operator == "or"
            return decides if decides in values else None if None in values else not decides
        case Negation():
            truth = of(expression.operand)
            return None if truth is None else not truth
        case In():
            operand = of(expression.operand)
            equal = [Comparison("=", expression.operand, value, expression.at) for value in expression.values]
            return None if operand is None else of(Logical("or", tuple(equal), expression.at))
        case Between():
            low = Comparison(">=", expression.operand, expression.low, expression.at)
            high = Comparison("<=", expression.operand, expression.high, expression.at)
            return of(Logical("and", (low, high), expression.at))
        case Like():
            text = of(expression.operand)
            parts = re.split("([%_])", expression.pattern)
            pattern = "".join({"%": ".*", "_": "."}.get(part, re.escape(part)) for part in parts)
            return None if text is None else re.fullmatch(pattern, str(text), re.DOTALL) is not None
        case IsNull(operand=None):
            return not bound.get(str(expression.variable))
        case IsNull():
            assert expression.operand is not None
            return of(expression.operand) is None


def _row(part: Reference, rows: Sequence[int], place: int) -> int | None:
    if part.which is Which.LAST:
        place = len(rows) - 1
    elif part.which is Which.AT:
        place = part.index - 1
    elif part.which is Which.PREVIOUS:
        place -= 1
    return rows[place] if 0 <= place < len(rows) else None


def _aggregate(part: PrefixAggregate, columns: Columns, rows: Sequence[int], place: int) -> Any:
    end = {Span.ALL: len(rows), Span.BEFORE: place, Span.UP_TO: place + 1}[part.span]
    if part.attribute is None:
        return end
    values = [columns[part.attribute][row] for row in rows[:end]]
    present = [value for value in values if value is not None]
    if part.defined is not None:
        return part.defined.of(present)
    if part.function in FOLDS:
        return _known(FOLDS[part.function](present)) if present else None
    return NAMED[part.function].define(values)


def _place(value: Any) -> tuple[bool, Any]:
    """A sort key: NaN equals NaN and exceeds everything else. Python compares integers with floats exactly."""
    return (True, 0) if isinstance(value, float) and math.isnan(value) else (False, value)


def _known(number: Any) -> Any:
    """The number, or NULL for an integer beyond 64 bits."""
    return None if isinstance(number, int) and not -(2**63) <= number < 2**63 else number


def _arithmetic(name: str, left: Any, right: Any) -> Any:
    """As in Spark: `/` of integers is a float, division by zero is NULL, a remainder has the dividend's sign."""
    if left is None or right is None:
        return None
    if name in ARITHMETIC:
        return _known(ARITHMETIC[name](left, right))
    if not right:
        return None
    if name == "/":
        return float(left) / float(right)
    remainder = (
        math.fmod(left, right) if isinstance(left, float) or isinstance(right, float) else abs(left) % abs(right)
    )
    return remainder if isinstance(remainder, float) or left >= 0 else -remainder

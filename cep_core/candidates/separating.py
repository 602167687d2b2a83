"""A comparison of sums of integers, rewritten so that each side is about one event.

`m.t - s.t < 9` becomes `0 - s.t < 9 - m.t`, which can stand on an edge. For whole numbers of any size both comparisons
mean the same. In the query language, a number beyond 64 bits is unknown. So every sum over both events in the text
(here `m.t - s.t`) must also fit into 64 bits. A part about only one event is evaluated as it is written. Comparisons of
floats are not rewritten, since rounding depends on the order of additions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

import pyarrow as pa
import pyarrow.compute as pc

from cep_core.events.schema import AttributeType
from cep_core.language.patterns.query import EdgePredicate, Query
from cep_core.language.patterns.tree import (
    Arithmetic,
    Comparison,
    Expression,
    Literal,
    Negative,
    Reference,
    Which,
    WholeSum,
)
from cep_core.language.patterns.values.exact_order import LARGEST
from cep_core.language.patterns.values.expressions import evaluate
from cep_core.language.patterns.walk import references, walk

LEAST = -LARGEST - 1

Asked = Callable[[Reference], bool]
"""A question about a reference."""

Rows = Callable[[Iterable[str]], pa.Table]
"""The rows with the asked columns, and at least one."""

Term = tuple[Expression, bool]
"""A term of a sum, and whether it is subtracted."""


class _NoSum(Exception):
    """Raised for a product over both events, which cannot be split into terms."""


def references_of(predicate: EdgePredicate, query: Query) -> tuple[Asked, Asked]:
    """Two questions about a reference in the predicate: does it mean the source event, and is its value an integer?"""
    types = {variable.name: query.schema.attributes_of(variable.event_type) for variable in query.variables}
    same = predicate.source == predicate.target

    def of_source(part: Reference) -> bool:
        return part.which is Which.PREVIOUS if same else part.variable == predicate.source

    def is_integer(part: Reference) -> bool:
        attribute = types[part.variable].get(part.attribute)
        return part.attribute in ("ts", "seq") or (attribute is not None and attribute.type is AttributeType.INT)

    return of_source, is_integer


def separate(condition: Expression, of_source: Asked, is_integer: Asked) -> tuple[Comparison, ...]:
    """Comparisons `source's side op target's side` that together equal the condition.

    Empty if the condition is not over whole numbers.

    Each comparison after the first tests one of the condition's sums against one end of the 64-bit range (`limits`).

    >>> from cep_core.language.patterns.text.parsing import parse_condition
    >>> from cep_core.language.patterns.text.printing import print_expression
    >>> condition = parse_condition("m.t - s.t < 9")
    >>> for found in separate(condition, lambda part: part.variable == "s", lambda part: True):
    ...     print(print_expression(found))
    0 - s.t < 9 - m.t
    0 - s.t >= -9223372036854775808 - m.t
    0 - s.t <= 9223372036854775807 - m.t
    """
    if not isinstance(condition, Comparison):
        return ()
    if not all(_is_whole(side, is_integer) for side in (condition.left, condition.right)):
        return ()
    sums: list[list[Term]] = []
    try:
        left, right = (_terms(side, of_source, sums) for side in (condition.left, condition.right))
    except _NoSum:
        return ()
    at = condition.at
    tests = [(condition.operator, [*left, *_taken_off(right)], 0)]
    tests += [(operator, terms, limit) for terms in sums for operator, limit in ((">=", LEAST), ("<=", LARGEST))]
    comparisons = []
    for operator, terms, limit in tests:
        sources = [term for term in terms if _is_about(term, of_source)]
        of_target = [term for term in terms if not _is_about(term, of_source)]
        comparisons.append(
            Comparison(operator, WholeSum(tuple(sources), at), WholeSum(_taken_off(of_target), at, limit), at)
        )
    return tuple(comparisons)


def limits(comparison: Comparison) -> bool:
    """Whether a comparison tests that a sum over both events fits 64 bits, or (`<`, `>`) that it does not."""
    return isinstance(comparison.right, WholeSum) and comparison.right.limit != 0


def compared_with_itself(comparison: Comparison) -> str | None:
    """The attribute, if one event's value of it is compared with another event's, and nothing is added to either.

    >>> from cep_core.language.patterns.text.parsing import parse_condition
    >>> compared_with_itself(parse_condition("a.x < b.x")), compared_with_itself(parse_condition("a.x < b.x + 1"))
    ('x', None)
    """
    attributes = {_attribute(side) for side in (comparison.left, comparison.right)}
    return attributes.pop() if len(attributes) == 1 else None


def _attribute(side: Expression) -> str | None:
    match side:
        case WholeSum(terms=((Reference(attribute=name), False),), limit=0) | Reference(attribute=name):
            return name
        case _:
            return None


class Sides:
    """The sides of comparisons as columns over rows. Each sum is evaluated once, from the columns that it reads."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows
        self._sums: dict[WholeSum, pa.Array] = {}
        self._ends: dict[WholeSum, tuple[int, int] | None] = {}

    def column(self, side: Expression) -> pa.Array:
        """The value of a side in each row."""
        if not isinstance(side, WholeSum):
            return self._evaluated(side)
        if side not in self._sums:
            self._sums[side] = self._evaluated(side)
        return self._sums[side]

    def both(self, comparison: Comparison) -> tuple[pa.Array, pa.Array]:
        """The values of both sides; of one attribute, they are the same column."""
        left = self.column(comparison.left)
        return left, left if compared_with_itself(comparison) is not None else self.column(comparison.right)

    def _evaluated(self, side: Expression) -> pa.Array:
        return evaluate(side, self._rows(reference.attribute for reference in references(side)))

    def always_fits(self, comparison: Comparison) -> bool:
        """Whether the sum that `comparison` tests fits 64 bits for any two rows in which it is known."""
        assert isinstance(comparison.left, WholeSum)
        assert isinstance(comparison.right, WholeSum)
        source, target = self._between(comparison.left), self._between(replace(comparison.right, limit=0))
        if source is None or target is None:
            return True
        limit = comparison.right.limit  # the test: source >= limit + target, or <=
        return source[0] >= limit + target[1] if comparison.operator == ">=" else source[1] <= limit + target[0]

    def _between(self, side: WholeSum) -> tuple[int, int] | None:
        """The least and the largest value of a sum; None where no row has one."""
        if side not in self._ends:
            term, minus = side.terms[0] if len(side.terms) == 1 else (side, False)
            ends = pc.min_max(self.column(term))  # for `0 - x` the ends of x, so that no column is computed
            low, high = ends["min"].as_py(), ends["max"].as_py()
            low, high = (high, low) if minus else (low, high)
            sign = -1 if minus else 1
            self._ends[side] = None if low is None else (sign * int(low), sign * int(high))
        return self._ends[side]


def _is_whole(expression: Expression, is_integer: Asked) -> bool:
    """Whether an expression only adds, subtracts, multiplies or takes remainders of whole numbers."""
    for part in walk(expression):
        match part:
            case Reference() if is_integer(part):
                pass
            case Literal(value=int()) if not isinstance(part.value, bool):
                pass
            case Negative() | Arithmetic(operator="+" | "-" | "*" | "%"):
                pass
            case _:
                return False
    return True


def _terms(expression: Expression, of_source: Asked, sums: list[list[Term]]) -> list[Term]:
    """The terms of a sum, each about at most one event. Every inner sum over both events is added to `sums`."""
    if len({of_source(part) for part in references(expression)}) < 2:
        return [(expression, False)]
    match expression:
        case Negative():
            terms = [*_taken_off(_terms(expression.operand, of_source, sums))]
        case Arithmetic(operator="+" | "-"):
            left, right = (_terms(side, of_source, sums) for side in (expression.left, expression.right))
            terms = [*left, *(_taken_off(right) if expression.operator == "-" else right)]
        case _:
            raise _NoSum
    sums.append(terms)
    return terms


def _taken_off(terms: Iterable[Term]) -> tuple[Term, ...]:
    return tuple((term, not minus) for term, minus in terms)


def _is_about(term: Term, of_source: Asked) -> bool:
    return any(of_source(part) for part in references(term[0]))

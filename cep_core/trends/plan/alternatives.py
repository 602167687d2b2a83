"""A condition between neighbours as alternatives that exclude each other, each a conjunction of comparisons.

GRETA, section 6 knows conjunctions only. A trend's number of ways over an edge is the sum over alternatives of which
exactly one holds, so an edge with an OR is as many parallel edges: P OR Q is P, or not P and Q. Not P says that P is
false or unknown (docs/semantics.md, 1), which are alternatives again. Each keeps the cost of its own comparisons; no
pair of events is looked at. The number of alternatives may be exponential in the length of the condition.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import reduce

from cep_core.candidates.separating import limits, separate
from cep_core.language.errors import Position
from cep_core.language.patterns.tree import (
    Between,
    Comparison,
    Expression,
    In,
    IsNull,
    Literal,
    Logical,
    Negation,
    Reference,
)
from cep_core.language.patterns.walk import references

MOST_ALTERNATIVES = 64

Alternatives = list[tuple[Comparison, ...]]
Split = Callable[[Expression], Alternatives]

_COMPLEMENT = {"<": ">=", "<=": ">", "=": "!=", "!=": "=", ">": "<=", ">=": "<"}
_MIRRORED = {"<": ">", "<=": ">=", "=": "=", "!=": "!=", ">": "<", ">=": "<="}
_SIGNS = {"<": 1, "=": 2, ">": 4, "<=": 3, "!=": 5, ">=": 6}
"""Which of less (1), equal (2) and greater (4) an operator allows."""
_OPERATORS = {sign: operator for operator, sign in _SIGNS.items()}
ANY_SIGN = 7


class Inseparable(Exception):
    """A part of a condition that is no comparison of a value of one event with one of the other."""


class TooMany(Exception):
    """More than MOST_ALTERNATIVES alternatives."""


@dataclass(frozen=True)
class Neighbours:
    """Which of the two events a reference means, and whether it is an integer."""

    of_source: Callable[[Reference], bool]
    is_integer: Callable[[Reference], bool]

    def alternatives(self, condition: Expression) -> Alternatives:
        """Conjunctions of comparisons `source's side op target's side` of which one holds where the condition does.

        Raises Inseparable or TooMany.

        >>> from cep_core.language.patterns.text.parsing import parse_condition
        >>> from cep_core.language.patterns.text.printing import print_expression
        >>> ab = Neighbours(lambda part: part.variable == "a", lambda part: True)
        >>> for found in ab.alternatives(parse_condition("a.x < b.x OR a.y < b.y + 3")):
        ...     print(" AND ".join(print_expression(one) for one in found))
        a.x < b.x
        a.x >= b.x AND a.y < b.y + 3
        (a.x IS NULL) = TRUE AND a.y < b.y + 3
        (a.x IS NULL) = FALSE AND TRUE = (b.x IS NULL) AND a.y < b.y + 3
        """
        if self._single(condition):
            return [(self._true_of_one(condition),)]
        match condition:
            case Comparison():
                return [self._separated(condition)]
            case Logical(operator="and"):
                return reduce(joined, map(self.alternatives, condition.operands))
            case Logical():
                return _first(condition.operands, self.alternatives, self._failing)
            case Negation():
                return self.alternatives(_denied(condition.operand))
            case Between() | In():
                return self.alternatives(_spelled(condition))
        raise Inseparable

    def _failing(self, condition: Expression) -> Alternatives:
        """The same where the condition is false or unknown."""
        at = condition.at
        if self._single(condition):
            unknown = IsNull(condition, None, at)
            return [(self._true_of_one(Logical("or", (Negation(condition, at), unknown), at)),)]
        match condition:
            case Comparison():
                plain, *fitting = self._separated(condition)
                here, there = IsNull(plain.left, None, at), IsNull(plain.right, None, at)
                yes, no = Literal(True, at), Literal(False, at)
                beyond = [replace(one, operator=_COMPLEMENT[one.operator]) for one in fitting]
                known = Comparison("=", here, no, at)
                return [
                    (replace(plain, operator=_COMPLEMENT[plain.operator]), *fitting),
                    (Comparison("=", here, yes, at),),
                    (known, Comparison("=", yes, there, at)),
                    *(
                        (known, Comparison("=", no, there, at), *fitting[:place], one)
                        for place, one in enumerate(beyond)
                    ),
                ]
            case Logical(operator="or"):
                return reduce(joined, map(self._failing, condition.operands))
            case Logical():
                return _first(condition.operands, self._failing, self.alternatives)
            case Negation():
                return self._failing(_denied(condition.operand))
            case Between() | In():
                return self._failing(_spelled(condition))
        raise Inseparable

    def _single(self, condition: Expression) -> bool:
        """Whether the condition is about one of the events, or none."""
        return len({self.of_source(part) for part in references(condition)}) < 2

    def _true_of_one(self, condition: Expression) -> Comparison:
        yes = Literal(True, condition.at)
        if any(self.of_source(part) for part in references(condition)):
            return Comparison("=", condition, yes, condition.at)
        return Comparison("=", yes, condition, condition.at)

    def _separated(self, condition: Comparison) -> tuple[Comparison, ...]:
        """As one comparison, then what asks sums over both events to fit 64 bits (`separate`)."""
        sides = [{self.of_source(part) for part in references(side)} for side in (condition.left, condition.right)]
        if sides == [{True}, {False}]:
            return (condition,)
        if sides == [{False}, {True}]:
            return (Comparison(_MIRRORED[condition.operator], condition.right, condition.left, condition.at),)
        found = separate(condition, self.of_source, self.is_integer)
        if not found:
            raise Inseparable
        return found


def _first(operands: Sequence[Expression], wanted: Split, other: Split) -> Alternatives:
    """Where one of the operands is as wanted: the first such is the first, or the second, and so on."""
    found: Alternatives = []
    before: Alternatives = [()]
    for earlier, operand in zip((None, *operands), operands, strict=False):
        before = before if earlier is None else joined(before, other(earlier))
        found = _few(found + joined(before, wanted(operand)))
    return found


def _denied(condition: Expression) -> Expression:
    """What is true where the condition is false, with NOT moved inwards."""
    match condition:
        case Comparison():
            return Comparison(_COMPLEMENT[condition.operator], condition.left, condition.right, condition.at)
        case Logical():
            operator = "or" if condition.operator == "and" else "and"
            operands = tuple(Negation(operand, operand.at) for operand in condition.operands)
            return Logical(operator, operands, condition.at)
        case Negation():
            return condition.operand
        case Between() | In():
            return _denied(_spelled(condition))
    raise Inseparable


def _spelled(condition: Between | In) -> Expression:
    """BETWEEN and IN as the comparisons that they stand for."""
    at = condition.at
    if isinstance(condition, Between):
        low = Comparison(">=", condition.operand, condition.low, at)
        return Logical("and", (low, Comparison("<=", condition.operand, condition.high, at)), at)
    return Logical("or", tuple(Comparison("=", condition.operand, value, at) for value in condition.values), at)


def never_holds(at: Position) -> Comparison:
    """What stands for no alternative at all."""
    return Comparison("=", Literal(True, at), Literal(False, at), at)


def joined(some: Alternatives, others: Alternatives) -> Alternatives:
    """Where an alternative of both conditions holds. Raises TooMany."""
    both = (_merged((*one, *other)) for one in some for other in others)
    return _few([found for found in both if found is not None])


def _merged(comparisons: tuple[Comparison, ...]) -> tuple[Comparison, ...] | None:
    """A conjunction with one comparison for each two sides, or None if it never holds: x < y and x >= y, x NULL."""
    signs: dict[tuple[Expression, Expression], int] = {}
    for one in comparisons:
        sides = (one.left, one.right)
        signs[sides] = signs.get(sides, ANY_SIGN) & _SIGNS[one.operator]
    asked = {side for sides in signs for side in sides}
    for left, right in signs:
        for test, value in ((left, right), (right, left)):
            if isinstance(test, IsNull) and value == Literal(True, test.at) and test.operand in asked:
                return None  # unknown, and compared
            if isinstance(test, IsNull) and value == Literal(True, test.at) and (test, _no(test)) in signs:
                return None  # unknown, and known
    if 0 in signs.values():
        return None
    return tuple(Comparison(_OPERATORS[sign], *sides, sides[0].at) for sides, sign in signs.items())


def _no(test: IsNull) -> Literal:
    return Literal(False, test.at)


def usual(alternative: Sequence[Comparison]) -> bool:
    """Whether an alternative asks for no sum beyond 64 bits."""
    return not any(limits(one) and one.operator in ("<", ">") for one in alternative)


def _few(found: Alternatives) -> Alternatives:
    if sum(map(usual, found)) > MOST_ALTERNATIVES or len(found) > MOST_ALTERNATIVES**2:
        raise TooMany
    return found

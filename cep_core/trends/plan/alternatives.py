"""A condition between neighbours, split into alternatives that exclude each other. Each is a conjunction.

GRETA, section 6, knows conjunctions only. The number of trends over an edge is the sum over the alternatives, because
exactly one of them holds. So an edge with an OR becomes several parallel edges: `P OR Q` becomes `P`, and `not P and
Q`. "Not P" means that P is false or unknown (docs/semantics.md, 1), which again gives alternatives. Each alternative
costs what its comparisons cost; no pair of events is looked at. The number of alternatives may be exponential in the
length of the condition.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import reduce

from cep_core.candidates.separating import limits, separate
from cep_core.language.errors import Position
from cep_core.language.patterns.tree import (
    MIRRORED,
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
_SIGNS = {"<": 1, "=": 2, ">": 4, "<=": 3, "!=": 5, ">=": 6}
"""The results of a comparison that an operator allows, as bits: less (1), equal (2), greater (4)."""
_OPERATORS = {sign: operator for operator, sign in _SIGNS.items()}
ANY_SIGN = 7


class Inseparable(Exception):
    """A part of a condition does not compare a value of one event with a value of the other event."""


class TooMany(Exception):
    """More than MOST_ALTERNATIVES alternatives."""


@dataclass(frozen=True)
class Neighbours:
    """For a reference: which of the two events it means, and whether its value is an integer."""

    of_source: Callable[[Reference], bool]
    is_integer: Callable[[Reference], bool]

    def alternatives(self, condition: Expression) -> Alternatives:
        """Conjunctions of comparisons `source's side op target's side`.

        If the condition holds, exactly one of them does; otherwise none. Raises Inseparable or TooMany.

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
            return [(self._as_comparison(condition),)]
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
        """The alternatives for: the condition is false or unknown."""
        at = condition.at
        if self._single(condition):
            unknown = IsNull(condition, None, at)
            return [(self._as_comparison(Logical("or", (Negation(condition, at), unknown), at)),)]
        match condition:
            case Comparison():
                plain, *fitting = self._separated(condition)
                left_null, right_null = IsNull(plain.left, None, at), IsNull(plain.right, None, at)
                yes, no = Literal(True, at), Literal(False, at)
                overflows = [replace(limit, operator=_COMPLEMENT[limit.operator]) for limit in fitting]
                left_known = Comparison("=", left_null, no, at)
                return [
                    (replace(plain, operator=_COMPLEMENT[plain.operator]), *fitting),
                    (Comparison("=", left_null, yes, at),),
                    (left_known, Comparison("=", yes, right_null, at)),
                    *(
                        (left_known, Comparison("=", no, right_null, at), *fitting[:place], overflow)
                        for place, overflow in enumerate(overflows)
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
        """Whether the condition reads at most one of the two events."""
        return len({self.of_source(part) for part in references(condition)}) < 2

    def _as_comparison(self, condition: Expression) -> Comparison:
        yes = Literal(True, condition.at)
        if any(self.of_source(part) for part in references(condition)):
            return Comparison("=", condition, yes, condition.at)
        return Comparison("=", yes, condition, condition.at)

    def _separated(self, condition: Comparison) -> tuple[Comparison, ...]:
        """The comparison with one event on each side, then the limits that keep its sums in 64 bits (`separate`)."""
        sides = [{self.of_source(part) for part in references(side)} for side in (condition.left, condition.right)]
        if sides == [{True}, {False}]:
            return (condition,)
        if sides == [{False}, {True}]:
            return (Comparison(MIRRORED[condition.operator], condition.right, condition.left, condition.at),)
        comparisons = separate(condition, self.of_source, self.is_integer)
        if not comparisons:
            raise Inseparable
        return comparisons


def _first(operands: Sequence[Expression], wanted: Split, unwanted: Split) -> Alternatives:
    """Alternatives by the first operand that is `wanted`: all operands before it are `unwanted`."""
    alternatives: Alternatives = []
    earlier_unwanted: Alternatives = [()]
    for previous, operand in zip((None, *operands), operands, strict=False):
        earlier_unwanted = earlier_unwanted if previous is None else joined(earlier_unwanted, unwanted(previous))
        alternatives = _few(alternatives + joined(earlier_unwanted, wanted(operand)))
    return alternatives


def _denied(condition: Expression) -> Expression:
    """The condition that is true exactly where this one is false. NOT moves inwards."""
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
    """BETWEEN or IN, written as comparisons."""
    at = condition.at
    if isinstance(condition, Between):
        low = Comparison(">=", condition.operand, condition.low, at)
        return Logical("and", (low, Comparison("<=", condition.operand, condition.high, at)), at)
    return Logical("or", tuple(Comparison("=", condition.operand, value, at) for value in condition.values), at)


def never_holds(at: Position) -> Comparison:
    """A comparison that is never true. It stands for an empty list of alternatives."""
    return Comparison("=", Literal(True, at), Literal(False, at), at)


def joined(left_side: Alternatives, right_side: Alternatives) -> Alternatives:
    """The alternatives of `left_side` AND `right_side`. Raises TooMany."""
    merged = (_merged((*left, *right)) for left in left_side for right in right_side)
    return _few([alternative for alternative in merged if alternative is not None])


def _merged(comparisons: tuple[Comparison, ...]) -> tuple[Comparison, ...] | None:
    """The conjunction, with one comparison for each pair of sides. None if it never holds.

    It never holds if it asks for x < y and x >= y, or compares an x that is NULL.
    """
    signs: dict[tuple[Expression, Expression], int] = {}
    for comparison in comparisons:
        sides = (comparison.left, comparison.right)
        signs[sides] = signs.get(sides, ANY_SIGN) & _SIGNS[comparison.operator]
    compared = {side for sides in signs for side in sides}
    for left, right in signs:
        for test, value in ((left, right), (right, left)):
            if isinstance(test, IsNull) and value == Literal(True, test.at) and test.operand in compared:
                return None  # NULL, but compared
            if isinstance(test, IsNull) and value == Literal(True, test.at) and (test, _no(test)) in signs:
                return None  # NULL and not NULL
    if 0 in signs.values():
        return None
    return tuple(Comparison(_OPERATORS[sign], *sides, sides[0].at) for sides, sign in signs.items())


def _no(test: IsNull) -> Literal:
    return Literal(False, test.at)


def usual(alternative: Sequence[Comparison]) -> bool:
    """Whether no comparison of the alternative asks for a sum beyond 64 bits."""
    return not any(limits(comparison) and comparison.operator in ("<", ">") for comparison in alternative)


def _few(alternatives: Alternatives) -> Alternatives:
    if sum(map(usual, alternatives)) > MOST_ALTERNATIVES or len(alternatives) > MOST_ALTERNATIVES**2:
        raise TooMany
    return alternatives

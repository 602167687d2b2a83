"""A comparison of sums of integers, rewritten so that each side is about one event.

`m.t - s.t < 9` becomes `0 - s.t < 9 - m.t`: for integers the same truth, so it can stand on an edge. Floats are left
alone, since rounding depends on the order of additions.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce

from cep_core.events.schema import AttributeType
from cep_core.language.patterns.query import EdgePredicate, Query
from cep_core.language.patterns.tree import Arithmetic, Comparison, Expression, Literal, Negative, Reference, Which

Asked = Callable[[Reference], bool]
"""A question about a reference."""

Term = tuple[Expression, bool]
"""A term of a sum, and whether it is subtracted."""


def references_of(predicate: EdgePredicate, query: Query) -> tuple[Asked, Asked]:
    """Of the references of a predicate: whether one means its source, and whether its value is an integer."""
    types = {variable.name: query.schema.attributes_of(variable.event_type) for variable in query.variables}
    same = predicate.source == predicate.target

    def of_source(part: Reference) -> bool:
        return part.which is Which.PREVIOUS if same else part.variable == predicate.source

    def is_integer(part: Reference) -> bool:
        attribute = types[part.variable].get(part.attribute)
        return part.attribute in ("ts", "seq") or (attribute is not None and attribute.type is AttributeType.INT)

    return of_source, is_integer


def separate(condition: Expression, of_source: Asked, is_integer: Asked) -> Comparison | None:
    """The condition as `source's side op target's side`, or None if it is no comparison of sums of integers.

    >>> from cep_core.language.patterns.parsing import parse_condition
    >>> from cep_core.language.patterns.printing import print_expression
    >>> condition = parse_condition("m.t - s.t < 9")
    >>> print_expression(separate(condition, lambda part: part.variable == "s", lambda part: True))
    '0 - s.t < 9 - m.t'
    """
    if not isinstance(condition, Comparison):
        return None
    left, right = _terms(condition.left, is_integer), _terms(condition.right, is_integer)
    if left is None or right is None:
        return None
    here = [*left, *((term, not minus) for term, minus in right)]
    sources = [term for term in here if isinstance(term[0], Reference) and of_source(term[0])]
    others = [(term, not minus) for term, minus in here if not (isinstance(term, Reference) and of_source(term))]
    return Comparison(condition.operator, _sum(sources, condition), _sum(others, condition), condition.at)


def _terms(expression: Expression, is_integer: Asked) -> list[Term] | None:
    """The terms of a sum of integer references and literals."""
    match expression:
        case Reference() if is_integer(expression):
            return [(expression, False)]
        case Literal(value=int(value)) if not isinstance(value, bool):
            return [(expression, False)]
        case Negative():
            operand = _terms(expression.operand, is_integer)
            return None if operand is None else [(term, not minus) for term, minus in operand]
        case Arithmetic(operator="+" | "-"):
            left, right = _terms(expression.left, is_integer), _terms(expression.right, is_integer)
            if left is None or right is None:
                return None
            return [*left, *((term, minus != (expression.operator == "-")) for term, minus in right)]
        case _:
            return None


def _sum(terms: list[Term], condition: Expression) -> Expression:
    terms = sorted(terms, key=lambda term: term[1])
    if not terms or terms[0][1]:
        terms.insert(0, (Literal(0, condition.at), False))
    first = terms[0][0]
    return reduce(lambda s, term: Arithmetic("-" if term[1] else "+", s, term[0], condition.at), terms[1:], first)

"""Walking syntax trees: the parts of an expression, its references, the units of a pattern."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from cep_core.language.patterns.tree import (
    Alternative,
    AnyOf,
    Arithmetic,
    Between,
    Comparison,
    Conjunction,
    Expression,
    In,
    IsNull,
    Kleene,
    Like,
    Logical,
    Negation,
    Negative,
    Not,
    Pattern,
    PrefixAggregate,
    Reference,
    Sequence,
    Unit,
    WholeSum,
)


def operands(expression: Expression) -> tuple[Expression, ...]:
    """The direct parts of an expression, left to right."""
    match expression:
        case Arithmetic() | Comparison():
            return (expression.left, expression.right)
        case Negative() | Negation() | Like():
            return (expression.operand,)
        case Logical():
            return expression.operands
        case In():
            return (expression.operand, *expression.values)
        case WholeSum():
            return tuple(term for term, _ in expression.terms)
        case Between():
            return (expression.operand, expression.low, expression.high)
        case IsNull():
            return () if expression.operand is None else (expression.operand,)
        case _:
            return ()


def walk(expression: Expression) -> Iterator[Expression]:
    """The expression and all its parts, parents first."""
    yield expression
    for operand in operands(expression):
        yield from walk(operand)


def references(expression: Expression) -> tuple[Reference, ...]:
    """Every reference to an attribute in the expression, left to right, without those inside aggregates."""
    return tuple(part for part in walk(expression) if isinstance(part, Reference))


def variables_of(expression: Expression) -> tuple[str, ...]:
    """All variables that an expression mentions, each once, in order of mention."""
    names: dict[str, None] = {}
    for part in walk(expression):
        if isinstance(part, Reference | PrefixAggregate) or (isinstance(part, IsNull) and part.variable is not None):
            names[str(part.variable)] = None
    return tuple(names)


def rewrite(expression: Expression, change: Callable[[Expression], Expression]) -> Expression:
    """The expression with `change` applied to each part, children first."""
    match expression:
        case Arithmetic() | Comparison():
            left, right = rewrite(expression.left, change), rewrite(expression.right, change)
            return change(replace(expression, left=left, right=right))
        case Negative() | Negation() | Like() | In():
            return change(replace(expression, operand=rewrite(expression.operand, change)))
        case Logical():
            parts = tuple(rewrite(operand, change) for operand in expression.operands)
            return change(replace(expression, operands=parts))
        case WholeSum():
            terms = tuple((rewrite(term, change), minus) for term, minus in expression.terms)
            return change(replace(expression, terms=terms))
        case Between():
            operand, low, high = (rewrite(part, change) for part in operands(expression))
            return change(replace(expression, operand=operand, low=low, high=high))
        case IsNull() if expression.operand is not None:
            return change(replace(expression, operand=rewrite(expression.operand, change)))
        case _:
            return change(expression)


def parts_of(pattern: Pattern) -> tuple[Pattern, ...]:
    """The direct parts of a pattern, left to right."""
    match pattern:
        case Sequence():
            return pattern.elements
        case Kleene() | Not():
            return (pattern.body,)
        case Alternative():
            return pattern.options
        case Conjunction():
            return (pattern.left, pattern.right)
        case AnyOf():
            return pattern.units
        case Unit():
            return ()


def map_units(pattern: Pattern, change: Callable[[Unit], Unit]) -> Pattern:
    """The pattern with `change` applied to each unit."""
    match pattern:
        case Unit():
            return change(pattern)
        case Sequence():
            return replace(pattern, elements=tuple(map_units(element, change) for element in pattern.elements))
        case Kleene() | Not():
            return replace(pattern, body=map_units(pattern.body, change))
        case AnyOf():
            return replace(pattern, units=tuple(change(unit) for unit in pattern.units))
        case Alternative():
            return replace(pattern, options=tuple(map_units(option, change) for option in pattern.options))
        case Conjunction():
            left, right = map_units(pattern.left, change), map_units(pattern.right, change)
            return replace(pattern, left=left, right=right)


def units_of(pattern: Pattern) -> Iterator[Unit]:
    """Every unit of a pattern, negated ones included, left to right."""
    if isinstance(pattern, Unit):
        yield pattern
    for part in parts_of(pattern):
        yield from units_of(part)


def conjuncts(expression: Expression) -> Iterator[Expression]:
    """The top-level conjuncts of a condition."""
    if isinstance(expression, Logical) and expression.operator == "and":
        for operand in expression.operands:
            yield from conjuncts(operand)
    else:
        yield expression

"""The safe fragment: the first part of a core formula that breaks a rule (the rules: this package's docstring).

Cost: linear in the formula, save for the sets of free variables; kept with each node, so parts are looked at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Set
from dataclasses import dataclass
from enum import Enum

from cep_core.language.temporal.formulas import (
    Aggregation,
    And,
    Comparison,
    Eventually,
    Exists,
    Formula,
    Matches,
    Next,
    Not,
    Once,
    Or,
    Predicate,
    Prev,
    Since,
    Truth,
    Until,
)
from cep_core.language.temporal.kept import kept
from cep_core.language.temporal.terms import Constant, Regexp, Term, Variable
from cep_core.language.temporal.walk import free_variables, variables_of


class SafetyRule(Enum):
    """A rule that a formula can break."""

    ARGUMENT = "arguments of a predicate are variables or constants"
    COMPARISON = "alone, a comparison is `variable = constant`"
    NEGATION = "alone, NOT has no free variables"
    FILTER = "a comparison in AND has variables of the left side only"
    ASSIGNMENT = "x = t in AND has one new variable, and it stands alone on its side"
    ANTIJOIN = "AND NOT has variables of the left side only"
    UNION = "both sides of OR have the same variables"
    LEFT_OF_SINCE = "the left side of SINCE and UNTIL has variables of the right side only"


@dataclass(frozen=True)
class UnsafePart:
    """The part of a formula that breaks a rule, and the variables that are in the way, in order of occurrence."""

    part: Formula
    rule: SafetyRule
    variables: tuple[str, ...] = ()


def is_safe(formula: Formula) -> bool:
    """Whether a core formula is safe.

    >>> from cep_core.language.temporal.formulas import Predicate
    >>> p, q = Predicate("P", (Variable("x"),)), Predicate("Q", (Variable("y"),))
    >>> is_safe(And(p, q)), is_safe(Or(p, q)), is_safe(Not(p)), is_safe(Not(Exists(("x",), p)))
    (True, False, False, True)
    """
    return unsafe_part(formula) is None


@kept
def unsafe_part(formula: Formula) -> UnsafePart | None:
    """The first part of a core formula that is unsafe in its place, None for a safe formula."""
    match formula:
        case Truth():
            return None
        case Predicate(_, arguments):
            simple = all(isinstance(argument, Variable | Constant | Regexp) for argument in arguments)
            return None if simple else UnsafePart(formula, SafetyRule.ARGUMENT)
        case Comparison() | Matches():
            return (
                None if _is_constant(formula) else UnsafePart(formula, SafetyRule.COMPARISON, free_variables(formula))
            )
        case Not(body):
            if is_never(formula):
                return None
            free = free_variables(body)
            return UnsafePart(formula, SafetyRule.NEGATION, free) if free else unsafe_part(body)
        case And():
            return _unsafe_conjunct(formula)
        case Or(left, right):
            different = _difference(formula, set(free_variables(left)) & set(free_variables(right)))
            if different:
                return UnsafePart(formula, SafetyRule.UNION, different)
            return unsafe_part(left) or unsafe_part(right)
        case Exists() | Aggregation() | Prev() | Next() | Once() | Eventually():
            return unsafe_part(formula.body)
        case Since(_, left, right) | Until(_, left, right):
            unbound = _difference(left, free_variables(right))
            if (fault := unsafe_part(right)) is None and unbound:
                return UnsafePart(formula, SafetyRule.LEFT_OF_SINCE, unbound)
            return fault or unsafe_part(left.body if isinstance(left, Not) else left)
    raise ValueError(f"{type(formula).__name__} is no node of a core formula")


def is_never(formula: Formula) -> bool:
    """Whether a formula is `NOT x = x`, whose relation over x is empty, whatever x is.

    >>> is_never(Not(Comparison("=", Variable("x"), Variable("x"))))
    True
    """
    match formula:
        case Not(Comparison("=", Variable(left), Variable(right))):
            return left == right
        case _:
            return False


def unsafe_in_conjunction(bound: Set[str], conjunct: Formula, whole: Formula) -> UnsafePart | None:
    """The part that is unsafe in `left AND conjunct`, which is `whole`; `left` is safe and binds the variables."""
    unbound = _difference(conjunct, bound)
    match conjunct:
        case Comparison("=", left, right) if unbound:
            if _assigns(left, right, bound) or _assigns(right, left, bound):
                return None
            return UnsafePart(whole, SafetyRule.ASSIGNMENT, unbound)
        case Matches(text, regexp, groups):
            read = (text, regexp, *(group for group in groups if not isinstance(group, Variable | None)))
            unbound = tuple(dict.fromkeys(name for term in read for name in variables_of(term) if name not in bound))
            return UnsafePart(whole, SafetyRule.FILTER, unbound) if unbound else None
        case Comparison() | Not(Comparison() | Matches()):
            return UnsafePart(whole, SafetyRule.FILTER, unbound) if unbound and not is_never(conjunct) else None
        case Not(body):
            return UnsafePart(whole, SafetyRule.ANTIJOIN, unbound) if unbound else unsafe_part(body)
        case _:
            return unsafe_part(conjunct)


def _unsafe_conjunct(formula: And) -> UnsafePart | None:
    chain: list[And] = []
    first: Formula = formula
    while isinstance(first, And):
        chain.append(first)
        first = first.left
    if fault := unsafe_part(first):
        return fault
    bound = set(free_variables(first))
    for link in reversed(chain):
        if fault := unsafe_in_conjunction(bound, link.right, link):
            return fault
        bound.update(free_variables(link.right))
    return None


def _assigns(target: Term, value: Term, bound: Set[str]) -> bool:
    return isinstance(target, Variable) and all(name in bound for name in variables_of(value))


def _is_constant(formula: Comparison | Matches) -> bool:
    """x = c, c = x or c = c."""
    if not isinstance(formula, Comparison) or formula.operator != "=":
        return False
    sides = (formula.left, formula.right)
    constants = sum(isinstance(side, Constant | Regexp) for side in sides)
    return constants == 2 or (constants == 1 and any(isinstance(side, Variable) for side in sides))


def _difference(formula: Formula, names: Iterable[str]) -> tuple[str, ...]:
    known = set(names)
    return tuple(name for name in free_variables(formula) if name not in known)

"""Restricted variables: those for which a formula, safe or not, leaves finitely many values (safe range).

Of a safe formula these are all free variables. The rewriting uses the others: what stands beside must bind them.
Negations are looked at as if they were pushed inwards.
"""

from __future__ import annotations

from collections.abc import Iterator

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
    Until,
)
from cep_core.language.temporal.kept import kept
from cep_core.language.temporal.terms import Term, Variable
from cep_core.language.temporal.walk import conjuncts, free_variables, variables_of


@kept
def restricted_variables(formula: Formula) -> frozenset[str]:
    """The restricted variables of a core formula.

    >>> from cep_core.language.temporal.formulas import Predicate
    >>> from cep_core.language.temporal.terms import Variable
    >>> p, q = Predicate("P", (Variable("x"),)), Predicate("Q", (Variable("y"),))
    >>> sorted(restricted_variables(And(p, Not(q)))), sorted(restricted_variables(Or(p, q)))
    (['x'], [])
    """
    match formula:
        case Predicate(_, arguments):
            return frozenset(argument.name for argument in arguments if isinstance(argument, Variable))
        case Comparison():
            return _assigned(formula, frozenset())
        case Not(body):
            return _of_negation(body)
        case And():
            parts = tuple(_conjuncts(formula))
            return _closed(frozenset[str]().union(*map(restricted_variables, parts)), parts)
        case Or(left, right):
            return restricted_variables(left) & restricted_variables(right)
        case Exists(variables, body):
            return restricted_variables(body) - frozenset(variables)
        case Aggregation(result, _, _, groups, body):
            return frozenset([result.name]) | (restricted_variables(body) & {group.name for group in groups})
        case Prev() | Next() | Once() | Eventually():
            return restricted_variables(formula.body)
        case Since() | Until():
            return restricted_variables(formula.right)
        case _:
            return frozenset()


@kept
def _of_negation(body: Formula) -> frozenset[str]:
    """The restricted variables of NOT of a formula, kept with it: negations are made anew wherever one is asked."""
    match body:
        case Comparison("=", Variable(left), Variable(right)) if left == right:
            return frozenset([left])
        case Not(inside):
            return restricted_variables(inside)
        case And(left, right):
            return _of_negation(left) & _of_negation(right)
        case Or():
            parts = tuple(_conjuncts(Not(body)))
            return _closed(frozenset[str]().union(*map(restricted_variables, parts)), parts)
        case _:
            return frozenset()


def lacking(formula: Formula) -> frozenset[str]:
    """The free variables that are not restricted."""
    return frozenset(free_variables(formula)) - restricted_variables(formula)


def _conjuncts(formula: Formula) -> Iterator[Formula]:
    """The conjuncts, where NOT (a OR b) is NOT a AND NOT b."""
    for part in conjuncts(formula):
        match part:
            case Not(Not(body)):
                yield from _conjuncts(body)
            case Not(Or(left, right)):
                yield from _conjuncts(Not(left))
                yield from _conjuncts(Not(right))
            case _:
                yield part


def _closed(names: frozenset[str], parts: tuple[Formula, ...]) -> frozenset[str]:
    """With the variables that comparisons and MATCHES among the parts give a value, one after another."""
    giving = [part for part in parts if isinstance(part, Comparison | Matches)]
    for _ in giving:
        names = names.union(*(_assigned(part, names) for part in giving))
    return names


def _assigned(formula: Comparison | Matches, names: frozenset[str]) -> frozenset[str]:
    """The variables that a comparison gives a value if those in `names` have one."""
    match formula:
        case Comparison("=", left, right):
            pairs = ((left, right), (right, left))
            return frozenset(
                target.name for target, value in pairs if isinstance(target, Variable) and _known(value, names)
            )
        case Matches(text, regexp, groups) if _known(text, names) and _known(regexp, names):
            return frozenset(group.name for group in groups if isinstance(group, Variable))
        case _:
            return frozenset()


def _known(term: Term, names: frozenset[str]) -> bool:
    return all(name in names for name in variables_of(term))

"""Chains of AND: what makes rows, what tests them, what must be subtracted.

A chain is flattened, since the order in which it was written says nothing about the order that costs least. Only tests
that may have no value (a division, a sum that overflows) keep their place among the tests: they are made when the rest
of the chain before them holds, so that no order brings an error that another order avoids.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass

from cep_core.language.first_order.safety.fragment import is_never
from cep_core.language.temporal.formulas import (
    And,
    Comparison,
    Formula,
    Matches,
    Not,
    Truth,
)
from cep_core.language.temporal.terms import Constant, Regexp, Term, Variable
from cep_core.language.temporal.walk import free_variables, terms_of, variables_of

Test = Comparison | Matches | Not


@dataclass(frozen=True)
class Chain:
    """The conjuncts of a formula: `sources` have relations of their own; `tests` need bound variables.

    A test is a comparison, MATCHES, or the negation of any formula; it may bind further variables (`bound_by`). Tests
    are in written order.
    """

    sources: tuple[Formula, ...]
    tests: tuple[Test, ...]


def chain_of(formula: Formula, is_apart: Callable[[And, And], bool] = lambda part, whole: False) -> Chain:
    """The conjuncts of a formula; a formula that is no AND has one. An AND inside that `is_apart` stays one conjunct.

    >>> x, p = Variable("x"), Truth(True)
    >>> chain = chain_of(And(Comparison("<", x, x), And(p, Not(Not(p)))))
    >>> len(chain.sources), len(chain.tests)
    (2, 1)
    """
    sources: list[Formula] = []
    tests: list[Test] = []
    for conjunct in _conjuncts(formula, is_apart):
        if isinstance(conjunct, Comparison | Matches | Not) and not is_never(conjunct):
            tests.append(conjunct)
        else:
            sources.append(conjunct)
    return Chain(tuple(sources), tuple(tests))


def _conjuncts(formula: Formula, is_apart: Callable[[And, And], bool]) -> Iterator[Formula]:
    match formula:
        case And():
            for side in (formula.left, formula.right):
                if isinstance(side, And) and is_apart(side, formula):
                    yield side
                else:
                    yield from _conjuncts(side, is_apart)
        case Not(body=Not(body=body)):
            yield from _conjuncts(body, is_apart)
        case _:
            yield formula


def is_complete(chain: Chain) -> bool:
    """Whether the chain binds all variables of its tests, so that it can be evaluated without a chain around it.

    >>> below = Comparison("<", Variable("x"), Constant(3))
    >>> is_complete(chain_of(below)), is_complete(chain_of(And(below, Comparison("=", Variable("x"), Constant(2)))))
    (False, True)
    """
    bound = {name for source in chain.sources for name in free_variables(source)}
    waiting = list(chain.tests)
    while waiting:
        ready = [test for test in waiting if is_ready(test, bound)]
        if not ready:
            return False
        bound.update(name for test in ready for name in bound_by(test, bound))
        waiting = [test for test in waiting if test not in ready]
    return True


def is_scalar(test: Formula) -> bool:
    """Whether a formula tests single rows by their values alone."""
    match test:
        case Not():
            return is_scalar(test.body)
        case Comparison() | Matches() | Truth():
            return True
        case _:
            return False


def always_has_value(test: Test) -> bool:
    """Whether a test raises no error on any row.

    >>> always_has_value(Comparison("<", Variable("x"), Constant(3)))
    True
    """
    if not is_scalar(test):
        return True
    if isinstance(test, Not):
        return isinstance(test.body, Truth | Comparison | Matches | Not) and _plain(test.body)
    return _plain(test)


def _plain(test: Formula) -> bool:
    if isinstance(test, Not):
        return _plain(test.body)
    if isinstance(test, Matches) and not isinstance(test.regexp, Regexp):
        return False
    return all(isinstance(term, Variable | Constant | Regexp) for term in terms_of(test))


def is_ready(test: Test, bound: Collection[str]) -> bool:
    """Whether a test can be made on rows with these variables, or can add variables to them."""
    return set(free_variables(test)) <= set(bound) or bool(bound_by(test, bound))


def bound_by(test: Test, bound: Collection[str]) -> tuple[str, ...]:
    """The variables that a test adds to rows with the variables `bound`; none if it cannot be made or adds nothing.

    >>> bound_by(Comparison("=", Constant(1), Variable("y")), {"x"})
    ('y',)
    """
    match test:
        case Comparison(operator="="):
            assignment = assignment_of(test, bound)
            return (assignment[0],) if assignment else ()
        case Matches():
            inputs = {*variables_of(test.text), *variables_of(test.regexp)}
            groups = [group for group in test.groups if group is not None]
            new = [group.name for group in groups if isinstance(group, Variable) and group.name not in bound]
            inputs.update(name for group in groups if not isinstance(group, Variable) for name in variables_of(group))
            return tuple(dict.fromkeys(new)) if inputs <= set(bound) else ()
        case _:
            return ()


def assignment_of(test: Comparison, bound: Collection[str]) -> tuple[str, Term] | None:
    """The new variable and its term, if `test` is an equality with one side a new variable and the other side bound."""
    for target, term in ((test.left, test.right), (test.right, test.left)):
        if isinstance(target, Variable) and target.name not in bound and set(variables_of(term)) <= set(bound):
            return target.name, term
    return None

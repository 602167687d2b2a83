"""What points without events mean to a core formula.

If it may hold there, a slice without events must be evaluated too. If it can do without them, they need not be looked
at: of the time-points of a log, a slice has events at few (paper 01, section 5.4: empty databases may be skipped).
"""

from __future__ import annotations

from cep_core.language.first_order.bind.declarations import is_built_in
from cep_core.language.temporal.formulas import (
    Aggregation,
    And,
    Eventually,
    Exists,
    Formula,
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
from cep_core.language.temporal.walk import operands
from cep_core.monitoring.first_order.plan.past import may_fail


@kept
def speaks_of_silence(formula: Formula) -> bool:
    """False if every verdict needs an event of the log. Never False wrongly; linear in the formula.

    >>> from cep_core.language.temporal.formulas import Not
    >>> speaks_of_silence(Predicate("P")), speaks_of_silence(Not(Predicate("P")))
    (False, True)
    >>> speaks_of_silence(And(Predicate("Q"), Not(Predicate("P"))))
    False
    """
    match formula:
        case Predicate():
            return is_built_in(formula)
        case Truth():
            return formula.value
        case And():
            return speaks_of_silence(formula.left) and speaks_of_silence(formula.right)
        case Or():
            return speaks_of_silence(formula.left) or speaks_of_silence(formula.right)
        case Exists() | Prev() | Next() | Once() | Eventually():
            return speaks_of_silence(formula.body)
        case Since() | Until():
            return speaks_of_silence(formula.right)
        case Aggregation():
            return not formula.groups or speaks_of_silence(formula.body)
        case _:
            return True


def ignores_silence(formula: Formula) -> bool:
    """Whether points without events of the formula's types may be left out of its log: its satisfactions stay the same.

    So it is if no such point satisfies it, and if at all others it does not matter whether they are there. Operators
    that count points are excluded, as are terms that may have no value, which is an error wherever it happens. Never
    True wrongly; linear in the formula.

    >>> from cep_core.language.temporal.formulas import Not
    >>> from cep_core.language.temporal.interval import ANY_TIME
    >>> p, q = Predicate("P"), Predicate("Q")
    >>> ignores_silence(And(p, Not(Once(ANY_TIME, q)))), ignores_silence(And(p, Prev(ANY_TIME, q)))
    (True, False)
    >>> ignores_silence(And(p, Since(ANY_TIME, Not(p), q))), ignores_silence(And(p, Since(ANY_TIME, p, q)))
    (True, False)
    """
    return _is_quiet(formula) and _is_indifferent(formula) and not may_fail(formula)


@kept
def _is_quiet(formula: Formula) -> bool:
    """False at every point without events, whatever the values."""
    match formula:
        case Predicate():
            return not is_built_in(formula)
        case Truth():
            return not formula.value
        case Not():
            return _is_loud(formula.body)
        case And():
            return _is_quiet(formula.left) or _is_quiet(formula.right)
        case Or() | Since() | Until():
            return _is_quiet(formula.left) and _is_quiet(formula.right)
        case Exists():
            return _is_quiet(formula.body)
        case Aggregation():
            return bool(formula.groups) and _is_quiet(formula.body)
        case _:
            return False


@kept
def _is_loud(formula: Formula) -> bool:
    """True at every point without events, whatever the values."""
    match formula:
        case Truth():
            return formula.value
        case Not():
            return _is_quiet(formula.body)
        case And():
            return _is_loud(formula.left) and _is_loud(formula.right)
        case Or():
            return _is_loud(formula.left) or _is_loud(formula.right)
        case Exists():
            return _is_loud(formula.body)
        case _:
            return False


@kept
def _is_indifferent(formula: Formula) -> bool:
    """At points with events the same, whether the others are in the log or not."""
    match formula:
        case Predicate():
            return not is_built_in(formula)
        case Prev() | Next():
            return False
        case Once() | Eventually():
            return _is_quiet(formula.body) and _is_indifferent(formula.body)
        case Since() | Until():
            is_so = _is_loud(formula.left) and _is_quiet(formula.right)
            return is_so and _is_indifferent(formula.left) and _is_indifferent(formula.right)
        case _:
            return all(map(_is_indifferent, operands(formula)))

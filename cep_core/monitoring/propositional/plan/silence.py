"""Whether a policy may be violated, or judge, where its log has no event: such slices must then be evaluated, too."""

from __future__ import annotations

from cep_core.language.temporal.formulas import (
    And,
    Eventually,
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


def speaks_of_silence(core: Formula, condition: Formula) -> bool:
    """False if nothing is reported of points around which no atom holds. Never False wrongly; linear in the formula.

    `condition`: the left side of the policy, which judges where this holds.

    >>> from cep_core.language.temporal.interval import ANY_TIME
    >>> late, quiet = Predicate("late"), Eventually(ANY_TIME, Not(Predicate("late")))
    >>> speaks_of_silence(Or(Not(late), quiet), late), speaks_of_silence(late, late)
    (False, True)
    """
    return without_events(core) is not True or without_events(condition) is not False


def without_events(formula: Formula) -> bool | None:
    """The truth of a core formula at every point if no atom holds at any; None where this depends on the stamps.

    >>> from cep_core.language.temporal.interval import Interval
    >>> without_events(Since(Interval(3, 5), Truth(True), Not(Predicate("p")))) is None
    True
    """
    match formula:
        case Predicate():
            return False
        case Truth(value):
            return value
        case Not(body):
            inner = without_events(body)
            return None if inner is None else not inner
        case And(left, right):
            return _all([without_events(left), without_events(right)])
        case Or(left, right):
            neither = _all([_negated(without_events(left)), _negated(without_events(right))])
            return _negated(neither)
        case Prev(_, body) | Next(_, body):
            return False if without_events(body) is False else None
        case (
            Once(interval, right) | Eventually(interval, right) | Since(interval, _, right) | Until(interval, _, right)
        ):
            holds = without_events(right)
            if holds is False or interval.is_empty:
                return False
            return True if holds and interval.low == 0 else None
    return None


def _all(values: list[bool | None]) -> bool | None:
    if False in values:
        return False
    return None if None in values else True


def _negated(value: bool | None) -> bool | None:
    return None if value is None else not value

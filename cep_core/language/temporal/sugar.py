"""Removing sugar: every operator is written with NOT, AND, OR, EXISTS, PREV, NEXT, ONCE, EVENTUALLY, SINCE and UNTIL.

Each abbreviation stands for one formula (MonPoly's and WhyMon's; TRIGGER and RELEASE are the duals of SINCE and UNTIL).
The made parts have the place of the operator they come from. Cost: O(size of the result); EQUIV writes its sides twice.
"""

from __future__ import annotations

from cep_core.language.temporal.formulas import (
    Always,
    And,
    Equiv,
    Eventually,
    Exists,
    Forall,
    Formula,
    Historically,
    Implies,
    Not,
    Once,
    Or,
    Release,
    Since,
    Trigger,
    Until,
)
from cep_core.language.temporal.walk import with_operands


def without_sugar(formula: Formula) -> Formula:
    """An equal formula without IMPLIES, EQUIV, FORALL, HISTORICALLY, ALWAYS, TRIGGER and RELEASE. LET stays.

    >>> from cep_core.language.temporal.formulas import Predicate
    >>> without_sugar(Implies(Predicate("p"), Predicate("q"))) == Or(Not(Predicate("p")), Predicate("q"))
    True
    """
    return expansion(with_operands(formula, without_sugar))


def expansion(formula: Formula) -> Formula:
    """What an abbreviation stands for; another formula is returned as it is. Operands are not looked at.

    >>> from cep_core.language.temporal.formulas import Predicate
    >>> from cep_core.language.temporal.interval import ANY_TIME
    >>> expansion(Historically(ANY_TIME, Predicate("p"))) == Not(Once(ANY_TIME, Not(Predicate("p"))))
    True
    """
    match formula:
        case Implies(left, right, at):
            return Or(Not(left, at), right, at)
        case Equiv(left, right, at):
            return And(Or(Not(left, at), right, at), Or(left, Not(right, at), at), at)
        case Forall(variables, body, at):
            return Not(Exists(variables, Not(body, at), at), at)
        case Historically(interval, body, at):
            return Not(Once(interval, Not(body, at), at), at)
        case Always(interval, body, at):
            return Not(Eventually(interval, Not(body, at), at), at)
        case Trigger(interval, left, right, at):
            return Not(Since(interval, Not(left, at), Not(right, at), at), at)
        case Release(interval, left, right, at):
            return Not(Until(interval, Not(left, at), Not(right, at), at), at)
        case _:
            return formula

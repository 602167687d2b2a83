"""Whether a core formula may hold where its log has no event: a slice without events must then be evaluated too."""

from __future__ import annotations

from cep_core.language.first_order.bind.declarations import is_built_in
from cep_core.language.temporal.formulas import (
    Aggregation,
    And,
    Eventually,
    Exists,
    Formula,
    Next,
    Once,
    Or,
    Predicate,
    Prev,
    Since,
    Truth,
    Until,
)


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

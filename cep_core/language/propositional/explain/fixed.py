"""Formulas that hold, or fail, on every log: a truth table over atoms and temporal parts, which are not looked into.

So `late IMPLIES (ONCE a OR NOT ONCE a)` is found to hold on every log. What is true for reasons of time, as
`(ONCE[0,5] a) IMPLIES ONCE[0,9] a`, is not. Cost: 2^10 bits for each part.
"""

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
from cep_core.language.temporal.walk import operands

_MOST = 10
"""Parts that a table tells apart. Of a formula with more of them nothing is said."""
_TRUE = (1 << (1 << _MOST)) - 1


def fixed_truth(core: Formula) -> bool | None:
    """The truth that a core formula has at every point of every log, None if none is found.

    >>> from cep_core.language.temporal.interval import Interval
    >>> late = Predicate("late")
    >>> fixed_truth(Or(late, Not(late))), fixed_truth(And(Once(Interval(), late), Not(Once(Interval(), late))))
    (True, False)
    >>> print(fixed_truth(Or(late, Once(Interval(1), Or(late, Not(late))))))  # the first point has no point before it
    None
    """
    tables = _Tables()
    table = tables.table(core)
    if len(tables.variables) > _MOST:
        return None
    return {0: False, _TRUE: True}.get(table)


class _Tables:
    """Bit r of a part's table: its truth where variable i has the truth that bit i of r says."""

    def __init__(self) -> None:
        self.variables: dict[Formula, int] = {}
        self.known: dict[Formula, int] = {}

    def table(self, formula: Formula) -> int:
        if formula not in self.known:
            self.known[formula] = self._table(formula)
        return self.known[formula]

    def _table(self, formula: Formula) -> int:
        match formula:
            case Truth():
                return _TRUE if formula.value else 0
            case Predicate():
                return self._variable(formula)
            case Not():
                return _TRUE ^ self.table(formula.body)
            case And():
                return self.table(formula.left) & self.table(formula.right)
            case Or():
                return self.table(formula.left) | self.table(formula.right)
        assert isinstance(formula, Prev | Next | Once | Eventually | Since | Until)
        witness = self.table(operands(formula)[-1])
        if witness == 0 or formula.interval.is_empty:
            return 0
        if witness == _TRUE and 0 in formula.interval and not isinstance(formula, Prev | Next):
            return _TRUE
        return self._variable(formula)

    def _variable(self, formula: Formula) -> int:
        number = self.variables.setdefault(formula, len(self.variables))
        if number >= _MOST:
            return 0
        # Runs of 2^number zeros and as many ones.
        return _TRUE // ((1 << (1 << number)) + 1) << (1 << number)

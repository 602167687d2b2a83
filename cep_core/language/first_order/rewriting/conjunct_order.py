"""Conjuncts are put in an order in which each finds its variables bound, as far as there is one.

>>> from cep_core.language.first_order.text.parsing import parse
>>> from cep_core.language.first_order.text.printing import formula_text
>>> print(formula_text(conjuncts_in_order(parse("x < 5 AND NOT Q(x) AND P(x)", "p.mfotl").formula)))
P(x) AND x < 5 AND NOT Q(x)
"""

from __future__ import annotations

from functools import reduce

from cep_core.language.first_order.safety.fragment import unsafe_in_conjunction, unsafe_part
from cep_core.language.temporal.formulas import And, Formula
from cep_core.language.temporal.walk import conjuncts, free_variables


def conjuncts_in_order(formula: Formula) -> Formula | None:
    """The first that fits is taken each time; what never fits comes last, in its order."""
    if not isinstance(formula, And):
        return None
    waiting = list(conjuncts(formula))
    ordered: list[Formula] = []
    bound: set[str] = set()
    while fitting := next((part for part in waiting if _fits(part, bound, first=not ordered)), None):
        ordered.append(fitting)
        bound.update(free_variables(fitting))
        waiting = [part for part in waiting if part is not fitting]
    result = reduce(lambda left, right: And(left, right, formula.at), [*ordered, *waiting])
    return None if result == formula else result


def _fits(part: Formula, bound: set[str], *, first: bool) -> bool:
    return (unsafe_part(part) if first else unsafe_in_conjunction(bound, part, part)) is None

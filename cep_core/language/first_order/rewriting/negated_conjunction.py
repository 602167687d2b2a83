"""NOT (a AND b) becomes NOT a OR NOT b if that binds all variables, alone or behind AND.

>>> from cep_core.language.first_order.text.parsing import parse
>>> from cep_core.language.first_order.text.printing import formula_text
>>> print(formula_text(negated_conjunction_split(parse("NOT (NOT P(x) AND NOT Q(x))", "p.mfotl").formula)))
P(x) OR Q(x)
"""

from __future__ import annotations

from cep_core.language.first_order.rewriting.double_negation import negation
from cep_core.language.first_order.safety.fragment import is_safe
from cep_core.language.first_order.safety.restricted import lacking
from cep_core.language.temporal.formulas import And, Formula, Not, Or
from cep_core.language.temporal.walk import free_variables


def negated_conjunction_split(formula: Formula) -> Formula | None:
    match formula:
        case Not(And(left, right), at) if free_variables(formula):
            split = Or(negation(left), negation(right), at)
            return None if lacking(split) else split
        case And(before, Not(And() as body, at), whole) if set(free_variables(body)) - set(free_variables(before)):
            sides = negation(body.left), negation(body.right)
            binds = not any(lacking(And(before, side)) for side in sides)
            return And(before, Or(*sides, at), whole) if binds and is_safe(before) else None
        case _:
            return None

"""NOT (a AND b) becomes NOT a OR NOT b if that binds all variables.

>>> from cep_core.language.first_order.text.parsing import parse
>>> from cep_core.language.first_order.text.printing import formula_text
>>> print(formula_text(negated_conjunction_split(parse("NOT (NOT P(x) AND NOT Q(x))", "p.mfotl").formula)))
P(x) OR Q(x)
"""

from __future__ import annotations

from cep_core.language.first_order.rewriting.double_negation import negation
from cep_core.language.first_order.safety.restricted import lacking
from cep_core.language.temporal.formulas import And, Formula, Not, Or
from cep_core.language.temporal.walk import free_variables


def negated_conjunction_split(formula: Formula) -> Formula | None:
    match formula:
        case Not(And(left, right), at) if free_variables(formula):
            split = Or(negation(left), negation(right), at)
            return None if lacking(split) else split
        case _:
            return None

"""NOT (a OR b) becomes NOT a AND NOT b, behind AND always, alone if that binds all variables.

>>> from cep_core.language.first_order.text.parsing import parse
>>> from cep_core.language.first_order.text.printing import formula_text
>>> print(formula_text(negated_disjunction_split(parse("NOT (NOT P(x) OR Q(x))", "p.mfotl").formula)))
P(x) AND NOT Q(x)
"""

from __future__ import annotations

from cep_core.language.first_order.rewriting.double_negation import negation
from cep_core.language.first_order.safety.fragment import is_safe
from cep_core.language.first_order.safety.restricted import lacking
from cep_core.language.temporal.formulas import And, Formula, Not, Or


def negated_disjunction_split(formula: Formula) -> Formula | None:
    match formula:
        case Not(Or(left, right), at) if not lacking(split := And(negation(left), negation(right), at)):
            return split
        case And(before, Not(Or(left, right), at), whole) if is_safe(before):
            return And(And(before, negation(left), at), negation(right), whole)
        case _:
            return None

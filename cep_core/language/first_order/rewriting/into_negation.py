"""a AND NOT b becomes a AND NOT (a AND b) where b lacks variables that a binds.

>>> from cep_core.language.first_order.text.parsing import parse
>>> from cep_core.language.first_order.text.printing import formula_text
>>> print(formula_text(negation_bound(parse("P(x) AND NOT (PREV NOT Q(x))", "p.mfotl").formula)))
P(x) AND NOT (P(x) AND (PREV NOT Q(x)))
"""

from __future__ import annotations

from dataclasses import replace

from cep_core.language.first_order.rewriting.guards import guard_for
from cep_core.language.temporal.formulas import And, Formula, Not
from cep_core.language.temporal.walk import free_variables


def negation_bound(formula: Formula) -> Formula | None:
    match formula:
        case And(left, Not(body, at)) if guard := guard_for(left, body):
            if set(free_variables(body)) <= set(free_variables(left)):
                return replace(formula, right=Not(And(guard, body, at), at))
    return None

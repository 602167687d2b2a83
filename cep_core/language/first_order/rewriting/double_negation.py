"""Two negations are none.

>>> from cep_core.language.first_order.text.parsing import parse
>>> from cep_core.language.first_order.text.printing import formula_text
>>> print(formula_text(without_double_negation(parse("NOT NOT P(x)", "p.mfotl").formula)))
P(x)
"""

from __future__ import annotations

from cep_core.language.temporal.formulas import Formula, Not


def without_double_negation(formula: Formula) -> Formula | None:
    match formula:
        case Not(Not(body)):
            return body
        case _:
            return None


def negation(formula: Formula) -> Formula:
    """NOT of a formula, without a double negation."""
    return formula.body if isinstance(formula, Not) else Not(formula, formula.at)

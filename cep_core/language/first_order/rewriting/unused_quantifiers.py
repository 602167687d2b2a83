"""A quantified variable that does not occur is dropped, with EXISTS itself if none is left.

>>> from cep_core.language.first_order.text.parsing import parse
>>> from cep_core.language.first_order.text.printing import formula_text
>>> print(formula_text(without_unused_variables(parse("EXISTS x, y. P(x) AND EXISTS z. Q()", "p.mfotl").formula)))
EXISTS x. (P(x) AND Q())
"""

from __future__ import annotations

from dataclasses import replace

from cep_core.language.temporal.formulas import Exists, Formula
from cep_core.language.temporal.kept import kept
from cep_core.language.temporal.walk import free_variables, with_operands


@kept
def without_unused_variables(formula: Formula) -> Formula:
    """The formula without such variables, everywhere in it."""
    formula = with_operands(formula, without_unused_variables)
    if not isinstance(formula, Exists):
        return formula
    free = free_variables(formula.body)
    used = tuple(name for name in formula.variables if name in free)
    if used == formula.variables:
        return formula
    return replace(formula, variables=used) if used else formula.body

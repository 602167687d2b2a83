"""a AND EXISTS x. b becomes a AND EXISTS x. (a AND b) where b lacks variables that a binds.

>>> from cep_core.language.first_order.text.parsing import parse
>>> from cep_core.language.first_order.text.printing import formula_text
>>> print(formula_text(quantified_body_bound(parse("P(x) AND EXISTS y. Q(y) AND x < y", "p.mfotl").formula)))
P(x) AND (EXISTS y. (P(x) AND (Q(y) AND x < y)))
"""

from __future__ import annotations

from dataclasses import replace

from cep_core.language.first_order.rewriting.guards import guard_for
from cep_core.language.temporal.formulas import And, Exists, Formula
from cep_core.language.temporal.walk import walk


def quantified_body_bound(formula: Formula) -> Formula | None:
    """Not if a part of a, copied from here as the sides of EQUIV are, binds one of the same names."""
    match formula:
        case And(left, Exists(variables, body, at) as right) if guard := guard_for(left, right):
            if _bound(guard).isdisjoint(variables):
                return replace(formula, right=Exists(variables, And(guard, body, body.at), at))
    return None


def _bound(formula: Formula) -> set[str]:
    return {name for part in walk(formula) if isinstance(part, Exists) for name in part.variables}

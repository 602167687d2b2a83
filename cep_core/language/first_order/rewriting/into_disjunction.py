"""a AND (b OR c) becomes a AND ((a AND b) OR (a AND c)) where b or c lacks variables that a binds.

>>> from cep_core.language.first_order.text.parsing import parse
>>> from cep_core.language.first_order.text.printing import formula_text
>>> print(formula_text(disjuncts_bound(parse("P(x) AND Q(y) AND (R(x) OR x < 5)", "p.mfotl").formula)))
P(x) AND Q(y) AND ((P(x) AND R(x)) OR (P(x) AND x < 5))
"""

from __future__ import annotations

from dataclasses import replace

from cep_core.language.first_order.rewriting.guards import guard_for
from cep_core.language.temporal.formulas import And, Formula, Or


def disjuncts_bound(formula: Formula) -> Formula | None:
    match formula:
        case And(left, Or() as right) if guard := guard_for(left, right):
            first, second = (And(guard, side, side.at) for side in (right.left, right.right))
            return replace(formula, right=Or(first, second, right.at))
        case _:
            return None

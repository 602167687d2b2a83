"""a AND PREV b becomes a AND PREV ((NEXT a) AND b) where b lacks variables that a binds; so with NEXT.

>>> from cep_core.language.first_order.text.parsing import parse
>>> from cep_core.language.first_order.text.printing import formula_text
>>> print(formula_text(neighbour_bound(parse("P(x) AND PREV[0,5] NOT Q(x)", "p.mfotl").formula)))
P(x) AND (PREV[0,5] ((NEXT[0,5] P(x)) AND NOT Q(x)))
"""

from __future__ import annotations

from dataclasses import replace

from cep_core.language.first_order.rewriting.guards import guard_for
from cep_core.language.temporal.formulas import And, Formula, Next, Prev


def neighbour_bound(formula: Formula) -> Formula | None:
    match formula:
        case And(left, (Prev(interval, body, at) | Next(interval, body, at)) as right) if guard := guard_for(
            left, body
        ):
            back = Next(interval, guard, at) if isinstance(right, Prev) else Prev(interval, guard, at)
            return replace(formula, right=replace(right, body=And(back, body, at)))
        case _:
            return None

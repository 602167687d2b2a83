"""a AND ONCE b becomes a AND ONCE ((EVENTUALLY a) AND b) where b lacks variables that a binds; so with EVENTUALLY.

>>> from cep_core.language.first_order.text.parsing import parse
>>> from cep_core.language.first_order.text.printing import formula_text
>>> print(formula_text(window_bound(parse("P(x) AND ONCE[2,5] NOT Q(x)", "p.mfotl").formula)))
P(x) AND (ONCE[2,5] ((EVENTUALLY[2,5] P(x)) AND NOT Q(x)))
"""

from __future__ import annotations

from dataclasses import replace

from cep_core.language.first_order.rewriting.guards import guard_for
from cep_core.language.temporal.formulas import And, Eventually, Formula, Once


def window_bound(formula: Formula) -> Formula | None:
    """Only with an upper bound: without one, the way back would look ahead for ever."""
    match formula:
        case And(left, (Once(interval, body, at) | Eventually(interval, body, at)) as right) if interval.is_bounded:
            guard = guard_for(left, body)
            if guard is None:
                return None
            back = Eventually(interval, guard, at) if isinstance(right, Once) else Once(interval, guard, at)
            return replace(formula, right=replace(right, body=And(back, body, at)))
        case _:
            return None

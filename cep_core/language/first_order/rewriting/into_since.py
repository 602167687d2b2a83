"""a AND (b SINCE c) becomes a AND (b SINCE ((EVENTUALLY a) AND c)) where c lacks variables that a binds; so with UNTIL.

>>> from cep_core.language.first_order.text.parsing import parse
>>> from cep_core.language.first_order.text.printing import formula_text
>>> print(formula_text(right_side_bound(parse("P(x, y) AND (Q(x) SINCE[0,5] R(y))", "p.mfotl").formula)))
P(x, y) AND (Q(x) SINCE[0,5] ((EVENTUALLY[0,5] P(x, y)) AND R(y)))
"""

from __future__ import annotations

from dataclasses import replace

from cep_core.language.first_order.rewriting.guards import guard_for
from cep_core.language.temporal.formulas import And, Eventually, Formula, Once, Since, Until


def right_side_bound(formula: Formula) -> Formula | None:
    """Also where b has variables that c has not. Only with an upper bound, as for ONCE."""
    match formula:
        case And(left, (Since() | Until()) as right) if right.interval.is_bounded:
            guard = guard_for(left, right)
            if guard is None:
                return None
            window, at = right.interval, right.at
            back = Eventually(window, guard, at) if isinstance(right, Since) else Once(window, guard, at)
            return replace(formula, right=replace(right, right=And(back, right.right, at)))
        case _:
            return None

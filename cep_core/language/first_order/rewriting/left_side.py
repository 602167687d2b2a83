"""The left side of SINCE and UNTIL is bound by the right one: where it matters, that one was or will be true.

>>> from cep_core.language.first_order.text.parsing import parse
>>> from cep_core.language.first_order.text.printing import formula_text
>>> print(formula_text(left_side_bound(parse("NOT (P(x) AND x < y) SINCE[2,5] Q(x, y)", "p.mfotl").formula)))
((ONCE[0,5] Q(x, y)) AND NOT (P(x) AND x < y)) SINCE[2,5] Q(x, y)
"""

from __future__ import annotations

from dataclasses import replace

from cep_core.language.first_order.rewriting.guards import guard_for
from cep_core.language.first_order.safety.fragment import is_safe
from cep_core.language.temporal.formulas import And, Eventually, Formula, Not, Once, Since, Until
from cep_core.language.temporal.interval import Interval
from cep_core.language.temporal.walk import free_variables


def left_side_bound(formula: Formula) -> Formula | None:
    """The left side counts from the point of the right side on, at most the upper bound away."""
    if not isinstance(formula, Since | Until) or not is_safe(formula.right):
        return None
    left = formula.left
    side = left.body if isinstance(left, Not) else left
    guard = guard_for(formula.right, side)
    if guard is None or is_safe(side) or not set(free_variables(left)) <= set(free_variables(formula.right)):
        return None
    window = Interval(0, formula.interval.high)
    near = Once(window, guard, left.at) if isinstance(formula, Since) else Eventually(window, guard, left.at)
    return replace(formula, left=And(near, left, left.at))

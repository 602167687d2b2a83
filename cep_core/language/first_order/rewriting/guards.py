"""Guards: the conjuncts on the left of an AND that bind what is lacking on the right, for rules to repeat there."""

from __future__ import annotations

from collections.abc import Set
from functools import reduce

from cep_core.language.first_order.safety.fragment import is_safe
from cep_core.language.first_order.safety.restricted import lacking
from cep_core.language.temporal.formulas import And, Formula
from cep_core.language.temporal.walk import conjuncts, free_variables


def guard_of(left: Formula, names: Set[str]) -> Formula | None:
    """A safe conjunction of some conjuncts of `left` that binds those of the variables that `left` binds; None if none.

    >>> from cep_core.language.first_order.text.parsing import parse
    >>> from cep_core.language.first_order.text.printing import formula_text
    >>> left = parse("P(x) AND Q(y) AND z = y + 1 AND x < 3", "p.mfotl").formula
    >>> formula_text(guard_of(left, {"z", "v"}))  # v is not bound
    'Q(y) AND z = y + 1'
    """
    wanted = set(names) & set(free_variables(left))
    if not wanted or not is_safe(left):
        return None
    parts = tuple(conjuncts(left))
    binders = {name: place for place, part in reversed([*enumerate(parts)]) for name in free_variables(part)}
    chosen: set[int] = set()
    while wanted:
        place = binders[wanted.pop()]
        if place not in chosen and not is_safe(parts[place]):  # an assignment needs what its value is made of
            wanted.update(free_variables(parts[place]))
        chosen.add(place)
    return reduce(And, (parts[place] for place in sorted(chosen)))


def guard_for(left: Formula, right: Formula) -> Formula | None:
    """What of `left` binds variables that are free and not restricted in `right`."""
    return guard_of(left, lacking(right))

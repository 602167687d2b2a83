"""What the first line `-- policy: must hold` says.

What must hold is negated, so that the result is its violations: outer ALWAYS[0,*) and FORALL are stripped first, since
the violations of every point and every value are asked for anyway.
"""

from __future__ import annotations

from cep_core.language.errors import Position
from cep_core.language.first_order.rewriting.core import core_of
from cep_core.language.first_order.safety.fragment import is_safe
from cep_core.language.temporal.formulas import Always, Forall, Formula, Implies, Not
from cep_core.language.temporal.interval import ANY_TIME


def violation_of(formula: Formula, head: Position) -> Formula:
    """The negation of what must hold. `formula`: as parsed, so that an interval without units is as written.

    >>> from cep_core.language.temporal.formulas import Predicate
    >>> from cep_core.language.temporal.terms import Variable
    >>> p = Predicate("P", (Variable("x"),))
    >>> violation_of(Always(ANY_TIME, Forall(("x",), p)), Position(1, 1))
    Not(body=Predicate(event_type='P', arguments=(Variable(name='x'),), names=None))
    """
    while True:
        match formula:
            case Forall():
                formula = formula.body
            case Always() if _is_any_time(formula):
                formula = formula.body
            case Not():
                return formula.body
            case _:
                return Not(formula, head)


def condition_of(violation: Formula) -> Formula | None:
    """The left side of what must hold, as a core formula, from `violation_of` of an IMPLIES.

    None for any other formula, and for a left side that cannot be monitored by itself.

    >>> from cep_core.language.temporal.formulas import Predicate
    >>> from cep_core.language.temporal.terms import Variable
    >>> p, q = (Predicate(name, (Variable("x"),)) for name in "PQ")
    >>> condition_of(Not(Implies(p, q))) == p, condition_of(Not(Implies(Not(p), Not(q))))
    (True, None)
    """
    match violation:
        case Not(Implies(left)):
            core = core_of(left)
            return core if is_safe(core) else None
        case _:
            return None


def _is_any_time(formula: Always) -> bool:
    interval = formula.interval
    return interval.low == ANY_TIME.low and interval.high is None and not interval.low_open

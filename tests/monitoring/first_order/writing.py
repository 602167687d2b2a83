"""Short ways to write formulas in tests."""

from __future__ import annotations

from cep_core.language.first_order.bind.declarations import BUILT_IN
from cep_core.language.temporal.formulas import And, Comparison, Formula, Not, Predicate
from cep_core.language.temporal.interval import Interval
from cep_core.language.temporal.terms import Arithmetic, Constant, Term, Variable


def term(written: Term | str | float) -> Term:
    """A text names a variable, or is a constant in quotes; a number is a constant."""
    if isinstance(written, str):
        return Constant(written[1:-1]) if written.startswith("'") else Variable(written)
    return Constant(written) if isinstance(written, int | float) else written


def atom(event_type: str, *arguments: Term | str | float) -> Predicate:
    """An atom with arguments by position; `tp`, `ts` and `tpts` with names, as binding leaves them."""
    return Predicate(event_type, tuple(map(term, arguments)), BUILT_IN.get(event_type))


def conjunction(first: Formula, *further: Formula) -> Formula:
    for formula in further:
        first = And(first, formula)
    return first


def without(left: Formula, right: Formula) -> Formula:
    return And(left, Not(right))


def compare(left: Term | str | float, symbol: str, right: Term | str | float) -> Comparison:
    return Comparison(symbol, term(left), term(right))


def plus(left: Term | str | float, right: Term | str | float) -> Arithmetic:
    return Arithmetic("+", term(left), term(right))


def up_to(high: int | None, low: int = 0) -> Interval:
    return Interval(low, high)

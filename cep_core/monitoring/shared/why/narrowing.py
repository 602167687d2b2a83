"""The points at which a formula may have its sign, as the events of its atoms tell without evaluating it.

A claim that something holds at one point of many is looked for at these points only. Cost: one pass over the events of
each atom's type, then those in reach; formulas without such atoms narrow nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cep_core.language.first_order.bind.declarations import is_built_in
from cep_core.language.temporal.formulas import And, Exists, Formula, Not, Or, Predicate
from cep_core.language.temporal.sugar import expansion
from cep_core.monitoring.shared.why.proof import Valuation
from cep_core.monitoring.shared.why.reading import LogReader

SignedPart = tuple[Formula, bool]


def narrowed(
    reader: LogReader, formula: Formula, holds: bool, valuation: Valuation, places: Sequence[int]
) -> Sequence[int]:
    """Those of the places at which the formula may hold (or not), in their order. `places`: adjacent ones."""
    if not places:
        return places
    first, last = places[0], places[-1]
    possible = _possible(reader, formula, holds, valuation, (min(first, last), max(first, last)))
    return places if possible is None else sorted(possible, reverse=first > last)


def _possible(
    reader: LogReader, formula: Formula, holds: bool, valuation: Valuation, ends: tuple[int, int]
) -> set[int] | None:
    """Those between the ends, which are among them; None: any point."""
    possible: set[int] | None = None
    for part, sign in conjuncts(formula, holds):
        points = None
        if isinstance(part, Predicate) and sign and not is_built_in(part):
            points = set(reader.points_of(part, valuation, ends))
        elif isinstance(part, And | Or):  # others of their sign are conjuncts
            left, right = (_possible(reader, side, sign, valuation, ends) for side in (part.left, part.right))
            points = None if left is None or right is None else left | right
        if points is not None:
            possible = points if possible is None else possible & points
    return possible


def conjuncts(formula: Formula, holds: bool) -> Iterator[SignedPart]:
    """What must all be so for a formula to have its sign, without sugar; names bound below have no value."""
    formula = expansion(formula)
    match formula:
        case Not(body=body):
            yield from conjuncts(body, not holds)
        case And(left=left, right=right) if holds:
            yield from [*conjuncts(left, holds), *conjuncts(right, holds)]
        case Or(left=left, right=right) if not holds:
            yield from [*conjuncts(left, holds), *conjuncts(right, holds)]
        case Exists(body=body) if holds:
            yield from conjuncts(body, holds)
        case _:
            yield formula, holds

"""How many claims a proof needs at least, known before it is made: those about every point in reach of an interval.

`NOT EVENTUALLY[0,60s] insert(x)` has a claim for each time-point of a minute in its proof, which may be too many to be
told. Then none of them needs to be looked at. Cost: a binary search for each operator at the claim's own point.
"""

from __future__ import annotations

from cep_core.language.temporal.formulas import (
    Always,
    And,
    Eventually,
    Formula,
    Historically,
    Implies,
    Next,
    Not,
    Once,
    Or,
    Prev,
)
from cep_core.monitoring.shared.why.reading import LogReader


def least_claims(reader: LogReader, formula: Formula, point: int, holds: bool) -> int:
    """A lower bound of the claims that `ProofMaker.proof` looks at for a claim that is so."""
    match formula:
        case Not(body=body):
            return 1 + least_claims(reader, body, point, not holds)
        case And(left=left, right=right) if holds:
            return 1 + _larger(reader, [(left, True), (right, True)], point)
        case Or(left=left, right=right) if not holds:
            return 1 + _larger(reader, [(left, False), (right, False)], point)
        case Implies(left=left, right=right) if not holds:
            return 1 + _larger(reader, [(left, True), (right, False)], point)
        case Prev() | Next():
            place = reader.neighbour(formula.interval, point, -1 if isinstance(formula, Prev) else 1)
            return 1 if place is None else 1 + least_claims(reader, formula.body, place, holds)
        case Once() | Historically() | Eventually() | Always() if holds != isinstance(formula, Once | Eventually):
            step = -1 if isinstance(formula, Once | Historically) else 1
            return 1 + len(reader.reached(formula.interval, point, step))
    return 1


def _larger(reader: LogReader, needed: list[tuple[Formula, bool]], point: int) -> int:
    """Of two claims that are needed, which may share claims."""
    return max(least_claims(reader, part, point, sign) for part, sign in needed)

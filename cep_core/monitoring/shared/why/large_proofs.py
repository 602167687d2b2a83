"""A proof that is too large to be made, told as far as its parts are small.

`delete(x) AND NOT EVENTUALLY[0,30h] insert(x)` has a claim for each time-point of thirty hours in its proof, but its
left side is proven by one event. So of a conjunction each part is proven by itself, of a disjunction the one part that
may be so, and what is too large still is a claim without its proof. Such a tree says less than a proof, and the checker
refuses it. Cost: for each part, the claims that may be looked at, unless it is known before that they are too many
(`least_claims`).
"""

from __future__ import annotations

from cep_core.language.temporal.formulas import And, Formula, Implies, Not, Or
from cep_core.language.temporal.walk import free_variables
from cep_core.monitoring.shared.why.least_claims import least_claims
from cep_core.monitoring.shared.why.proof import ProofTree, Valuation
from cep_core.monitoring.shared.why.proving import ProofMaker

_Claim = tuple[Formula, bool]


def proof_in_part(
    maker: ProofMaker, formula: Formula, point: int, valuation: Valuation, holds: bool, most: int
) -> ProofTree:
    """The smallest proof of a claim that is so; if more than `most` claims are looked at for it, those of its parts."""
    is_large = least_claims(maker.reader, formula, point, holds) > most
    tree = None if is_large else maker.small_proof(formula, point, valuation, holds, most)
    return _of_large(maker, formula, point, valuation, holds, most) if tree is None else tree


def _of_large(
    maker: ProofMaker, formula: Formula, point: int, valuation: Valuation, holds: bool, most: int
) -> ProofTree:
    """What is told of a claim whose own proof is too large."""
    if needed := _conjuncts(formula, holds):
        parts = [proof_in_part(maker, part, point, _own(part, valuation), sign, most) for part, sign in needed]
    else:
        parts = _of_disjuncts(maker, formula, point, valuation, holds, most)
    if all(part.untold for part in parts):
        return ProofTree(formula, point, valuation, holds, untold=True)
    return ProofTree(formula, point, valuation, holds, tuple(parts))


def _conjuncts(formula: Formula, holds: bool) -> list[_Claim]:
    """The claims at the same point that all are needed for a claim; none if it depends on the log which are."""
    match formula:
        case Not(body=body):
            return [(body, not holds)]
        case And(left=left, right=right) if holds:
            return [(left, True), (right, True)]
        case Or(left=left, right=right) if not holds:
            return [(left, False), (right, False)]
        case Implies(left=left, right=right) if not holds:
            return [(left, True), (right, False)]
    return []


def _disjuncts(formula: Formula, holds: bool) -> list[_Claim]:
    """The claims at the same point of which one is enough; none if there are none."""
    match formula:
        case And(left=left, right=right) if not holds:
            return [(left, False), (right, False)]
        case Or(left=left, right=right) if holds:
            return [(left, True), (right, True)]
        case Implies(left=left, right=right) if holds:
            return [(left, False), (right, True)]
    return []


def _of_disjuncts(
    maker: ProofMaker, formula: Formula, point: int, valuation: Valuation, holds: bool, most: int
) -> list[ProofTree]:
    """The part that is small, or what is told of the one that alone may be so; none if several may be."""
    large = []
    for part, sign in _disjuncts(formula, holds):
        tree = maker.small_proof(part, point, _own(part, valuation), sign, most)
        if tree is not None:
            return [tree]
        if maker.was_cut:
            large.append((part, sign))
    return [_of_large(maker, part, point, _own(part, valuation), sign, most) for part, sign in large if len(large) == 1]


def _own(part: Formula, valuation: Valuation) -> Valuation:
    """The values of a part's free variables."""
    return {name: valuation[name] for name in free_variables(part)}

"""What a proof rests on, apart from its own place: two points with the same basis have the same explanation.

A basis is the set of the proof's leaves. An event at the point that is explained counts as "here", any other one is
this event; an absence counts by what was sought, since where it was sought moves with the point. So "used, though
deleted at 20" is one explanation of a hundred uses, and "opened here, not closed" of all openings of an hour. Cost:
linear in the leaves.
"""

from __future__ import annotations

from cep_core.language.temporal.formulas import Formula
from cep_core.monitoring.shared.why.proof import ProofTree

HERE, NOWHERE = -1, -2
Basis = frozenset[tuple[Formula, int]]
"""Atoms, each with the point of its event; `HERE` at the point itself, `NOWHERE` for an absence."""


def basis_of(tree: ProofTree) -> Basis:
    """What the proof of a claim without values rests on.

    >>> from cep_core.language.temporal.formulas import And, Not, Predicate
    >>> a, b = Predicate("a"), Predicate("b")
    >>> def absent(point):
    ...     return ProofTree(And(a, Not(b)), point, {}, True, (
    ...         ProofTree(a, point, {}, True), ProofTree(Not(b), point, {}, True, (ProofTree(b, point, {}, False),))))
    >>> basis_of(absent(3)) == basis_of(absent(4)), len(basis_of(absent(3)))
    (True, 2)
    """
    return frozenset((leaf.formula, _place(leaf, tree.point)) for leaf in tree.leaves())


def _place(leaf: ProofTree, own: int) -> int:
    if not leaf.holds:
        return NOWHERE
    return HERE if leaf.point == own else leaf.point

"""Proof trees of verdicts: why a formula holds, or does not hold, at a point for a valuation.

A node claims that a subformula holds or does not hold at a point; its children are the claims from which that follows
(rules: `checker`). A leaf is one atom or one test at one point: an event, by `seq` if the log has it, or its absence.
The idea is that of Lima, Herasimau, Raszyk, Traytel and Yuan, "Explainable online monitoring of metric temporal logic"
(TACAS 2023) and of WhyMon.

The formula is the policy's as written with LET unfolded, all other operators kept (`Policy.unfolded`): a reader finds
the own words again, sees what a definition means at the place of its use, and a checker needs no scopes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from cep_core.language.temporal.formulas import Comparison, Formula, Matches, Predicate
from cep_core.monitoring.shared.scalars import Value


@dataclass(frozen=True)
class AnyOther:
    """Every value but these, at once: what is claimed with it is claimed for each such value.

    `fixed`: an equation of the formula gives the variable another value. Slices lack events with such values, so what
    is claimed of them is proven by that equation, never by the absence of an event.
    """

    excluded: frozenset[Value]
    fixed: bool = False


Reading = Value | AnyOther
Valuation = Mapping[str, Reading]
"""Values of the free variables of a formula."""


def is_beside_equation(reading: Reading) -> bool:
    """Whether a variable stands for values that an equation excludes."""
    return isinstance(reading, AnyOther) and reading.fixed


@dataclass(frozen=True)
class ProofTree:
    """A claim and the claims that prove it. Children are in order of the formula's operands, then of points or values.

    `point`: the index from the start of the log; the index after the last is the empty point that closes the log.
    `seq`: the event of a leaf that holds, if the log has `seq`. `untold`: what proves the claim is left out.
    """

    formula: Formula
    point: int
    valuation: Valuation
    holds: bool
    children: tuple[ProofTree, ...] = ()
    seq: int | None = None
    untold: bool = False

    @property
    def is_leaf(self) -> bool:
        return isinstance(self.formula, Predicate | Comparison | Matches)

    @cached_property
    def size(self) -> int:
        """The number of leaves, each counted as often as it is used."""
        return self.is_leaf + sum(child.size for child in self.children)

    @cached_property
    def points(self) -> tuple[int, ...]:
        """The points of the leaves, ascending."""
        if self.is_leaf:
            return (self.point,)
        return tuple(sorted(point for child in self.children for point in child.points))

    def leaves(self) -> Iterator[ProofTree]:
        """The leaves from left to right."""
        if self.is_leaf:
            yield self
        for child in self.children:
            yield from child.leaves()

"""Branch and bound for share vectors: the least cost without looking at all vectors (paper 01, Algorithm 2).

A vector gives each variable a share, an integer of at least 1; their product is at most the number of slices. The cost
is the sum over atoms of rate / product of the shares of the atom's variables.

1. A variable whose atoms are some of another's keeps share 1: the other would use its share better. Atoms that then
   have the same variables count as one.
2. A good vector is there from the start: shares grow by one where that saves most for its bits. Variables get their
   shares one after the other. A block of partial vectors is extended at once, and only the part that looks best is
   taken further first. Memory holds a few blocks, never a level of the tree.
3. A partial vector is dropped if neither of two bounds lets it come down to the best cost so far (`partial_vectors`).
4. Two variables that may change places, because the atoms stay the same, have descending shares.

A vector that can only cost the same is dropped, too, unless it may win the tie: where rates are equal, thousands cost
the same. Whole vectors are compared exactly.
Cost: O(variables * atoms) array operations for a partial vector; most are dropped by the first bound alone. How many
there are is not bounded by a polynomial; `ShareSearch.looked_at` tells.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import fsum
from typing import Any

import numpy as np

from cep_core.arrays import Flags, Floats, Ints
from cep_core.slicing.share_search.partial_vectors import MOST_TABLED, NEARLY, PartialVectors

BLOCK = 512
"""Partial vectors that are extended at once."""
FIRST = 16
"""Of the extensions of a block, the most promising ones go first: they soon give a vector that is hard to beat."""
SOON = 10_000
"""After so many partial vectors, blocks are taken further as a whole."""

Vector = tuple[int, ...]
Rank = Callable[[Vector], Any]


@dataclass
class ShareSearch:
    """The best share vectors for one set of atoms. `members`: (atoms x variables), which atom has which variable."""

    members: Flags
    rates: Floats
    looked_at: int = 0
    """Partial vectors whose bounds were computed by the last call."""

    def best(self, slices: int, free: Sequence[int], rank: Rank) -> Vector:
        """The vector with the least `rank`: its exact cost first. Only the variables in `free` may exceed 1."""
        self.looked_at = 0
        members, rates = self.members[self.rates > 0], self.rates[self.rates > 0]
        order = _useful(members, rates, free)
        base = np.ones(self.members.shape[1], np.int64)
        if len(order) <= 1 or slices == 1:  # the more coordinates of the only useful variable, the cheaper
            base[order] = slices
            return tuple(base.tolist())
        twins = _earlier_twins(members[:, order], rates)
        partial = PartialVectors(*_united(members[:, order], rates), twins, np.argsort(order), min(slices, MOST_TABLED))

        def whole(vector: Ints) -> Vector:
            filled = base.copy()
            filled[order] = vector
            return tuple(filled.tolist())

        held = partial.begun(slices)
        best, least = whole(held), float(partial.costs(held[None]).sum())
        best_rank = rank(best)
        stack = [(np.ones((1, 0), np.int64), np.array([slices], np.int64), np.zeros(1))]
        while stack:
            shares, left, bounds = stack.pop()
            keep = partial.may_win(shares, left, bounds, least, held)
            if not keep.any():
                continue
            shares, left = partial.extended(shares[keep], left[keep])
            self.looked_at += len(shares)
            if shares.shape[1] < len(order):
                bounds = partial.bounds(shares, left, least)
                promising = np.argsort(np.round(bounds / least, 9), kind="stable")
                ahead = FIRST if self.looked_at < SOON else BLOCK
                first, others = promising[:ahead], promising[ahead:]
                for part in (*np.array_split(others, range(BLOCK, len(others), BLOCK))[::-1], first):
                    stack.append((shares[part], left[part], bounds[part]))
                continue
            costs = partial.costs(shares).sum(axis=1)
            for vector in shares[costs <= min(least, float(costs.min())) * (1 + NEARLY)]:
                candidate = whole(vector)
                candidate_rank = rank(candidate)
                if candidate_rank < best_rank:
                    best, best_rank, held = candidate, candidate_rank, vector
                    least = float(partial.costs(vector[None]).sum())
        return best


def _useful(members: Flags, rates: Floats, free: Sequence[int]) -> list[int]:
    """The free variables that can lower the cost, those with the largest rates first."""
    atoms_of = {index: frozenset(np.flatnonzero(members[:, index]).tolist()) for index in free}
    sets = atoms_of.values()
    useful = [index for index, own in atoms_of.items() if own and not any(own < other for other in sets)]
    return sorted(useful, key=lambda index: (-fsum(rates[members[:, index]]), index))


def _united(members: Flags, rates: Floats) -> tuple[Flags, Floats]:
    """Atoms with the same variables as one; those without any add the same to every cost."""
    distinct, places = np.unique(members, axis=0, return_inverse=True)
    united: Floats = np.bincount(places.reshape(-1), rates, len(distinct)).astype(np.float64)
    return distinct, united


def _earlier_twins(members: Flags, rates: Floats) -> list[int | None]:
    """For each variable the last one before it that may change places with it; None: no such.

    Twins have equal rates in all, so sorting by rate kept their order.
    """
    masks = [sum(1 << index for index in np.flatnonzero(row).tolist()) for row in members]
    totals = [fsum(rates[column]) for column in members.T]

    def without(own: int, other: int) -> list[tuple[int, float]]:
        """The atoms that have `own` and lack `other`."""
        pair = 1 << own | 1 << other
        return sorted((mask & ~pair, rate) for mask, rate in zip(masks, rates, strict=True) if mask & pair == 1 << own)

    twins: list[int | None] = []
    for later in range(members.shape[1]):
        near = (earlier for earlier in reversed(range(later)) if totals[earlier] == totals[later])
        twins.append(next((earlier for earlier in near if without(earlier, later) == without(later, earlier)), None))
    return twins

"""Share optimisation: how many coordinates each variable gets (paper 01, Algorithm 2).

For every set H of variables that are assumed to carry heavy values, it finds the share vector with the least cost. The
product of its shares is at most the number of slices, and the variables in H have share 1. The cost is the sum over
atoms of rate / product of the shares of the atom's variables, an upper bound on the expected maximum load. Ties go to
the least maximum share (it is safer against unknown heavy hitters), then to the fewest slices, then to the vector that
gives earlier variables more. Rates are compared exactly, so rounding never breaks a tie.

Cost: all vectors of n shares with product at most p are tried for each H; there are O(p log^(n-1) p) of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import chain, combinations
from math import prod

import numpy as np
import numpy.typing as npt

from cep_core.language.evaluator import Atom

MOST_HEAVY_VARIABLES = 30

Rate = int | float | Fraction


def optimize_shares(
    atoms: Sequence[Atom],
    variables: Sequence[str],
    slices: int,
    rates: Mapping[str, Rate] | Sequence[Rate] | None = None,
    heavy: Iterable[str] = (),
) -> dict[frozenset[str], tuple[int, ...]]:
    """The best shares, in the order of `variables`, for each set of variables with heavy values.

    `rates`: events by event type, or one number for each atom; None: all equal. `heavy`: variables that have at least
    one heavy value. More than 30 raise ValueError, because every subset of them gets a share vector.

    Paper 01, Examples 4 and 5, the triangle query on 64 slices:

    >>> triangle = [Atom("P", (("a", "x"), ("b", "y"))), Atom("Q", (("a", "y"), ("b", "z"))),
    ...             Atom("R", (("a", "z"), ("b", "x")))]
    >>> optimize_shares(triangle, "xyz", slices=64)
    {frozenset(): (4, 4, 4)}
    >>> optimize_shares(triangle, "xyz", slices=64, heavy=["x"])[frozenset("x")]
    (1, 8, 8)
    """
    heavy_variables = [variable for variable in variables if variable in set(heavy)]
    if len(heavy_variables) > MOST_HEAVY_VARIABLES:
        raise ValueError(
            f"{len(heavy_variables)} variables with heavy values, at most {MOST_HEAVY_VARIABLES} can be treated"
        )
    if slices < 1:
        raise ValueError(f"slices must be at least 1, found {slices}")
    weights = rates_of(atoms, rates)
    return {
        frozenset(group): best_shares(atoms, variables, slices, weights, frozenset(group))
        for group in subsets(heavy_variables)
    }


def best_shares(
    atoms: Sequence[Atom], variables: Sequence[str], slices: int, rates: Sequence[Fraction], heavy: frozenset[str]
) -> tuple[int, ...]:
    """The best share vector that gives the `heavy` variables share 1. `rates`: one for each atom."""
    free = [index for index, variable in enumerate(variables) if variable not in heavy]
    vectors = np.ones((len(_share_vectors(len(free), slices)), len(variables)), np.int64)
    vectors[:, free] = _share_vectors(len(free), slices)
    members = [[index for index, name in enumerate(variables) if name in bound(atom)] for atom in atoms]
    costs = sum(
        (float(rate) / vectors[:, member].prod(axis=1) for rate, member in zip(rates, members, strict=True)),
        start=np.zeros(len(vectors)),
    )
    cheapest = vectors[costs <= costs.min() * (1 + 1e-9)]

    def rank(shares: tuple[int, ...]) -> tuple[Fraction, int, int, tuple[int, ...]]:
        return cost(atoms, variables, rates, shares), max(shares, default=1), prod(shares), tuple(-s for s in shares)

    return min((tuple(int(share) for share in vector) for vector in cheapest), key=rank)


def cost(atoms: Sequence[Atom], variables: Sequence[str], rates: Sequence[Fraction], shares: Sequence[int]) -> Fraction:
    """Sum over atoms of rate / product of the shares of the atom's variables."""
    share = dict(zip(variables, shares, strict=True))
    return sum(
        (rate / prod(share.get(name, 1) for name in bound(atom)) for atom, rate in zip(atoms, rates, strict=True)),
        start=Fraction(0),
    )


def bound(atom: Atom) -> frozenset[str]:
    """The distinct variables of an atom."""
    return frozenset(variable for _, variable in atom.variables)


def rates_of(atoms: Sequence[Atom], rates: Mapping[str, Rate] | Sequence[Rate] | None) -> tuple[Fraction, ...]:
    """One exact rate for each atom; all 1 if no rates are given."""
    if rates is None:
        return tuple(Fraction(1) for _ in atoms)
    if isinstance(rates, Mapping):
        return tuple(Fraction(rates[atom.event_type]) for atom in atoms)
    return tuple(Fraction(rate) for rate in rates)


def subsets(variables: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """All sets of variables, smaller ones first.

    >>> list(subsets("xy"))
    [(), ('x',), ('y',), ('x', 'y')]
    """
    return chain.from_iterable(combinations(variables, size) for size in range(len(variables) + 1))


@lru_cache(maxsize=256)
def _share_vectors(count: int, slices: int) -> npt.NDArray[np.int64]:
    """All vectors of `count` positive integers with product at most `slices`, one in each row."""
    vectors = np.ones((1, 0), np.int64)
    budget = np.array([slices], np.int64)
    for _ in range(count):
        rows = np.repeat(np.arange(len(budget)), budget)
        shares = np.arange(len(rows)) - np.repeat(np.cumsum(budget) - budget, budget) + 1
        vectors = np.column_stack([vectors[rows], shares])
        budget = budget[rows] // shares
    return vectors

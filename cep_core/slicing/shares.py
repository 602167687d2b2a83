"""Share optimisation: how many coordinates each variable gets (paper 01, Algorithm 2).

For every set H of variables that are assumed to carry heavy values, it finds the share vector with the least cost. The
product of its shares is at most the number of slices, and the variables in H have share 1. The cost is the sum over
atoms of rate / product of the shares of the atom's variables, an upper bound on the expected maximum load. Ties go to
the least maximum share (it is safer against unknown heavy hitters), then to the fewest slices, then to the vector that
gives earlier variables more. Rates are compared exactly, so rounding never breaks a tie.

Cost: a branch and bound for each H (`share_search`); of the O(p log^(n-1) p) vectors it looks at few.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import chain, combinations
from math import prod

import numpy as np

from cep_core.language.evaluator import Atom
from cep_core.slicing.share_search.search import ShareSearch

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
    shares: dict[frozenset[str], tuple[int, ...]] = {}
    for group in map(frozenset, subsets(heavy_variables)):
        shares[group] = best_shares(atoms, variables, slices, weights, group, shares)
    return shares


def best_shares(
    atoms: Sequence[Atom],
    variables: Sequence[str],
    slices: int,
    rates: Sequence[Fraction],
    heavy: frozenset[str],
    known: Mapping[frozenset[str], tuple[int, ...]],
) -> tuple[int, ...]:
    """The best share vector that gives the `heavy` variables share 1. `rates`: one for each atom.

    `known`: the best ones of smaller sets. One that gives share 1 to all of `heavy` is the best here, too: it won
    against more vectors.
    """
    for name in sorted(heavy):
        wider = known.get(heavy - {name})
        if wider is not None and wider[variables.index(name)] == 1:
            return wider
    return searched(atoms, variables, slices, rates, heavy)[0]


def searched(
    atoms: Sequence[Atom], variables: Sequence[str], slices: int, rates: Sequence[Fraction], heavy: frozenset[str]
) -> tuple[tuple[int, ...], int]:
    """The best share vector, as `best_shares`, and how many partial vectors were looked at to find it."""
    names = list(variables)
    members = np.array([[name in own for name in names] for own in map(bound, atoms)], np.bool_)
    search = ShareSearch(members.reshape(len(atoms), len(names)), np.array([float(rate) for rate in rates]))

    def rank(shares: tuple[int, ...]) -> tuple[Fraction, int, int, tuple[int, ...]]:
        return cost(atoms, names, rates, shares), max(shares, default=1), prod(shares), tuple(-s for s in shares)

    free = [index for index, name in enumerate(names) if name not in heavy]
    return search.best(slices, free, rank), search.looked_at


def cost(atoms: Sequence[Atom], variables: Sequence[str], rates: Sequence[Fraction], shares: Sequence[int]) -> Fraction:
    """Sum over atoms of rate / product of the shares of the atom's variables."""
    share = dict(zip(variables, shares, strict=True))
    by_product: dict[int, Fraction] = {}
    for atom, rate in zip(atoms, rates, strict=True):
        times = prod(share.get(name, 1) for name in bound(atom))
        by_product[times] = by_product.get(times, Fraction(0)) + rate
    return sum((rate / times for times, rate in by_product.items()), start=Fraction(0))


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

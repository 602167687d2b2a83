"""The kernels that join relations, in one table: which parts of a chain they take, and the rows that they keep.

Of all sets of parts that a kernel takes, the cheapest is joined first; the cost is the number of rows of the set, so
that small parts come first. A triangle goes before pairs of its sides, and a star of three before two, since they keep
no rows but results. Another choice changes the cost and never the result. Cycles of more than three parts are joined
in pairs, and relations without common variables by a product, last.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from cep_core.monitoring.first_order.arrays.relation import Relation
from cep_core.monitoring.first_order.operators.conjunction import shared_by, star, triangle


@dataclass(frozen=True)
class Join:
    """A way to join relations."""

    name: str
    words: str
    """How it joins, in the words of `explain`."""
    order: str
    """Its cost in words. N: the most rows of a part."""
    sets: Callable[[Sequence[Relation]], Iterator[tuple[int, ...]]]
    """The sets of parts that it takes, by their numbers."""
    join: Callable[[Sequence[Relation]], Relation]


def chosen(parts: Sequence[Relation]) -> tuple[Join, tuple[int, ...]]:
    """The join that comes first, and the parts that it takes. There are two parts or more."""
    for kernel in JOINS:
        sets = list(kernel.sets(parts))
        if sets:
            return kernel, min(sets, key=lambda members: sum(parts[member].rows for member in members))
    raise ValueError("one relation needs no join")


def _cycles(parts: Sequence[Relation]) -> Iterator[tuple[int, ...]]:
    for members in combinations(range(len(parts)), 3):
        keys = [set(shared_by(parts[first], parts[second])) for first, second in combinations(members, 2)]
        if all(keys) and not (keys[0] <= keys[1] or keys[1] <= keys[2] or keys[2] <= keys[0]):
            yield members


def _stars(parts: Sequence[Relation]) -> Iterator[tuple[int, ...]]:
    """For each key, all parts that have it and share nothing else with each other."""
    for first, second in combinations(range(len(parts)), 2):
        key = shared_by(parts[first], parts[second])
        members = [first, second]
        for number in range(len(parts)):
            if number not in members and all(shared_by(parts[number], parts[member]) == key for member in members):
                members.append(number)
        if key and len(members) > 2:
            yield tuple(sorted(members))


def _pairs(parts: Sequence[Relation]) -> Iterator[tuple[int, ...]]:
    for members in combinations(range(len(parts)), 2):
        if shared_by(parts[members[0]], parts[members[1]]):
            yield members


def _bare(parts: Sequence[Relation]) -> Iterator[tuple[int, ...]]:
    """Pairs with a part that has no variables."""
    for members in combinations(range(len(parts)), 2):
        if not all(parts[member].variables for member in members):
            yield members


def _any_two(parts: Sequence[Relation]) -> Iterator[tuple[int, ...]]:
    return combinations(range(len(parts)), 2)


JOINS = (
    Join("triangle", "three relations around a cycle", "O(N**1.5 + rows)", _cycles, triangle),
    Join("star", "three or more relations with one key", "O(N + rows)", _stars, star),
    Join("pair", "two relations with a common key", "O(N + rows)", _pairs, star),
    Join("times", "a relation with the points at which another formula holds", "O(N + rows)", _bare, star),
    Join("product", "two relations without common variables", "O(N + rows)", _any_two, star),
)
"""Kernels that apply are preferred in this order."""

PRODUCT = JOINS[-1]
"""What is left for parts that have nothing in common."""

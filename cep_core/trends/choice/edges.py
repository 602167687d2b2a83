"""How counts are looked up along an edge that compares events: one table, by what its comparisons ask.

The kernels for ranks know edges with one comparison; the walk in numbers of any size (`exact`) knows all of them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple


class EdgeKind(NamedTuple):
    """Edges that are evaluated alike."""

    applies: Callable[[int, bool], bool]
    """By the number of comparisons, and whether a negation cuts the edge."""
    words: str
    """For `explain`: the edges, and {k}, the factor for overlapping windows; n events of a partition."""


EDGES: tuple[EdgeKind, ...] = (
    EdgeKind(
        lambda comparisons, cut: comparisons == 1,
        "counts in a Fenwick tree over the ranks of the compared values ({edges}): O({k}n log n)",
    ),
    EdgeKind(
        lambda comparisons, cut: comparisons > 2,
        "more than two comparisons between neighbours ({edges}): every pair of events, in tiles: O({k}n^2)",
    ),
    EdgeKind(
        lambda comparisons, cut: cut,
        "two comparisons, and a NOT, between neighbours ({edges}): every pair of events, in tiles: O({k}n^2)",
    ),
    EdgeKind(
        lambda comparisons, cut: True,
        "two comparisons between neighbours ({edges}): blocks of time divided and conquered, with a Fenwick tree over "
        "the one in the order of the other: O({k}n log^2 n)",
    ),
)
"""The first that applies."""


def kind_of(comparisons: int, cut: bool) -> EdgeKind:
    """The kind of an edge.

    >>> [EDGES.index(kind_of(*edge)) for edge in ((1, True), (2, False), (2, True), (3, False))]
    [0, 3, 2, 1]
    """
    return next(kind for kind in EDGES if kind.applies(comparisons, cut))

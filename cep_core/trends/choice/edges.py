"""How counts are looked up along an edge that compares events: one table, by the comparisons of the edge.

The kernels for ranks handle edges with one comparison. The walk in numbers of any size (`exact`) handles every edge.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple


class EdgeKind(NamedTuple):
    """Edges that are evaluated in the same way."""

    applies: Callable[[int, bool], bool]
    """Takes the number of comparisons, and whether a negation cuts the edge."""
    words: str
    """For `explain`. {edges}: the edges; {k}: the factor for overlapping windows; n: the events of a partition."""


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
"""The first kind that applies is the kind of an edge."""


def kind_of(comparisons: int, cut: bool) -> EdgeKind:
    """The kind of an edge.

    >>> [EDGES.index(kind_of(*edge)) for edge in ((1, True), (2, False), (2, True), (3, False))]
    [0, 3, 2, 1]
    """
    return next(kind for kind in EDGES if kind.applies(comparisons, cut))

"""AND NOT, and NOT of a formula without free variables: runs without other runs. Costs O(rows in + rows out)."""

from __future__ import annotations

from cep_core.monitoring.first_order.arrays.relation import Relation, rows_of, truth
from cep_core.monitoring.first_order.kernels.grouping import grouped
from cep_core.monitoring.first_order.kernels.subtracting import pieces_left
from cep_core.monitoring.first_order.operators.normal import ordered


def difference(left: Relation, right: Relation) -> Relation:
    """The valuations of the left side at points where the right side, whose variables are among them, does not hold.

    >>> import numpy as np
    >>> p = Relation(("x",), (np.array([1]),), np.array([0]), np.array([9]))
    >>> q = Relation((), (), np.array([2]), np.array([4]))
    >>> left = difference(p, q)
    >>> left.begin.tolist(), left.end.tolist()
    ([0, 4], [2, 9])
    """
    first, order, group = grouped(rows_of(right, right.variables), rows_of(left, right.variables))
    pieces = pieces_left(left.begin, left.end, group, first, right.begin[order], right.end[order])
    return ordered(left.at(*pieces))


def complement(relation: Relation, points: int) -> Relation:
    """The points at which a relation without variables does not hold."""
    return difference(truth(points), relation)

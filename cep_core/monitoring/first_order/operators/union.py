"""OR, and EXISTS: rows of several relations, or without some variables, in normal form. Costs O(rows)."""

from __future__ import annotations

from collections.abc import Collection

from cep_core.monitoring.first_order.arrays.relation import Relation, together
from cep_core.monitoring.first_order.operators.normal import merged


def union(left: Relation, right: Relation) -> Relation:
    """The valuations of either side; both sides have the same variables, in any order."""
    same_order = right.of_variables(left.variables)
    if not left.rows or not right.rows:
        return left if left.rows else same_order
    return merged(together([left, same_order]))


def projection(relation: Relation, hidden: Collection[str]) -> Relation:
    """EXISTS `hidden`: the valuations of the other variables.

    >>> import numpy as np
    >>> p = Relation(("x", "y"), (np.array([1, 1]), np.array([5, 6])), np.array([0, 2]), np.array([2, 3]))
    >>> relation = projection(p, {"y"})
    >>> relation.variables, relation.begin.tolist(), relation.end.tolist()
    (('x',), [0], [3])
    """
    kept = [name for name in relation.variables if name not in hidden]
    if len(kept) == len(relation.variables):
        return relation
    return merged(relation.of_variables(kept))

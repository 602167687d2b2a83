"""AND: pairs of rows that agree on their common variables and overlap in time.

The result needs no merging: a valuation of the result has one valuation on each side, whose runs are maximal.
Costs O(rows in + rows out).
"""

from __future__ import annotations

import numpy as np

from cep_core.monitoring.first_order.arrays.relation import Relation, rows_of
from cep_core.monitoring.first_order.kernels.joining import overlapping_pairs


def conjunction(left: Relation, right: Relation) -> Relation:
    """The valuations that both sides satisfy. Variables: the left side's, then the right side's others.

    >>> p = Relation(("x",), (np.array([1, 2]),), np.array([0, 0]), np.array([4, 4]))
    >>> q = Relation(("x", "y"), (np.array([2, 3]), np.array([5, 6])), np.array([3, 3]), np.array([9, 9]))
    >>> both = conjunction(p, q)
    >>> both.variables, [column.tolist() for column in both.columns], both.begin.tolist(), both.end.tolist()
    (('x', 'y'), [[2], [5]], [3], [4])
    """
    shared = tuple(name for name in left.variables if name in right.variables)
    rows = np.concatenate([rows_of(left, shared), rows_of(right, shared)])
    begin = np.concatenate([left.begin, right.begin])
    end = np.concatenate([left.end, right.end])
    of_left, of_right = overlapping_pairs(rows, begin, end, left.rows)
    others = right.of_variables([name for name in right.variables if name not in shared])
    columns = tuple(column[of_left] for column in left.columns) + tuple(column[of_right] for column in others.columns)
    return Relation(
        left.variables + others.variables,
        columns,
        np.maximum(left.begin[of_left], right.begin[of_right]),
        np.minimum(left.end[of_left], right.end[of_right]),
    )

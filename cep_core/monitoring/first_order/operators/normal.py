"""Normal form of relations: see `arrays/relation.py`. O(rows), after a radix sort if rows are out of order."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from cep_core.monitoring.first_order.arrays.relation import Relation, rows_of
from cep_core.monitoring.first_order.kernels import partitions
from cep_core.monitoring.first_order.kernels.grouping import order_of
from cep_core.monitoring.first_order.kernels.merging import run_ends


def ordered(relation: Relation) -> Relation:
    """The rows by their first point."""
    if (relation.begin[1:] >= relation.begin[:-1]).all():
        return relation
    return relation.of_rows(order_of(np.ascontiguousarray(relation.begin)))


def merged(relation: Relation) -> Relation:
    """Normal form: rows by their first point, and overlapping or touching runs of one valuation as one run.

    >>> runs = Relation(("x",), (np.array([7, 7, 8]),), np.array([2, 0, 2]), np.array([3, 2, 2]))
    >>> relation = merged(runs)
    >>> relation.columns[0].tolist(), relation.begin.tolist(), relation.end.tolist()
    ([7], [0], [3])
    """
    by_begin = ordered(relation)
    rows = rows_of(by_begin, by_begin.variables)
    ends = run_ends(rows, by_begin.begin, by_begin.end, partitions.LIVING)
    if (ends > 0).all():  # no row continues another
        return by_begin
    first = np.flatnonzero(ends)
    return by_begin.at(first, by_begin.begin[first], ends[first])


def extended(relation: Relation, points: int) -> Relation:
    """Every row up to the last point."""
    return replace(relation, end=np.full(relation.rows, points))

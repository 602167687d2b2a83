"""AND of several relations: rows that agree on their common variables and overlap in time.

The result needs no merging: a valuation of the result has one valuation on each side, whose runs are maximal. `star`
takes relations that share the same variables with each other, `triangle` three relations of which each shares variables
with both others. Both keep nothing but results (`kernels/joining.py`, `kernels/triangles.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

import numpy as np

from cep_core.arrays import Ints
from cep_core.monitoring.first_order.arrays.relation import Column, Relation, rows_of
from cep_core.monitoring.first_order.kernels.grouping import numbered
from cep_core.monitoring.first_order.kernels.joining import overlapping_rows
from cep_core.monitoring.first_order.kernels.triangles import triangles


def shared_by(first: Relation, second: Relation) -> tuple[str, ...]:
    """The common variables of two relations, in an order that does not depend on which comes first."""
    return tuple(sorted({*first.variables} & {*second.variables}))


def star(parts: Sequence[Relation]) -> Relation:
    """The valuations that satisfy all parts. O(rows in + rows out). Each two parts share the same variables.

    >>> p = Relation(("x",), (np.array([1, 2]),), np.array([0, 0]), np.array([4, 4]))
    >>> q = Relation(("x", "y"), (np.array([2, 3]), np.array([5, 6])), np.array([3, 3]), np.array([9, 9]))
    >>> both = star([p, q])
    >>> both.variables, [column.tolist() for column in both.columns], both.begin.tolist(), both.end.tolist()
    (('x', 'y'), [[2], [5]], [3], [4])
    """
    key = shared_by(parts[0], parts[1])
    rows = np.concatenate([rows_of(part, key) for part in parts])
    first, begin, end = _together(parts)
    return _joined(parts, overlapping_rows(rows, begin, end, first) - first[:-1, None])


def triangle(parts: Sequence[Relation]) -> Relation:
    """The valuations that satisfy three parts, each of which shares variables with both others."""
    first, begin, end = _together(parts)
    code = np.empty((len(begin), 2), np.int64)
    codes = 0
    for side, part in enumerate(parts):
        following = parts[(side + 1) % 3]
        key = shared_by(part, following)
        number, count, _ = numbered(np.concatenate([rows_of(part, key), rows_of(following, key)]), code[:0])
        code[first[side] : first[side + 1], 0] = number[: part.rows]
        after = (side + 1) % 3
        code[first[after] : first[after + 1], 1] = number[part.rows :]
        codes = max(codes, count)
    return _joined(parts, triangles(code, codes, begin, end, first) - first[:-1, None])


def _together(parts: Sequence[Relation]) -> tuple[Ints, Ints, Ints]:
    """The first row of each part, and all parts' begins and ends, one part after another."""
    first = np.cumsum([0, *(part.rows for part in parts)])
    return first, np.concatenate([part.begin for part in parts]), np.concatenate([part.end for part in parts])


def _joined(parts: Sequence[Relation], rows: Ints) -> Relation:
    """The relation whose rows are made of `rows[part, result]` of the parts."""
    columns: dict[str, Column] = {}
    for part, of_part in zip(parts, rows, strict=True):
        columns.update({name: column[of_part] for name, column in zip(part.variables, part.columns, strict=True)})
    begin = reduce(np.maximum, [part.begin[of_part] for part, of_part in zip(parts, rows, strict=True)])
    end = reduce(np.minimum, [part.end[of_part] for part, of_part in zip(parts, rows, strict=True)])
    return Relation(tuple(columns), tuple(columns.values()), begin, end)

"""AND of several relations: rows that agree on their common variables and overlap in time.

The result needs no merging: a valuation of the result has one valuation on each side, whose runs are maximal. `star`
takes relations that share the same variables with each other, `triangle` three relations of which each shares variables
with both others. A star keeps nothing but results (`kernels/joining.py`), a triangle no more than N**1.5 rows (N: the
rows of the largest part; `kernels/triangles.py`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from cep_core.arrays import Ints, read_only
from cep_core.monitoring.first_order.arrays.relation import Column, Relation, rows_of
from cep_core.monitoring.first_order.kernels import partitions
from cep_core.monitoring.first_order.kernels.grouping import numbered
from cep_core.monitoring.first_order.kernels.joining import overlapping_rows
from cep_core.monitoring.first_order.kernels.triangles import triangles

ALL = 2**62
PAIRS = 2
"""How many common rows of two parts are few, by row of all parts."""


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
    joined = _star_up_to(parts, ALL)
    assert joined is not None
    return joined


def _star_up_to(parts: Sequence[Relation], most: int) -> Relation | None:
    """The star, or None if it has more than `most` rows: then O(rows in + most)."""
    key = shared_by(parts[0], parts[1])
    rows = read_only(np.concatenate([rows_of(part, key) for part in parts]))
    first, begin, end = _together(parts)
    overlaps, begins, ends, complete = overlapping_rows(rows, begin, end, first, partitions.LIVING, most)
    return _joined(parts, overlaps - first[:-1, None], begins, ends) if complete else None


def triangle(parts: Sequence[Relation]) -> Relation:
    """The valuations that satisfy three parts, each of which shares variables with both others.

    If two parts have few common rows, they are joined first. Else all three are joined at once, O(N**1.5 + rows out).
    """
    few = _few_pairs(parts)
    return _at_once(parts) if few is None else few.of_variables(_variables(parts))


def _at_once(parts: Sequence[Relation]) -> Relation:
    first, begin, end = _together(parts)
    code = np.empty((len(begin), 2), np.int64)
    codes = 0
    for side, part in enumerate(parts):
        following = parts[(side + 1) % 3]
        key = shared_by(part, following)
        rows = read_only(np.concatenate([rows_of(part, key), rows_of(following, key)]))
        number, count, _ = numbered(rows, rows[:0])
        code[first[side] : first[side + 1], 0] = number[: part.rows]
        after = (side + 1) % 3
        code[first[after] : first[after + 1], 1] = number[part.rows :]
        codes = max(codes, count)
    corners = triangles(code, codes, begin, end, first)
    return _joined(parts, corners - first[:-1, None], begin[corners].max(axis=0), end[corners].min(axis=0))


def _few_pairs(parts: Sequence[Relation]) -> Relation | None:
    """The triangle by way of two parts that hold for the shortest time, if they have few common rows; else None.

    Few is `PAIRS` times the rows of the parts, and for few rows N**1.5.
    """
    shortest = sorted(parts, key=lambda part: int((part.end - part.begin).sum()))
    largest = max(part.rows for part in parts)
    most = min(PAIRS * sum(part.rows for part in parts), math.isqrt(largest**3))
    pairs = _star_up_to(shortest[:2], most)
    return None if pairs is None else star([pairs, shortest[2]])


def _variables(parts: Sequence[Relation]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for part in parts for name in part.variables))


def _together(parts: Sequence[Relation]) -> tuple[Ints, Ints, Ints]:
    """The first row of each part, and all parts' begins and ends, one part after another."""
    first = np.cumsum([0, *(part.rows for part in parts)])
    return first, np.concatenate([part.begin for part in parts]), np.concatenate([part.end for part in parts])


def _joined(parts: Sequence[Relation], rows: Ints, begin: Ints, end: Ints) -> Relation:
    """The relation whose rows are made of `rows[part, result]` of the parts."""
    columns: dict[str, Column] = {}
    for part, of_part in zip(parts, rows, strict=True):
        for name, column in zip(part.variables, part.columns, strict=True):
            if name not in columns:
                columns[name] = column[of_part]
    return Relation(tuple(columns), tuple(columns.values()), begin, end)

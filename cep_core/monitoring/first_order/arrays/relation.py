"""Relations whose rows hold for runs of time-points.

A row is a valuation of the relation's variables that holds at the points [begin, end). In normal form the runs of one
valuation are disjoint and do not touch, so that a valuation has as few rows as possible, and rows are ordered by their
first point. Every operator takes and gives relations in normal form; the order of rows that begin together is open.

Numbers are equal if their bits are, after two rules: -0.0 is 0.0, and all NaN are one value, which equals itself. So a
NaN of the log joins, groups and counts as any other number does; comparisons between terms follow `arrays/tests.py`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from cep_core.arrays import Ints, read_only

Column = npt.NDArray[np.int64] | npt.NDArray[np.float64]
"""Integers, floats, or the codes of texts in the slice's dictionary."""


@dataclass(frozen=True)
class Relation:
    """`columns`: one for each of `variables`, as long as `begin` and `end`, the int64 points of the runs."""

    variables: tuple[str, ...]
    columns: tuple[Column, ...]
    begin: Ints
    end: Ints

    @property
    def rows(self) -> int:
        return len(self.begin)

    def column(self, variable: str) -> Column:
        """The values of one variable."""
        return self.columns[self.variables.index(variable)]

    def of_rows(self, rows: npt.NDArray[np.generic] | slice) -> Relation:
        """Some rows, by number or by flag."""
        return Relation(self.variables, tuple(c[rows] for c in self.columns), self.begin[rows], self.end[rows])

    def at(self, source: Ints, begin: Ints, end: Ints) -> Relation:
        """The valuations of rows `source`, with other runs."""
        return Relation(self.variables, tuple(column[source] for column in self.columns), begin, end)

    def of_variables(self, variables: Sequence[str]) -> Relation:
        """The columns of some variables, in this order. Without all variables the result may not be normal."""
        return replace(self, variables=tuple(variables), columns=tuple(self.column(name) for name in variables))

    def between(self, first: int, last: int) -> Relation:
        """What holds at the points [first, last); in normal form if the relation is.

        >>> relation = Relation((), (), np.array([0, 4]), np.array([3, 9])).between(2, 4)
        >>> relation.begin.tolist(), relation.end.tolist()
        ([2], [3])
        """
        if self.begin.min(initial=first) >= first and self.end.max(initial=last) <= last:
            return self
        begin, end = np.maximum(self.begin, first), np.minimum(self.end, last)
        return replace(self, begin=begin, end=end).of_rows(begin < end)

    def renamed(self, names: Mapping[str, str]) -> Relation:
        """The relation with other names for some variables."""
        return replace(self, variables=tuple(names.get(name, name) for name in self.variables))


def together(parts: Sequence[Relation]) -> Relation:
    """The rows of one or more relations that have the same variables in the same order; not in normal form.

    >>> one = Relation(("x",), (np.array([7]),), np.array([0]), np.array([2]))
    >>> both = together([one, one])
    >>> both.columns[0].tolist(), both.begin.tolist(), both.end.tolist()
    ([7, 7], [0, 0], [2, 2])
    """
    columns = tuple(np.concatenate(pieces) for pieces in zip(*(part.columns for part in parts), strict=True))
    begin, end = (np.concatenate([getattr(part, side) for part in parts]) for side in ("begin", "end"))
    return Relation(parts[0].variables, columns, begin, end)


def rows_of(relation: Relation, variables: Sequence[str]) -> Ints:
    """[rows, variables] The bits of some columns, row by row: two rows are equal if and only if their values are.

    >>> three = Relation(("x",), (np.array([0.0, -0.0, 1.0]),), np.arange(3), np.arange(1, 4))
    >>> bits = rows_of(three, ("x",))
    >>> bool(bits[0] == bits[1]), bool(bits[0] == bits[2])
    (True, False)
    """
    if len(variables) == 1:
        return read_only(bits_of(relation.column(variables[0])).reshape(-1, 1))
    rows = np.empty((relation.rows, len(variables)), np.int64)
    for place, variable in enumerate(variables):
        rows[:, place] = bits_of(relation.column(variable))
    return read_only(rows)


def bits_of(column: Column) -> Ints:
    """The values of a column as integers that are equal if and only if the values are."""
    if column.dtype == np.int64:
        return np.ascontiguousarray(column)
    return plain_floats(column).view(np.int64)


def plain_floats(column: npt.NDArray[np.generic]) -> npt.NDArray[np.float64]:
    """A copy of floats with one zero and one NaN."""
    floats = column.astype(np.float64) + 0.0
    floats[np.isnan(floats)] = np.nan
    return floats


def truth(points: int) -> Relation:
    """The relation without variables that holds at all points."""
    begin = np.zeros(min(points, 1), np.int64)
    return Relation((), (), begin, begin + points)


def nothing(variables: Sequence[str], columns: Sequence[Column] = ()) -> Relation:
    """A relation without rows; `columns` tell the types, by default integers."""
    none = np.zeros(0, np.int64)
    empty = tuple(column[:0] for column in columns) or tuple(none for _ in variables)
    return Relation(tuple(variables), empty, none, none)

"""Ranges of vertices that kernels walk, and the numbers that they fill for each range."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cep_core.arrays import NOTHING, Flags, Ints
from cep_core.trends.arrays.graph import Vertices

Places = Ints | slice
"""The numbers of some ranges; a slice takes them without a copy."""


class Ranges(NamedTuple):
    """R ranges of vertices, in time order, partition after partition: the ranges of windows or of panes."""

    first: Ints
    """[R] The first vertex."""
    last: Ints
    """[R] One after the last vertex."""
    partition: Ints
    """[R] The partition of the vertices."""

    def take(self, places: Places) -> Ranges:
        """The ranges at these places."""
        return Ranges(self.first[places], self.last[places], self.partition[places])


class Numbers(NamedTuple):
    """The output of a kernel for R ranges, with J sums and M minima.

    A row of `totals` and `minima` is void if its range is flagged in `overflowed`. The numbers of panes are matrices:
    their arrays have more axes between the first and the last.
    """

    totals: Ints
    """[R, 1 + J] The number of trends, then the sums over all their occurrences."""
    minima: Ints
    """[R, M] The smallest code over all occurrences, or NOTHING."""
    overflowed: Flags
    """[R] Whether a number did not fit a machine word."""

    def take(self, places: Ints) -> Numbers:
        """A copy of the rows at these places."""
        return Numbers(self.totals[places], self.minima[places], self.overflowed[places])

    def put(self, places: Ints, numbers: Numbers) -> None:
        """Replace the rows at these places."""
        self.totals[places], self.minima[places], self.overflowed[places] = numbers


def no_numbers(vertices: Vertices, *shape: int) -> Numbers:
    """The numbers of no trends. `shape`: the number of ranges, then the further axes of matrices.

    >>> from cep_core.trends.arrays.graph import Vertices
    >>> none, empty = np.zeros(0, dtype=np.int64), np.zeros((0, 2), dtype=np.int64)
    >>> [array.shape for array in no_numbers(Vertices(none, none, empty, none, empty, none), 5)]
    [(5, 3), (5, 2), (5,)]
    """
    sums, extremes = vertices.weights.shape[1], vertices.codes.shape[1]
    return Numbers(
        np.zeros((*shape, 1 + sums), dtype=np.int64),
        np.full((*shape, extremes), NOTHING, dtype=np.int64),
        np.zeros(shape[0], dtype=np.bool_),
    )

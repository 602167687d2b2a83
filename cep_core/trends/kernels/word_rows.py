"""Rows of machine words, and what the walks of one window do with them: clear, add, weigh.

A row is what a vertex passes on: the number of trends that end in it, their J sums, and their M minima. Sums that
reach `words.LIMIT` void the numbers of the window, so `add` and `weigh` return the bits of all sums that they made;
a walk gathers these bits and looks at them once a tick.

`clear`, `add` and `weigh` leave the counts of rows to the walk, which keeps them in registers and calls these functions
only where there are sums or minima: with the counts in the rows, a COUNT(*) took 20 to 30 % longer. They are inlined by
Numba, because LLVM makes calls of them that cost more than what they do (2 to 4 times as long in all).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from cep_core.arrays import NOTHING, Ints
from cep_core.numbers.words import product
from cep_core.trends.arrays.graph import Vertices


class WordRows(NamedTuple):
    """A table of n rows."""

    counts: Ints
    """[n] the number of trends."""
    sums: Ints
    """[n, J] the sums over their occurrences."""
    minima: Ints
    """[n, M] the smallest codes of their occurrences, or NOTHING."""


@njit(cache=True)
def word_rows(count: int, vertices: Vertices) -> WordRows:
    """So many rows of nothing, for the sums and minima of these vertices."""
    sums = np.zeros((count, vertices.weights.shape[1]), np.int64)
    return WordRows(np.zeros(count, np.int64), sums, np.full((count, vertices.codes.shape[1]), NOTHING, np.int64))


@njit(cache=True, inline="always")
def clear(rows: WordRows, row: int) -> None:
    """Clear the sums and minima of a row."""
    for j in range(rows.sums.shape[1]):
        rows.sums[row, j] = 0
    for j in range(rows.minima.shape[1]):
        rows.minima[row, j] = NOTHING


@njit(cache=True, inline="always")
def add(into: WordRows, row: int, rows: WordRows, added: int) -> np.int64:
    """Add the sums of a row to those of another, and lower its minima. Returns the bits of its sums."""
    seen = np.int64(0)
    for j in range(into.sums.shape[1]):
        into.sums[row, j] += rows.sums[added, j]
        seen |= into.sums[row, j]
    for j in range(into.minima.shape[1]):
        into.minima[row, j] = min(into.minima[row, j], rows.minima[added, j])
    return seen


@njit(cache=True, inline="always")
def weigh(rows: WordRows, row: int, count: int, vertices: Vertices, vertex: int, bit: np.uint64) -> np.int64:
    """Let a vertex, in the state of this bit, join the `count` trends of a row: add its weights, offer its codes.

    Returns the bits of the sums.
    """
    seen = np.int64(0)
    for j in range(rows.sums.shape[1]):
        if vertices.weighted[j] & bit:
            weight = product(count, vertices.weights[vertex, j])
            rows.sums[row, j] += weight
            seen |= weight | rows.sums[row, j]
    for j in range(rows.minima.shape[1]):
        if vertices.coded[j] & bit:
            rows.minima[row, j] = min(rows.minima[row, j], vertices.codes[vertex, j])
    return seen

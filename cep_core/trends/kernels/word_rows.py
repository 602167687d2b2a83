"""Rows of machine words, and the operations of the walks of one window on them: clear, add, weigh.

A row is what a vertex passes on: the number of trends that end in it, their J sums, and their M minima. If a sum
reaches `words.LIMIT`, the numbers of the window are void. So `add` and `weigh` return the bits of all sums that they
computed; a walk collects these bits and checks them once for each tick.

`clear`, `add` and `weigh` do not touch the counts of rows. The walk keeps the counts in registers, and calls these
functions only if there are sums or minima: with the counts in the rows, a COUNT(*) took 20 to 30 % longer. Numba
inlines them. Otherwise LLVM makes calls of them, which cost more than their work (2 to 4 times as long in all).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from cep_core.arrays import NOTHING, Ints
from cep_core.inner_kernels import inner
from cep_core.numbers.words import product
from cep_core.trends.arrays.graph import Vertices


class WordRows(NamedTuple):
    """A table of n rows."""

    counts: Ints
    """[n] The number of trends."""
    sums: Ints
    """[n, J] The sums over the occurrences in these trends."""
    minima: Ints
    """[n, M] The smallest codes of the occurrences, or NOTHING."""


@inner
def word_rows(count: int, vertices: Vertices) -> WordRows:
    """`count` empty rows, for the sums and minima of these vertices."""
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
    """Add row `added` of `rows` to a row: its sums are added, its minima lowered. Returns the bits of the sums."""
    seen = np.int64(0)
    for j in range(into.sums.shape[1]):
        into.sums[row, j] += rows.sums[added, j]
        seen |= into.sums[row, j]
    for j in range(into.minima.shape[1]):
        into.minima[row, j] = min(into.minima[row, j], rows.minima[added, j])
    return seen


@njit(cache=True, inline="always")
def weigh(rows: WordRows, row: int, count: int, vertices: Vertices, vertex: int, bit: np.uint64) -> np.int64:
    """Let a vertex join the `count` trends of a row, in the state of `bit`: add its weights, lower minima to its codes.

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

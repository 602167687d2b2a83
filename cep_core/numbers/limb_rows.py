"""Rows of numbers that stand side by side, lane after lane: they are added, copied and cleared.

A vertex passes on a row, and a cell of a tree holds a row. A row has limb after limb of the numbers of all lanes, so
vector instructions add the lanes. Limbs that no number needs so far are not touched. Each row has a row of minima.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from cep_core.arrays import NOTHING, Bits, Ints
from cep_core.inner_kernels import inner

STEP = 16
"""The number of words that a vector loop takes at a time. The rest of a row costs as much, word by word."""


class Rows(NamedTuple):
    """A table of rows, and the table of their minima."""

    words: Bits
    minima: Ints


class Shape(NamedTuple):
    """The shape of a row: in each limb a lane has `numbers` words, and all lanes `stride`; `extremes` minima a lane."""

    numbers: int
    extremes: int
    stride: int


class Part(NamedTuple):
    """The part of a row that some lanes take: words begin..end-1 of every limb, `stride` words apart; and their minima.

    Bounds are unsigned, otherwise loops over them are not vectorised.
    """

    limbs: int
    stride: np.uint64
    begin: np.uint64
    end: np.uint64
    least_begin: np.uint64
    least_end: np.uint64


@njit(cache=True)
def shape_of(lanes: int, numbers: int, extremes: int) -> Shape:
    """The shape of rows with this many lanes. A limb takes whole steps, unless it is shorter than one step.

    >>> shape_of(3, 2, 0)[2], shape_of(60, 1, 0)[2]
    (6, 64)
    """
    words = lanes * numbers
    return Shape(numbers, extremes, words if words <= STEP else (words + STEP - 1) // STEP * STEP)


@inner
def rows_of(count: int, words: int, minima: int) -> Rows:
    """`count` empty rows."""
    return Rows(np.zeros((count, words), np.uint64), np.full((count, minima), NOTHING, np.int64))


@inner
def part_of(l0: int, l1: int, shape: Shape, limbs: int) -> Part:
    """The part that lanes l0..l1-1 take, with some neighbouring lanes to make whole steps.

    Neighbours may belong to windows that have ended or are not open yet. What they receive is never read: the results
    of an ended window have been copied, and no trend has begun in a window that is not open.
    """
    begin = l0 * shape.numbers // STEP * STEP
    end = min(shape.stride, (l1 * shape.numbers + STEP - 1) // STEP * STEP)
    minima = (np.uint64(l0 * shape.extremes), np.uint64(l1 * shape.extremes))
    return Part(limbs, np.uint64(shape.stride), np.uint64(begin), np.uint64(end), minima[0], minima[1])


@inner
def everything(rows: Rows) -> Part:
    """The part that is a whole row."""
    words, minima = np.uint64(rows.words.shape[1]), np.uint64(rows.minima.shape[1])
    return Part(1, words, np.uint64(0), words, np.uint64(0), minima)


@njit(cache=True, inline="always")
def add(into: Rows, row: int, rows: Rows, added: int, part: Part) -> None:
    """Add a part of a row to another row, and lower its minima. Walks spend most of their time here.

    This neither slices nor calls: each would cost more than the additions.
    """
    begin, end, limbs = part.begin, part.end, part.limbs
    if end - begin == part.stride:  # no gap between limbs
        end, limbs = part.stride * np.uint64(limbs), 1
    if limbs == 1:
        for x in range(begin, end):
            into.words[row, x] += rows.words[added, x]
    else:
        for _ in range(limbs):
            for x in range(begin, end):
                into.words[row, x] += rows.words[added, x]
            begin += part.stride
            end += part.stride
    for y in range(part.least_begin, part.least_end):
        into.minima[row, y] = min(into.minima[row, y], rows.minima[added, y])


@inner
def put(into: Rows, row: int, rows: Rows, written: int, part: Part) -> None:
    """Copy a part of a row to another row."""
    begin, end = part.begin, part.end
    for _ in range(part.limbs):
        for x in range(begin, end):
            into.words[row, x] = rows.words[written, x]
        begin += part.stride
        end += part.stride
    for y in range(part.least_begin, part.least_end):
        into.minima[row, y] = rows.minima[written, y]


@njit(cache=True, inline="always")
def empty(rows: Rows, row: int, part: Part) -> None:
    """Clear a part of a row."""
    begin, end = part.begin, part.end
    for _ in range(part.limbs):
        for x in range(begin, end):
            rows.words[row, x] = 0
        begin += part.stride
        end += part.stride
    for y in range(part.least_begin, part.least_end):
        rows.minima[row, y] = NOTHING

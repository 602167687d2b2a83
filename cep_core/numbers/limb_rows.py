"""Rows of numbers that stand side by side, lane after lane, and what is done with them: added, copied, emptied.

What a vertex passes on, and what a cell of a tree holds, is a row: limb after limb of the numbers of each lane, so that
lanes are added by vector instructions, and limbs that no number has come to need are left alone. A row of minima
belongs to it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from cep_core.arrays import NOTHING, Bits, Ints

STEP = 16
"""Words that a loop of vector instructions takes at a time; what is left of a row costs as much, word by word."""


class Rows(NamedTuple):
    """A table of rows, and of their minima."""

    words: Bits
    minima: Ints


class Shape(NamedTuple):
    """Of each limb a lane takes so many words, all lanes `stride`; and a lane has so many minima."""

    numbers: int
    extremes: int
    stride: int


class Part(NamedTuple):
    """The part of rows that some lanes take: words begin..end-1 of every limb, `stride` words apart, and some minima.

    Bounds are unsigned, or else loops over them are not vectorised.
    """

    limbs: int
    stride: np.uint64
    begin: np.uint64
    end: np.uint64
    least_begin: np.uint64
    least_end: np.uint64


@njit(cache=True)
def shape_of(lanes: int, numbers: int, extremes: int) -> Shape:
    """Rows of so many lanes: a limb takes whole steps, unless it is shorter than one.

    >>> shape_of(3, 2, 0)[2], shape_of(60, 1, 0)[2]
    (6, 64)
    """
    words = lanes * numbers
    return Shape(numbers, extremes, words if words <= STEP else (words + STEP - 1) // STEP * STEP)


@njit(cache=True)
def rows_of(count: int, words: int, minima: int) -> Rows:
    """So many rows of nothing."""
    return Rows(np.zeros((count, words), np.uint64), np.full((count, minima), NOTHING, np.int64))


@njit(cache=True)
def part_of(l0: int, l1: int, shape: Shape, limbs: int) -> Part:
    """The part that lanes l0..l1-1 take, with some of their neighbours for the sake of whole steps.

    What a window that is over or not yet open gets by this is never read: one that is over has been told, and nothing
    has begun in one that is not open.
    """
    begin = l0 * shape.numbers // STEP * STEP
    end = min(shape.stride, (l1 * shape.numbers + STEP - 1) // STEP * STEP)
    least = (np.uint64(l0 * shape.extremes), np.uint64(l1 * shape.extremes))
    return Part(limbs, np.uint64(shape.stride), np.uint64(begin), np.uint64(end), least[0], least[1])


@njit(cache=True)
def everything(rows: Rows) -> Part:
    """Whole rows."""
    words, least = np.uint64(rows.words.shape[1]), np.uint64(rows.minima.shape[1])
    return Part(1, words, np.uint64(0), words, np.uint64(0), least)


@njit(cache=True, inline="always")
def add(into: Rows, row: int, rows: Rows, other: int, part: Part) -> None:
    """Add a part of a row to another, and lower its minima: what all walks do most of the time.

    Neither a slice nor a call, each of which would cost more than the additions.
    """
    begin, end, limbs = part.begin, part.end, part.limbs
    if end - begin == part.stride:  # no gap between limbs
        end, limbs = part.stride * np.uint64(limbs), 1
    if limbs == 1:
        for x in range(begin, end):
            into.words[row, x] += rows.words[other, x]
    else:
        for _ in range(limbs):
            for x in range(begin, end):
                into.words[row, x] += rows.words[other, x]
            begin += part.stride
            end += part.stride
    for y in range(part.least_begin, part.least_end):
        into.minima[row, y] = min(into.minima[row, y], rows.minima[other, y])


@njit(cache=True)
def put(into: Rows, row: int, rows: Rows, other: int, part: Part) -> None:
    """Copy a part of a row to another."""
    begin, end = part.begin, part.end
    for _ in range(part.limbs):
        for x in range(begin, end):
            into.words[row, x] = rows.words[other, x]
        begin += part.stride
        end += part.stride
    for y in range(part.least_begin, part.least_end):
        into.minima[row, y] = rows.minima[other, y]


@njit(cache=True, inline="always")
def empty(rows: Rows, row: int, part: Part) -> None:
    """Empty a part of a row."""
    begin, end = part.begin, part.end
    for _ in range(part.limbs):
        for x in range(begin, end):
            rows.words[row, x] = 0
        begin += part.stride
        end += part.stride
    for y in range(part.least_begin, part.least_end):
        rows.minima[row, y] = NOTHING

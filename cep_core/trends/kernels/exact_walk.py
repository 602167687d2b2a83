"""Counts the trends of many windows in one walk, in exact numbers of any size: block after block (`block_walk`).

All numbers of a block have as many limbs (`limbs`) as its largest number needs so far: one while all numbers fit a
word. Trends grow as a window goes on, so most additions have few limbs. A block that needs more limbs than there is
room for is walked again with twice the room. The next block starts with about the room that this block used.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from cep_core.arrays import Bits, Ints
from cep_core.numbers.limb_rows import Rows, shape_of
from cep_core.trends.arrays.blocks import MEMORY, block_end
from cep_core.trends.arrays.graph import Graph
from cep_core.trends.arrays.ranges import Ranges
from cep_core.trends.kernels.block_walk import LimbWeights, walk_block

ROOM_OF_CACHE = 8
"""Only one in this many limbs of room counts when trees should fit the cache: few numbers use all their room."""


class ExactNumbers(NamedTuple):
    """The numbers of W windows: words if all numbers of a window fit words, and limbs otherwise."""

    words: Bits
    """[W, J]."""
    limbs: Ints
    """[W] The number of limbs of a window's numbers; 1: they are words."""
    begin: Ints
    """[W] The place in `wide` where the limbs of a window begin."""
    wide: Bits
    """The limbs of the first number, lowest first, then the limbs of the next number."""


@njit(cache=True, nogil=True)
def walk_windows(graph: Graph, weights: LimbWeights, windows: Ranges, minima: Ints) -> ExactNumbers:
    """The number of trends, and the J sums over their occurrences, of windows in time order, partition after partition.

    Like `window_sums.count_windows`, but exact. Reads `weights`, not `vertices.weights`. Fills `minima[W, M]`.
    """
    first, last = windows.first, windows.last
    count = first.shape[0]
    numbers = 1 + weights.limbs.shape[1]
    extremes = graph.vertices.codes.shape[1]
    words = np.zeros((count, numbers), np.uint64)
    limbs = np.ones(count, np.int64)
    wide_begin = np.zeros(count, np.int64)
    wide = np.zeros(64, np.uint64)
    taken = 0
    room = 1
    begin = np.int64(0)  # as a literal 0, it would make Numba compile all callees for the literal as well
    while begin < count:
        lane_words = numbers * (1 + room // ROOM_OF_CACHE) + extremes
        end = block_end(windows, begin, lane_words)
        while end - begin > 1 and (last[end - 1] - first[begin]) * (end - begin) * (numbers * room + extremes) > MEMORY:
            end -= 1
        stride = shape_of(end - begin, numbers, extremes).stride
        block_words = np.zeros((1, stride * room), np.uint64)
        minima_row = minima[begin:end].reshape((1, (end - begin) * extremes))
        used = walk_block(graph, weights, windows, begin, end, Rows(block_words, minima_row))
        if used > room:
            room *= 2
            continue
        for w in range(begin, end):
            place = (w - begin) * numbers
            window_limbs = 1
            for k in range(1, used):
                for j in range(numbers):
                    if block_words[0, k * stride + place + j] != 0:
                        window_limbs = k + 1
            limbs[w] = window_limbs
            for j in range(numbers):
                words[w, j] = block_words[0, place + j]
            if window_limbs == 1:
                continue
            if taken + window_limbs * numbers > wide.shape[0]:
                wider = np.zeros(2 * (taken + window_limbs * numbers), np.uint64)
                for k in range(taken):
                    wider[k] = wide[k]
                wide = wider
            wide_begin[w] = taken
            for j in range(numbers):
                for k in range(window_limbs):
                    wide[taken] = block_words[0, k * stride + place + j]
                    taken += 1
        room = used + used // ROOM_OF_CACHE
        begin = end
    return ExactNumbers(words, limbs, wide_begin, wide[:taken].copy())

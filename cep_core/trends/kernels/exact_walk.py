"""Trends of many windows in one walk, as exact numbers of any size: block after block (`block_walk`).

Numbers have as many limbs (`limbs`) as the largest of the block has come to need, one as long as all fit a word; trends
grow more as a window goes on, so that most additions are of few limbs. A block that needs more than there is room for
is walked again with twice the room, and the next one begins with that much.
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
"""Limbs that are not reckoned when a block's trees are to fit the cache: most numbers do not use all of their room."""


class ExactNumbers(NamedTuple):
    """The numbers of W windows: words where all of a window's are, and limbs for the others."""

    words: Bits
    """[W, J]."""
    limbs: Ints
    """[W] how many limbs a window's numbers have; 1: they are words."""
    begin: Ints
    """[W] where they begin among..."""
    wide: Bits
    """... these: the limbs of the first number, lowest first, then those of the next."""


@njit(cache=True, nogil=True)
def walk_windows(graph: Graph, weights: LimbWeights, windows: Ranges, minima: Ints) -> ExactNumbers:
    """The trends, and the J sums over their occurrences, of windows in time order, partition after partition.

    As `window_sums.count_windows`, but exact: `weights` are read, `vertices.weights` are not. Fills `minima[W, M]`.
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
    begin = np.int64(0)  # were it typed as the literal 0, all that is called would be compiled for that as well
    while begin < count:
        lane_words = numbers * (1 + room // ROOM_OF_CACHE) + extremes
        end = block_end(windows, begin, lane_words)
        while end - begin > 1 and (last[end - 1] - first[begin]) * (end - begin) * (numbers * room + extremes) > MEMORY:
            end -= 1
        stride = shape_of(end - begin, numbers, extremes).stride
        found = np.zeros((1, stride * room), np.uint64)
        least = minima[begin:end].reshape((1, (end - begin) * extremes))
        used = walk_block(graph, weights, windows, begin, end, Rows(found, least))
        if used > room:
            room *= 2
            continue
        for w in range(begin, end):
            at = (w - begin) * numbers
            own = 1
            for k in range(1, used):
                for j in range(numbers):
                    if found[0, k * stride + at + j] != 0:
                        own = k + 1
            limbs[w] = own
            words[w] = found[0, at : at + numbers]
            if own == 1:
                continue
            if taken + own * numbers > wide.shape[0]:
                wider = np.zeros(2 * (taken + own * numbers), np.uint64)
                wider[:taken] = wide[:taken]
                wide = wider
            wide_begin[w] = taken
            for j in range(numbers):
                for k in range(own):
                    wide[taken] = found[0, k * stride + at + j]
                    taken += 1
        room = used + used // ROOM_OF_CACHE
        begin = end
    return ExactNumbers(words, limbs, wide_begin, wide[:taken].copy())

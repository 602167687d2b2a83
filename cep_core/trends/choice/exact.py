"""Trends counted without a limit: where numbers do not fit a machine word, and on edges that no other walk knows.

The walk of `exact_walk`, whose numbers have as many limbs as they need. O(n * edges * log n * limbs) time a window,
half of that where numbers grow evenly.
"""

from __future__ import annotations

import numpy as np

from cep_core.arrays import Bits, Ints
from cep_core.numbers.integers import Integers
from cep_core.numbers.limbs import bits_of_limbs, integers_of
from cep_core.trends.arrays.graph import Graph
from cep_core.trends.arrays.ranges import Ranges
from cep_core.trends.kernels.block_walk import LimbWeights
from cep_core.trends.kernels.exact_walk import walk_windows


def count_exactly(graph: Graph, weights: Bits, windows: Ranges, minima: Ints) -> list[Integers]:
    """The totals of `ranked.count_compared_windows` as unbounded integers: 1 + J columns, a row for each window.

    Windows are in time order, partition after partition. `weights[m, J, limbs]`: the weights as limbs of 32 bits,
    lowest first (`vertices.weights` is not read). Fills `minima[W, M]`. Raises OverflowError for windows of so many
    vertices that a word has no room for their sum (2**31 / (edges + states)).
    """
    template = graph.template
    ways = len(template.predecessors) + len(graph.comparisons.source) + len(template.start) + weights.shape[2]
    summands = (int((windows.last - windows.first).max(initial=0)) + 1) * ways
    bits = bits_of_limbs(summands, weights)
    found = walk_windows(graph, LimbWeights(weights, bits), windows, minima)
    columns = [Integers(found.words[:, j].astype(np.int64)) for j in range(found.words.shape[1])]
    for limbs in np.unique(found.limbs):
        if limbs > 1:
            rows = np.flatnonzero(found.limbs == limbs)
            for j, column in enumerate(columns):
                places = found.begin[rows, np.newaxis] + j * limbs + np.arange(limbs)
                columns[j] = column.put(rows, integers_of(found.wide[places], bits))
    return columns

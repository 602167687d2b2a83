"""Counts trends in numbers of any size: if a machine word is too small, or if no other kernel handles an edge.

It uses the walk of `exact_walk`, whose numbers have as many limbs as they need. O(n * edges * log n * limbs) time for a
window; half of that if numbers grow evenly.
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
    """The totals of `ranked.count_compared_windows` as unbounded integers: 1 + J columns, one row for each window.

    Windows are in time order, partition after partition. `weights[m, J, limbs]`: the weights as limbs of 32 bits,
    lowest first (`vertices.weights` is not read). Fills `minima[W, M]`. Raises OverflowError if a window has so many
    vertices that a word cannot hold their sum (2**31 / (edges + states)).
    """
    template = graph.template
    ways = len(template.predecessors) + len(graph.comparisons.source) + len(template.start) + weights.shape[2]
    summands = (int((windows.last - windows.first).max(initial=0)) + 1) * ways
    bits = bits_of_limbs(summands, weights)
    counted = walk_windows(graph, LimbWeights(weights, bits), windows, minima)
    columns = [Integers(counted.words[:, j].astype(np.int64)) for j in range(counted.words.shape[1])]
    for limbs in np.unique(counted.limbs):
        if limbs > 1:
            rows = np.flatnonzero(counted.limbs == limbs)
            for j, column in enumerate(columns):
                places = counted.begin[rows, np.newaxis] + j * limbs + np.arange(limbs)
                columns[j] = column.put(rows, integers_of(counted.wide[places], bits))
    return columns

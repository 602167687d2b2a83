"""The same trends, counted without a limit: for the windows whose numbers do not fit a machine word.

The walk of `lanes` over numbers of many limbs (`limbs`), whose number doubles until nothing is carried out of the last
one, so at most half of the work is in vain. O(n * edges * log n * limbs) time a window. A limb's word has room for
2**32 summands, more than a window's vertices times the template's edges (checked).
"""

from __future__ import annotations

import numpy as np

from cep_core.trends.graph import NOTHING, Automaton, Bits, Comparisons, Ints, Limits, Vertices
from cep_core.trends.integers import Integers
from cep_core.trends.lanes import walk_blocks
from cep_core.trends.limbs import integers_of

FEWEST_LIMBS = 4
MOST_SUMMANDS = 1 << 32


def count_exactly(
    template: Automaton,
    comparisons: Comparisons,
    vertices: Vertices,
    weights: Bits,
    limits: Limits,
    first: Ints,
    last: Ints,
    partition: Ints,
    minima: Ints,
) -> list[Integers]:
    """The totals of `ranked.count_compared_windows` as unbounded integers: 1 + J columns, a row for each window.

    `weights[m, J, limbs]`: the weights as limbs of 32 bits, lowest first (`vertices.weights` is not read). Fills
    `minima[W, M]`. Raises OverflowError for a window of more than 2**32 / edges vertices.
    """
    edges = len(template.predecessors) + len(comparisons.source) + 1
    if len(first) and int((last - first).max()) * edges >= MOST_SUMMANDS:
        raise OverflowError(f"a window holds more than {MOST_SUMMANDS // edges:,} events of one partition")
    columns = [Integers(np.zeros(len(first), dtype=np.int64)) for _ in range(1 + weights.shape[1])]
    todo = np.arange(len(first))
    limbs = FEWEST_LIMBS
    while len(todo):
        totals = np.zeros((len(todo), 1 + weights.shape[1], limbs), np.uint64)
        smallest = np.full((len(todo), minima.shape[1]), NOTHING, np.int64)
        lost = np.zeros(len(todo), np.bool_)
        walk_blocks(
            template,
            comparisons,
            vertices,
            weights,
            limits.take(todo),
            first[todo],
            last[todo],
            partition[todo],
            totals,
            smallest,
            lost,
        )
        settled = todo[~lost]
        minima[settled] = smallest[~lost]
        for j, column in enumerate(columns):
            columns[j] = column.put(settled, integers_of(totals[~lost, j]))
        todo = todo[lost]
        limbs *= 2
    return columns

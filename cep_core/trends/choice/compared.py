"""Which kernel counts windows whose edges compare events, or are cut in a way that asks for ranks.

In machine words: one window after another (`ranked`) where they do not overlap, side by side in a ring of lanes
(`ring`) where they do. Edges with several comparisons, edges that forget what a negated match cuts off, and overlapping
windows that say who may begin or end, are for the walk whose numbers have any size (`exact_walk`, by way of `exact`):
it keeps what each vertex had.
"""

from __future__ import annotations

from cep_core.trends.arrays.graph import Graph
from cep_core.trends.arrays.ranges import Numbers, Ranges
from cep_core.trends.kernels.ranked import count_compared_windows
from cep_core.trends.kernels.ring import count_overlapping_windows


def count_compared(graph: Graph, windows: Ranges, numbers: Numbers) -> None:
    """Fill the numbers as `ranked.count_compared_windows`; flagged are also those left to `exact`."""
    first, last, partition = windows
    comparisons = graph.comparisons
    overlapping = bool(((first[1:] < last[:-1]) & (partition[1:] == partition[:-1])).any())
    limited = len(graph.limits.starts_before) > 0
    if comparisons.cut.any() or comparisons.first_other[-1] or (overlapping and limited):
        numbers.overflowed[:] = True
    elif overlapping:
        count_overlapping_windows(graph, windows, numbers)
    else:
        count_compared_windows(graph, windows, numbers)

"""Which kernel counts windows whose edges compare events, or are cut in a way that asks for ranks.

In machine words: one window after another (`ranked`) where they do not overlap, side by side in a ring of lanes
(`ring`) where they do. Edges with several comparisons, edges that forget what a negated match cuts off, and overlapping
windows that say who may begin or end, are for the walk whose numbers have any size (`lanes`, by way of `exact`): it
keeps what each vertex had.
"""

from __future__ import annotations

from cep_core.arrays import Flags, Ints
from cep_core.trends.arrays.graph import Comparisons, Limits, Vertices
from cep_core.trends.kernels.ranked import count_compared_windows
from cep_core.trends.kernels.ring import count_overlapping_windows
from cep_core.trends.plan.state_arrays import Automaton


def count_compared(
    template: Automaton,
    comparisons: Comparisons,
    vertices: Vertices,
    limits: Limits,
    first: Ints,
    last: Ints,
    partition: Ints,
    totals: Ints,
    minima: Ints,
    overflowed: Flags,
) -> None:
    """Fill totals, minima and overflowed as `ranked.count_compared_windows`; flagged are also those left to `exact`."""
    overlapping = bool(((first[1:] < last[:-1]) & (partition[1:] == partition[:-1])).any())
    limited = len(limits.starts_before) > 0
    windows = (first, last, partition, totals, minima, overflowed)
    if comparisons.cut.any() or comparisons.first_other[-1] or (overlapping and limited):
        overflowed[:] = True
    elif overlapping:
        count_overlapping_windows(template, comparisons, vertices, *windows)
    else:
        count_compared_windows(template, comparisons, vertices, limits, *windows)

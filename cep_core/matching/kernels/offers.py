"""Finds for each of many runs the next event that the edges of the event graph admit.

Cost: the rows between a run's cursor and its next offer.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from cep_core.arrays import Ints
from cep_core.matching.arrays.network import Network, holds


@njit(cache=True)
def next_offers(
    network: Network, rank: Ints, rows: Ints, states: Ints, cursor: Ints, cursor_edge: Ints, limits: Ints
) -> tuple[Ints, Ints]:
    """For each run, the next admitted row and its edge, at or after the run's cursor; -1 if there is none."""
    tick, fits, begin, target = network.tick, network.fits, network.begin, network.target
    condition, operator, left, right = network.condition, network.operator, network.left, network.right
    next_rows, next_edges = np.full(rows.shape[0], -1, np.int64), np.full(rows.shape[0], -1, np.int64)
    for k in range(rows.shape[0]):
        row, s = rows[k], states[k]
        edge = cursor_edge[k]
        for later in range(cursor[k], limits[k]):
            if rank.shape[0] and (later != row + 1 or rank[later] != rank[row] + 1):
                break
            if tick[later] > tick[row]:
                while edge < begin[s + 1] and next_rows[k] < 0:
                    if fits[later, target[edge]] and holds(condition, operator, left, right, edge, row, later):
                        next_rows[k], next_edges[k] = later, edge
                    edge += 1
            if next_rows[k] >= 0:
                break
            edge = begin[s]
    return next_rows, next_edges

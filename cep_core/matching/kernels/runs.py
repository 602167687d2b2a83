"""Skip-till-next-match and contiguity: at most one match for each start event.

Under these strategies a run has no choice: the next event of a partial match depends only on its last node (row,
state). So all runs together are a forest, which is built once. The match of each start event is one path in it
(`docs/semantics.md` 3; SASE++, section 2.1, strategies S1 and S2). A match that starts at a node exists if the first
accepting node on its path is within the window. A closure at the end continues to the last accepting node within the
window.

Cost: O(m S E) for the forest; an edge with comparisons adds the candidates in the window that fail before one passes.
Each match then costs its own length. The cost is not the number of runs times the window.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from cep_core.arrays import Ints
from cep_core.matching.arrays.network import Network, holds
from cep_core.matching.arrays.paths import Paths

NONE = -1


class Forest(NamedTuple):
    """[m * S] nodes; the number of a node is row * S + state. Of 32 bits, unless there are too many nodes."""

    successor: Ints | npt.NDArray[np.int32]
    """The node that a run at this node binds next, or NONE."""
    accepting: Ints | npt.NDArray[np.int32]
    """The first node of the path from this node, itself included, at which a match is complete, or NONE."""


@njit(cache=True)
def _grow(
    network: Network, offsets: Ints, clock: Ints, width: int, rank: Ints, successor: Ints, accepting: Ints
) -> None:
    """Fills the forest partition by partition, from the last event back. `rank` is empty under skip-till-next-match."""
    tick, fits, accepts, begin, target = network.tick, network.fits, network.accepts, network.begin, network.target
    condition, operator, left, right = network.condition, network.operator, network.left, network.right
    m, states = fits.shape
    upcoming = np.full((m + 1, states), NONE, successor.dtype)  # the first row from this one on that fits a state
    for p in range(offsets.shape[0] - 1):
        low, high = offsets[p], offsets[p + 1]
        after = high  # the first row with a later tick
        for row in range(high - 1, low - 1, -1):
            for s in range(states):
                upcoming[row, s] = row if fits[row, s] else (upcoming[row + 1, s] if row + 1 < high else NONE)
            while after - 1 > row and tick[after - 1] > tick[row]:
                after -= 1
            for s in range(states):
                node = row * states + s
                if not fits[row, s]:
                    continue
                best, bound = NONE, NONE
                if rank.shape[0]:
                    later = row + 1
                    if later < high and rank[later] == rank[row] + 1 and tick[later] > tick[row]:
                        for edge in range(begin[s], begin[s + 1]):
                            t = target[edge]
                            if fits[later, t] and holds(condition, operator, left, right, edge, row, later):
                                best, bound = later, t
                                break
                elif after < high:
                    for edge in range(begin[s], begin[s + 1]):
                        t = target[edge]
                        later = upcoming[after, t]
                        while later != NONE and (best == NONE or later < best) and clock[later] - clock[row] <= width:
                            if holds(condition, operator, left, right, edge, row, later):
                                best, bound = later, t
                                break
                            later = upcoming[later + 1, t] if later + 1 < high else NONE
                successor[node] = NONE if best == NONE else best * states + bound
                if accepts[row, s]:
                    accepting[node] = node
                else:
                    accepting[node] = NONE if best == NONE else accepting[successor[node]]


def grow_forest(network: Network, offsets: Ints, clock: Ints, width: int, rank: Ints | None) -> Forest:
    """The forest of all runs.

    `offsets` are the bounds of the partitions; a run spans at most `width` on `clock`. With `rank` (contiguity), the
    next event of a run must have the next rank; an event of equal tick ends the run.
    """
    nodes = network.fits.size
    forest = Forest(*(np.full(nodes, NONE, "i4" if nodes < 1 << 31 else "i8") for _ in range(2)))
    _grow(network, offsets, clock, width, np.empty(0, np.int64) if rank is None else rank, *forest)
    return forest


@njit(cache=True)
def _finish(forest: Forest, states: int, first: Ints, limits: Ints, last: Ints, lengths: Ints) -> None:
    for k in range(first.shape[0]):
        last[k] = NONE
        lengths[k] = 0
        if first[k] == NONE:
            continue
        end = forest.accepting[first[k]]
        while end != NONE and end // states < limits[k]:
            last[k] = end
            successor = forest.successor[end]
            end = NONE if successor == NONE else forest.accepting[successor]
        if last[k] != NONE:
            node = first[k]
            lengths[k] = 1
            while node != last[k]:
                node = forest.successor[node]
                lengths[k] += 1


def finish_runs(forest: Forest, states: int, first: Ints, limits: Ints) -> tuple[Ints, Ints]:
    """For runs from the nodes `first` over rows below `limits`: the last node of the match or NONE, and its length."""
    last, lengths = np.empty_like(first), np.empty_like(first)
    _finish(forest, states, first, limits, last, lengths)
    return last, lengths


@njit(cache=True)
def _walk(forest: Forest, states: int, first: Ints, offsets: Ints, rows: Ints, bound: Ints) -> None:
    for k in range(first.shape[0]):
        node = first[k]
        for p in range(offsets[k], offsets[k + 1]):
            rows[p] = node // states
            bound[p] = node % states
            node = forest.successor[node]


def walk_runs(forest: Forest, states: int, first: Ints, lengths: Ints, jobs: Ints) -> Paths:
    """The matches from the nodes `first`, of known lengths, as paths."""
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    rows, bound = np.empty(offsets[-1], np.int64), np.empty(offsets[-1], np.int64)
    _walk(forest, states, first, offsets, rows, bound)
    return Paths(rows, bound, offsets, jobs)

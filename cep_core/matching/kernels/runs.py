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

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from cep_core.arrays import Ints
from cep_core.inner_kernels import inner
from cep_core.matching.arrays.network import Network, holds
from cep_core.matching.arrays.paths import Paths

NONE = -1

Nodes = npt.NDArray[np.signedinteger[Any]]
"""Numbers of nodes, row * S + state, or of lengths of runs. Of 32 bits, unless there are too many nodes."""


class Forest(NamedTuple):
    """[m * S] nodes."""

    successor: Nodes
    """The node that a run at this node binds next, or NONE."""
    accepting: Nodes
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


@inner
def row_of(node: int, share: float) -> int:
    """The row of a node. `share`: 1 / states; a division takes ten times as long, and nodes are far below 2^50."""
    return int((node + 0.5) * share)


class Finished(NamedTuple):
    """The runs that are matches."""

    run: Nodes
    """The number of the run, ascending."""
    last: Nodes
    """The last node of the match."""
    lengths: Nodes
    """Its events."""


@njit(cache=True)
def _finish(forest: Forest, states: int, clock: Ints, first: Nodes, until: Ints, finished: Finished) -> int:
    """Fills `finished`. Returns how many runs are matches."""
    successor, accepting = forest  # unpacked here: taking an array out of a tuple inside a loop counts its references
    run, last, lengths = finished
    n, share = 0, 1.0 / states
    for k in range(first.shape[0]):
        if first[k] == NONE:
            continue
        end, best = accepting[first[k]], NONE
        while end != NONE and clock[row_of(end, share)] <= until[k]:
            best = end
            after = successor[end]
            end = NONE if after == NONE else accepting[after]
        if best == NONE:
            continue
        node, length = first[k], 1
        while node != best:
            node = successor[node]
            length += 1
        run[n], last[n], lengths[n] = k, best, length
        n += 1
    return n


def finish_runs(forest: Forest, states: int, clock: Ints, first: Nodes, until: Ints) -> Finished:
    """The matches of runs from the nodes `first` (or NONE), whose events are not after `until` on `clock`."""
    finished = Finished(*(np.empty_like(first) for _ in range(3)))
    n = _finish(forest, states, clock, first, until, finished)
    return Finished(*(column[:n] for column in finished))


@njit(cache=True)
def _walk(forest: Forest, states: int, first: Nodes, offsets: Ints, rows: Ints, bound: Ints) -> None:
    successor, share = forest.successor, 1.0 / states
    for k in range(first.shape[0]):
        node = first[k]
        for p in range(offsets[k], offsets[k + 1]):
            rows[p] = row_of(node, share)
            bound[p] = node - rows[p] * states
            node = successor[node]


def walk_runs(forest: Forest, states: int, first: Nodes, lengths: Nodes, jobs: Ints) -> Paths:
    """The matches from the nodes `first`, of known lengths, as paths."""
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    rows, bound = np.empty(offsets[-1], np.int64), np.empty(offsets[-1], np.int64)
    _walk(forest, states, first, offsets, rows, bound)
    return Paths(rows, bound, offsets, jobs)

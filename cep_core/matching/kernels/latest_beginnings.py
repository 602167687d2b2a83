"""For each row, the latest row at which a match that ends there may begin: one forward pass, skip-till-any-match.

A node (row, state) keeps the latest row at which a run that reaches it may have begun. A run with a later beginning
always stays in the window longer. So one number represents all runs of a node (the maximal start position of CORE's
tECS). A closure needs no loop edge if all edges that enter it have no comparisons: the last event of a longer chain can
then enter the closure directly, with a beginning at least as late.

Assumes that no negation is before the first or after the last event of a match. Cost for m rows: O(m E). An edge with a
single comparison by order adds O(log m) for each node (a Fenwick tree of maxima over the earlier events' places). Any
other edge with comparisons adds O(n) for each node, for n rows in the window.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import numpy.typing as npt
from numba import njit

from cep_core.arrays import Flags, Ints
from cep_core.inner_kernels import inner
from cep_core.matching.arrays.network import Network, holds

NEVER = -1

Rows = npt.NDArray[np.int32]


def latest_beginnings(network: Network, offsets: Ints, clock: Ints, width: int) -> Rows:
    """[m] the latest row at which a match that ends at the row may begin, or NEVER.

    The `needed_edges` of the network must have places. Only beginnings within `width` of the row are reliable.
    """
    source = np.repeat(np.arange(len(network.begin) - 1), np.diff(network.begin))
    latest = np.empty(len(clock), np.int32)
    places = 2 + int(network.store.max(initial=0))
    tops = np.empty((len(network.operator), places), np.int64)
    _latest_beginnings(network, offsets, clock, width, source, needed_edges(network), tops, latest)
    return latest


def needed_edges(network: Network) -> Flags:
    """[edge] whether it can lead to a later beginning than the other edges into its state."""
    source = [state for state, (begin, end) in enumerate(pairwise(network.begin.tolist())) for _ in range(begin, end)]
    target, free = network.target.tolist(), [begin == end for begin, end in pairwise(network.condition.tolist())]
    needed = []
    for s, t in zip(source, target, strict=True):
        into = [is_free for is_free, p, q in zip(free, source, target, strict=True) if q == t != p]
        needed.append(s != t or not all(into) or bool(network.starts[:, t].any()))
    return np.array(needed, np.bool_)


@njit(cache=True)
def _latest_beginnings(
    network: Network, offsets: Ints, clock: Ints, width: int, source: Ints, needed: Flags, tops: Ints, latest: Rows
) -> None:
    """latest[row]: the latest row at which a match that ends there may begin, or NEVER.

    Longer than 60 lines: the nodes that wait for the next tick, the reached nodes and the trees are local to one pass.
    """
    tick, fits, starts, accepts = network.tick, network.fits, network.starts, network.accepts
    target, condition, operator = network.target, network.condition, network.operator
    left, right, store, query = network.left, network.right, network.store, network.query
    m, states = fits.shape
    edges, placed = target.shape[0], query.shape[1] > 0
    best = np.empty(states, np.int64)
    # nodes of the current tick, which only later ticks may follow; a small array, so no array of all nodes is touched
    room = _most_at_once(offsets, tick) * states
    waiting, waiting_row, waiting_begun = np.empty(room, np.int64), np.empty(room, np.int64), np.empty(room, np.int64)
    members, beginnings = np.empty((states, m), np.int64), np.empty((states, m), np.int64)
    above = np.empty(tops.shape[0], np.int64)  # one more than the places of the current partition
    sizes, gone = np.empty(states, np.int64), np.empty(states, np.int64)
    scanned = np.zeros(states, np.bool_)  # states whose nodes are compared one by one
    into = np.empty(edges, np.int64)  # the needed edges by the state they lead to
    first = np.zeros(states + 1, np.int64)
    for t in range(states):
        first[t + 1] = first[t]
        for edge in range(edges):
            if needed[edge] and target[edge] == t:
                into[first[t + 1]] = edge
                first[t + 1] += 1
                scanned[source[edge]] |= condition[edge] < condition[edge + 1]
    for p in range(offsets.shape[0] - 1):
        low, high = offsets[p], offsets[p + 1]
        best[:] = NEVER
        sizes[:] = 0
        gone[:] = 0
        for c in range(tops.shape[0]):
            above[c] = 1 + (store[c, low:high].max() if placed and high > low else 0)
            tops[c, : above[c]] = NEVER
        n = 0
        for row in range(low, high):
            if n and tick[row] != tick[row - 1]:
                for k in range(n):
                    s, ready, begun = waiting[k], waiting_row[k], waiting_begun[k]
                    best[s] = max(best[s], begun)
                    if not scanned[s]:
                        continue
                    members[s, sizes[s]] = ready
                    beginnings[s, sizes[s]] = begun
                    sizes[s] += 1
                    for edge in range(edges):
                        c = condition[edge]
                        if source[edge] == s and c < condition[edge + 1] and placed and query[c, ready] > 0:
                            _raise(tops, c, above[c] - query[c, ready], above[c], begun)
                n = 0
            latest[row] = NEVER
            for t in range(states):
                if not fits[row, t]:
                    continue
                begun = NEVER
                if starts[row, t]:
                    begun = row
                else:
                    for k in range(first[t], first[t + 1]):
                        edge = into[k]
                        s, c = source[edge], condition[edge]
                        if c == condition[edge + 1]:
                            begun = max(begun, best[s])
                        elif best[s] <= begun:
                            continue
                        elif placed and query[c, row] >= 0:
                            if store[c, row] > 0:
                                begun = max(begun, _top(tops, c, above[c] - store[c, row], best[s]))
                        else:
                            while gone[s] < sizes[s] and clock[members[s, gone[s]]] < clock[row] - width:
                                gone[s] += 1
                            for k2 in range(gone[s], sizes[s]):
                                if beginnings[s, k2] > begun and holds(
                                    condition, operator, left, right, edge, members[s, k2], row
                                ):
                                    begun = beginnings[s, k2]
                if begun == NEVER:
                    continue
                waiting[n], waiting_row[n], waiting_begun[n] = t, row, begun
                n += 1
                if accepts[row, t]:
                    latest[row] = max(latest[row], begun)


@inner
def _most_at_once(offsets: Ints, tick: Ints) -> int:
    """The largest number of rows of one partition with the same tick."""
    most, run = 0, 0
    for p in range(offsets.shape[0] - 1):
        for row in range(offsets[p], offsets[p + 1]):
            run = run + 1 if row > offsets[p] and tick[row] == tick[row - 1] else 1
            most = max(most, run)
    return most


@inner
def _raise(tops: Ints, c: int, place: int, above: int, begun: int) -> None:
    """Enters a beginning at a place of the Fenwick tree of maxima tops[c]; nodes above it are never smaller."""
    while place < above and tops[c, place] < begun:
        tops[c, place] = begun
        place += place & -place


@inner
def _top(tops: Ints, c: int, place: int, most: int) -> int:
    """The latest beginning at the places 1..place; no beginning is later than `most`."""
    latest = NEVER
    while place > 0 and latest < most:
        latest = max(latest, tops[c, place])
        place &= place - 1
    return latest

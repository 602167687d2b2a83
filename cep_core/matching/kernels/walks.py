"""The backward walk over a window, which counting, listing and compact results share.

For one last event e, the walk goes backwards over the window. For every node (row, state) it counts the ways to
complete a match at e: ways(i, s) = sum of ways(j, t) over the edges (i, s) -> (j, t), with ways(e, accepting) = 1
(GRETA's recurrence, section 4.2, from the end). Last events whose windows overlap share one walk, and each has its own
lane. So additions are vector additions, and each comparison is made once for all lanes. The type of a number decides
how it is added (`lanes`): counts that stop at a limit, residues, or floats.

Cost with n rows in a walk: O(n E) additions. An edge with a single comparison by order adds O(log n) for each node (a
Fenwick tree over the later events' places). Any other edge with comparisons adds O(n) for each node.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from cep_core.arrays import Ints
from cep_core.inner_kernels import inner
from cep_core.matching.arrays.network import ANY_STATE, LONG, Ends, Network, Places, begins, holds
from cep_core.numbers.lanes import LANES, LIMIT, add_lanes, any_lane, clear_lanes, insert_lanes, sum_lanes

Numbers = npt.NDArray[np.int64] | npt.NDArray[np.uint64] | npt.NDArray[np.float64]


class Scratch(NamedTuple):
    """Memory for walks over up to n rows, L = LANES: `ways` is the result, the rest is working memory."""

    ways: Numbers
    """[n, S, L]"""
    totals: Numbers
    """[1, S, L] sums over the rows later than the current one"""
    members: Ints
    """[S, n] the later rows with nonzero ways"""
    sizes: Ints
    """[S]"""
    trees: Numbers
    """[C, largest place + 1, L] Fenwick trees of ways by `Network.store`, one for each comparison"""

    def of(self, kind: npt.DTypeLike) -> Scratch:
        """The same memory for numbers of another type."""
        return self._replace(
            ways=np.empty(self.ways.shape, kind),
            totals=np.empty(self.totals.shape, kind),
            trees=np.zeros(self.trees.shape, kind),
        )


def walks_are_long(longest: int) -> bool:
    """Whether a walk over windows of up to `longest` rows may keep trees, which need places (`with_places`)."""
    return 2 * longest > LONG


def scratch_for(network: Network, longest: int) -> Scratch:
    """Working memory for windows of up to `longest` rows. Windows that share a walk span at most twice as many rows."""
    states, comparisons = network.fits.shape[1], len(network.operator)
    rows = 2 * longest
    places = 1 + int(network.store.max(initial=0)) if walks_are_long(longest) else 1
    return Scratch(
        ways=np.empty((rows, states, LANES), np.int64),
        totals=np.empty((1, states, LANES), np.int64),
        members=np.empty((states, rows), np.int64),
        sizes=np.empty(states, np.int64),
        trees=np.zeros((comparisons, places, LANES), np.int64),
    )


@inner
def complete_ways(network: Network, low: int, ends: Ints, ending: Ints, modulus: int, scratch: Scratch) -> None:
    """Fills scratch.ways[row - low, state, lane] for the rows low..ends[-1]; `ends` ascend, one lane for each end.

    `ending`: the state in which the matches of a lane end, or ANY_STATE. Lanes beyond the last end hold zeros.
    """
    # unpack arrays here: taking an array out of a tuple inside a loop counts its references
    tick, fits, accepts = network.tick, network.fits, network.accepts
    begin, target, condition = network.begin, network.target, network.condition
    operator, left, right, store, query = network.operator, network.left, network.right, network.store, network.query
    ways, totals, members, sizes, trees = scratch
    states, edges = fits.shape[1], target.shape[0]
    unit = ways.dtype.type(1)
    end = ends[ends.shape[0] - 1]
    long = end - low >= LONG and query.shape[1] > 0
    inserted = 0
    totals[:] = ways.dtype.type(0)
    sizes[:] = 0
    ready = end + 1  # rows from `ready` on are strictly later than the current row
    lane = ends.shape[0]  # the lanes from here on have started
    for row in range(end, low - 1, -1):
        while ready - 1 > row and tick[ready - 1] > tick[row]:
            ready -= 1
            for s in range(states):
                if not fits[ready, s] or not any_lane(ways, ready - low, s):
                    continue
                add_lanes(totals, 0, s, ways, ready - low, s, modulus)
                members[s, sizes[s]] = ready
                sizes[s] += 1
                for edge in range(edges if long else 0):
                    c = condition[edge]
                    if target[edge] == s and c < condition[edge + 1] and query[c, ready] >= 0:
                        inserted += 1
                        insert_lanes(trees, c, store[c, ready], ways, ready - low, s, modulus)
        for s in range(states):
            clear_lanes(ways, row - low, s)
            if not fits[row, s]:
                continue
            for edge in range(begin[s], begin[s + 1]):
                t, c = target[edge], condition[edge]
                if sizes[t] == 0:
                    continue
                if c == condition[edge + 1]:
                    add_lanes(ways, row - low, s, totals, 0, t, modulus)
                elif long and query[c, row] >= 0:
                    sum_lanes(ways, row - low, s, trees, c, query[c, row], modulus)
                else:
                    for m in range(sizes[t]):
                        later = members[t, m]
                        if holds(condition, operator, left, right, edge, row, later):
                            add_lanes(ways, row - low, s, ways, later - low, t, modulus)
        while lane > 0 and ends[lane - 1] > row:
            lane -= 1
        k = lane - 1
        while k >= 0 and ends[k] == row:
            for s in range(states):
                if accepts[row, s] and (ending[k] == ANY_STATE or ending[k] == s):
                    ways[row - low, s, k] = unit
            k -= 1
    if inserted:
        _clear(condition, target, store, members, sizes, trees, inserted)


@inner
def _clear(
    condition: Ints, target: Ints, store: Places, members: Ints, sizes: Ints, trees: Numbers, inserted: int
) -> None:
    """Empties the trees: only the inserted places, or all places if that is cheaper."""
    if 4 * inserted > trees.shape[0] * trees.shape[1]:
        trees[:] = trees.dtype.type(0)
        return
    for edge in range(target.shape[0]):
        c, t = condition[edge], target[edge]
        if c == condition[edge + 1]:
            continue
        for m in range(sizes[t]):
            place = store[c, members[t, m]]
            while 0 < place < trees.shape[1]:
                trees[c, place] = 0
                place += place & -place


@njit(cache=True)
def count_ends(network: Network, questions: Ends, modulus: int, scratch: Scratch, counts: Numbers, ahead: int) -> None:
    """Fills counts[k] with the number of paths of each question; the questions' rows ascend.

    `ahead`: after a walk in which every count reached LIMIT, this many walks are skipped, and their counts are set to
    LIMIT. The caller has to count these questions again. 0: no walk is skipped.
    """
    starts, since, ways = network.starts, network.since, scratch.ways
    ends, ending, windows, lows, befores = questions
    states = starts.shape[1]
    sums = np.empty((1, 1, LANES), counts.dtype)
    alone = np.empty((1, 1, LANES), counts.dtype)
    first = 0
    skipping = 0
    while first < ends.shape[0]:
        low = lows[first]
        most = low + 2 * (ends[first] - low + 1)
        after = first + 1
        while after < ends.shape[0] and after - first < LANES and lows[after] <= ends[after - 1] and ends[after] < most:
            low = min(low, lows[after])
            after += 1
        if skipping > 0:
            skipping -= 1
            counts[first:after] = LIMIT
            first = after
            continue
        complete_ways(network, low, ends[first:after], ending[first:after], modulus, scratch)
        clear_lanes(sums, 0, 0)
        highest, least = lows[first:after].max(), befores[first:after].min()
        for row in range(low, ends[after - 1] + 1):
            for s in range(states):
                if not starts[row, s]:
                    continue
                if since.shape[0] == 0 and highest <= row < least:
                    add_lanes(sums, 0, 0, ways, row - low, s, modulus)
                    continue
                for k in range(first, after):
                    alone[0, 0, k - first] = counts.dtype.type(0)
                    if lows[k] <= row < befores[k] and begins(starts, since, row, s, windows[k]):
                        alone[0, 0, k - first] = ways[row - low, s, k - first]
                add_lanes(sums, 0, 0, alone, 0, 0, modulus)
        counts[first:after] = sums[0, 0, : after - first]
        if ahead > 0:
            skipping = ahead
            for k in range(first, after):
                if counts[k] < LIMIT:
                    skipping = 0
        first = after

"""Marks the (row, state) nodes that may be part of a match: a relaxation that compares only pairs of events.

One event may follow another if some choice of their moments allows it. A node is useful for a question if a chain of
such pairs leads from a starting node to it, and another from it to an accepting node. Every node of every match is
useful. If no intervals overlap, these chains are the paths of precise time, and the search makes no useless steps. So
the useful nodes of a question are also its compact row, without a search: a superset of every match.

Cost for each question with n rows: O(n^2) pairs at worst; most pairs are not visited.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from cep_core.arrays import Flags, Ints
from cep_core.inner_kernels import borrowing
from cep_core.matching.arrays.network import Network, holds
from cep_core.matching.arrays.paths import Paths
from cep_core.matching.imprecise.kernels.worlds import Times


@borrowing
def may_follow(times: Times, earlier: int, later: int) -> bool:
    """Whether some choice of moments puts row `earlier` before row `later`.

    >>> import numpy as np
    >>> from cep_core.matching.imprecise.kernels.worlds import times_of
    >>> bool(may_follow.py_func(times_of(np.array([1, 2]), np.array([3, 2]), np.array([0, 1]), ordered=False), 1, 0))
    True
    """
    first, last = times.low[earlier], times.high[later]
    return first < last or (times.ordered and first == last and times.seq[earlier] < times.seq[later])


@borrowing
def near(times: Times, width: int, first: int, second: int) -> bool:
    """Whether some moments of two rows are at most `width` apart."""
    return times.low[first] <= times.high[second] + width and times.low[second] <= times.high[first] + width


@njit(cache=True)
def mark_useful(network: Network, times: Times, low: int, anchor: int, width: int, useful: Flags, begun: Flags) -> bool:
    """Marks useful[row - low, state] for matches among rows low..anchor that contain the anchor.

    Returns whether the anchor can be in a match. The anchor is the last row of its matches. So no match ends before the
    anchor may happen, and no row is further from it than the width. `begun` is scratch space.
    """
    states = network.fits.shape[1]
    any_end = False
    for row in range(low, anchor + 1):
        inside = near(times, width, row, anchor)
        for s in range(states):
            ends = inside and network.accepts[row, s] and (row == anchor or may_follow(times, anchor, row))
            useful[row - low, s] = ends
            begun[row - low, s] = inside and network.starts[row, s]
            any_end |= ends
    if not any_end:
        return False
    changed = True
    while changed:
        changed = False
        for row in range(anchor, low - 1, -1):
            if not near(times, width, row, anchor):
                continue
            for s in range(states):
                open_node = network.fits[row, s] and not useful[row - low, s]
                if open_node and _leads_on(network, times, low, anchor, useful, row, s):
                    useful[row - low, s] = changed = True
    changed = bool(useful[anchor - low].any())
    while changed:
        changed = False
        for row in range(low, anchor + 1):
            for s in range(states):
                if begun[row - low, s] and useful[row - low, s]:
                    changed |= _begin_followers(network, times, low, anchor, useful, begun, row, s)
    useful[: anchor + 1 - low] &= begun[: anchor + 1 - low]
    return bool(useful[anchor - low].any())


@borrowing
def _leads_on(network: Network, times: Times, low: int, anchor: int, useful: Flags, row: int, state: int) -> bool:
    """Whether a useful node may follow the node."""
    for later in range(anchor, low - 1, -1):
        if later == row or not may_follow(times, row, later):
            continue
        for edge in range(network.begin[state], network.begin[state + 1]):
            if useful[later - low, network.target[edge]] and holds(
                network.condition, network.operator, network.left, network.right, edge, row, later
            ):
                return True
    return False


@borrowing
def _begin_followers(
    network: Network, times: Times, low: int, anchor: int, useful: Flags, begun: Flags, row: int, state: int
) -> bool:
    """Marks the useful nodes that may follow as begun. Returns whether any of them is new."""
    changed = False
    for later in range(low, anchor + 1):
        if later == row or not may_follow(times, row, later):
            continue
        for edge in range(network.begin[state], network.begin[state + 1]):
            t = network.target[edge]
            if (
                useful[later - low, t]
                and not begun[later - low, t]
                and holds(network.condition, network.operator, network.left, network.right, edge, row, later)
            ):
                begun[later - low, t] = True
                changed = True
    return changed


def useful_nodes(network: Network, times: Times, rows: Ints, lows: Ints, width: int) -> Paths:
    """The useful nodes, by row, of each question (last row, first row within reach) that may have a match."""
    longest = int((rows - lows).max(initial=0)) + 1
    useful, begun = np.zeros((2, longest, network.fits.shape[1]), np.bool_)
    pieces = []
    for question, (row, low) in enumerate(zip(rows.tolist(), lows.tolist(), strict=True)):
        if mark_useful(network, times, low, row, width, useful, begun):
            places, states = np.nonzero(useful[: row + 1 - low])
            pieces.append(Paths(low + places, states, np.array([0, len(places)]), np.array([question])))
    return Paths.join(pieces)

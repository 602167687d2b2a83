"""The nodes of all matches that end at one event, under skip-till-any-match, without listing the matches.

A node is part of a match if it is on a path from a starting node to the last event. One backward pass (`walks`) and
one forward pass mark these nodes. Cost for each last event with n rows in its window: twice the counting pass; in the
forward pass, an edge with comparisons costs O(n) for each node at worst. The cost never depends on the number of
matches.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numba import njit

from cep_core.arrays import Flags, Ints
from cep_core.inner_kernels import inner
from cep_core.matching.arrays.network import Ends, Network, begins, holds
from cep_core.matching.arrays.paths import Paths
from cep_core.matching.kernels.walks import Scratch, complete_ways, scratch_for

TIMES = 8
"""A piece has room for all nodes of so many of the longest windows."""


@inner
def _reach(network: Network, questions: Ends, k: int, scratch: Scratch, reached: Flags) -> int:
    """Marks reached[row - low, state] for nodes in a match of question k. Returns their number."""
    ends, ending = questions.rows[k : k + 1], questions.states[k : k + 1]
    window, low, before = questions.lows[k], questions.begins[k], questions.befores[k]
    since = network.since
    tick, starts, begin, target = network.tick, network.starts, network.begin, network.target
    condition, operator, left, right = network.condition, network.operator, network.left, network.right
    ways, members, sizes = scratch.ways, scratch.members, scratch.sizes
    states = starts.shape[1]
    complete_ways(network, low, ends, ending, 0, scratch)
    sizes[:] = 0
    ready = low  # rows below `ready` are strictly earlier than the current row
    count = 0
    for row in range(low, ends[0] + 1):
        while tick[ready] < tick[row]:
            for s in range(states):
                if reached[ready - low, s]:
                    members[s, sizes[s]] = ready
                    sizes[s] += 1
            ready += 1
        for t in range(states):
            on_path = False
            if ways[row - low, t, 0]:
                on_path = row < before and begins(starts, since, row, t, window)
                for s in range(states):
                    for edge in range(begin[s], begin[s + 1]):
                        if on_path or target[edge] != t:
                            continue
                        for k in range(sizes[s]):
                            if holds(condition, operator, left, right, edge, members[s, k], row):
                                on_path = True
                                break
            reached[row - low, t] = on_path
            count += on_path
    return count


@njit(cache=True)
def _collect(
    network: Network, questions: Ends, scratch: Scratch, reached: Flags, rows: Ints, bound: Ints, offsets: Ints
) -> int:
    """Writes the nodes of the first questions, as many as fit. Returns the number of these questions."""
    ends, lows = questions.rows, questions.begins
    states = network.fits.shape[1]
    used = 0
    offsets[0] = 0
    for k in range(ends.shape[0]):
        nodes = _reach(network, questions, k, scratch, reached)
        if used + nodes > rows.shape[0]:
            return k
        for row in range(lows[k], ends[k] + 1):
            for s in range(states):
                if reached[row - lows[k], s]:
                    rows[used] = row
                    bound[used] = s
                    used += 1
        offsets[k + 1] = used
    return ends.shape[0]


def match_nodes(network: Network, questions: Ends, piece: int) -> Iterator[Paths]:
    """For each question, the nodes of all its matches, by row: `piece` at a time, or more if windows are long.

    A question whose nodes do not fit a piece any more is asked again for the next one; the full piece then has at least
    TIMES others, so that few are asked twice.
    """
    longest = int((questions.rows - questions.begins).max(initial=0)) + 1
    scratch = scratch_for(network, longest)
    reached = np.empty((longest, network.fits.shape[1]), np.bool_)
    capacity = max(piece, TIMES * reached.size)
    rows, bound, offsets = (np.empty(length, np.int64) for length in (capacity, capacity, piece + 1))
    done = 0
    while done < len(questions.rows):
        asked = Ends(*(column[done : done + piece] for column in questions))
        answered = _collect(network, asked, scratch, reached, rows, bound, offsets)
        used = offsets[answered]
        jobs = np.arange(done, done + answered)
        yield Paths(rows[:used].copy(), bound[:used].copy(), offsets[: answered + 1].copy(), jobs)
        done += answered

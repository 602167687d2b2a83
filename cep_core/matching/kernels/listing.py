"""Lists matches under skip-till-any-match, in order, in batches of bounded size.

For one last event, `walks.complete_ways` marks the nodes from which a match can still end there. A depth-first walk
from the starting nodes visits only marked nodes. So every step is part of a match, and no step is wasted (SASE++,
section 5.1: postponing, without the subsets that fail).

Order: by last event, then by the (seq, state) pairs of the events from first to last.

Cost for each last event: the counting pass over its window; O(n) once for each visited node, whose successors are kept
while the pool has room; and O(length) for each match. Memory: the window's nodes, the pool and one batch.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numba import njit

from cep_core.arrays import Ints
from cep_core.inner_kernels import inner
from cep_core.matching.arrays.network import Ends, Network, begins, holds
from cep_core.matching.arrays.paths import LARGEST, BatchSize, Paths
from cep_core.matching.kernels.walks import Scratch, complete_ways, scratch_for

POOL = 1 << 21
"""Successor entries kept for one last event. If the pool is full, a node is scanned again at each visit."""

UNSEEN, SCANNED = -1, -2


class _Search(NamedTuple):
    """The state of the walk, kept so that the next batch can continue it; and scratch space."""

    at: Ints
    """[5] current last event; depth (-1: not begun); its listed matches; its nodes; used pool entries."""
    scratch: Scratch
    row: Ints
    """[nodes] the marked nodes, in (seq, state) order."""
    state: Ints
    kept: Ints
    """[nodes, 2] the range of a node's successors in the pool, or UNSEEN, SCANNED."""
    pool: Ints
    stack: Ints
    """[depth] the node on the path."""
    place: Ints
    """[depth] the node's place in the pool; a node number if its parent is scanned."""


@inner
def _mark(network: Network, seq: Ints, questions: Ends, k: int, search: _Search) -> int:
    """Lists the nodes that can complete a match of question k, by (seq, state). Returns their number."""
    ends, low = questions.rows, questions.begins[k]
    complete_ways(network, low, ends[k : k + 1], questions.states[k : k + 1], 0, search.scratch)
    ways, row, state = search.scratch.ways, search.row, search.state
    nodes = 0
    ascending = True
    for r in range(low, ends[k] + 1):
        for s in range(ways.shape[1]):
            if ways[r - low, s, 0]:
                if nodes and seq[row[nodes - 1]] > seq[r]:
                    ascending = False
                row[nodes] = r
                state[nodes] = s
                nodes += 1
    if not ascending:
        order = np.argsort(seq[row[:nodes]], kind="mergesort")
        row[:nodes] = row[:nodes][order]
        state[:nodes] = state[:nodes][order]
    search.kept[:nodes] = UNSEEN
    return nodes


@inner
def _next_successor(network: Network, search: _Search, node: int, after: int) -> int:
    """The first node after `after` that may follow `node`, or -1."""
    tick, begin, target = network.tick, network.begin, network.target
    condition, operator, left, right = network.condition, network.operator, network.left, network.right
    row, state = search.row, search.state
    node_row, s = row[node], state[node]
    for later in range(after + 1, search.at[3]):
        if tick[row[later]] <= tick[node_row]:
            continue
        for edge in range(begin[s], begin[s + 1]):
            if target[edge] == state[later] and holds(condition, operator, left, right, edge, node_row, row[later]):
                return later
    return -1


@inner
def _keep_successors(network: Network, search: _Search, node: int) -> None:
    """Stores a node's successors in the pool, if there is room."""
    at, kept, pool = search.at, search.kept, search.pool
    used = at[4]
    later = _next_successor(network, search, node, -1)
    while later >= 0:
        if used == pool.shape[0]:
            kept[node, 0] = SCANNED
            return
        pool[used] = later
        used += 1
        later = _next_successor(network, search, node, later)
    kept[node, 0] = at[4]
    kept[node, 1] = used
    at[4] = used


class _Batch(NamedTuple):
    """Listed matches, as in `Paths`; the first offset is 0."""

    rows: Ints
    states: Ints
    offsets: Ints
    jobs: Ints


@njit(cache=True)
def _fill(
    network: Network,
    seq: Ints,
    questions: Ends,
    most: Ints,
    search: _Search,
    batch: _Batch,
) -> int:
    """Lists matches until the batch is full or all are listed. Returns the number of matches in the batch.

    Longer than 60 lines: one iteration is one step of the walk, and every branch changes the state of the walk (`at`,
    `place`). Two functions would have to pass this whole state to each other.
    """
    # unpack arrays here: taking an array out of a tuple inside a loop counts its references
    at, row, state, kept, pool = search.at, search.row, search.state, search.kept, search.pool
    stack, place, starts, since = search.stack, search.place, network.starts, network.since
    ends, windows, befores = questions.rows, questions.lows, questions.befores
    rows, states, offsets, jobs = batch
    count = 0
    used = 0
    offsets[0] = 0
    while at[0] < ends.shape[0]:
        k = at[0]
        if at[1] < 0:
            if most[k] == 0:
                at[0] += 1
                continue
            at[3] = _mark(network, seq, questions, k, search)
            at[1] = at[2] = at[4] = 0
            place[0] = -1
        depth = at[1]
        if count == jobs.shape[0] or used + depth + 1 > rows.shape[0]:
            return count
        node = -1
        if depth == 0:
            for start in range(place[0] + 1, at[3]):
                first, s = row[start], state[start]
                if first < befores[k] and begins(starts, since, first, s, windows[k]):
                    place[0] = node = start
                    break
        elif kept[stack[depth - 1], 0] == SCANNED:
            node = _next_successor(network, search, stack[depth - 1], place[depth])
            place[depth] = node
        elif place[depth] + 1 < kept[stack[depth - 1], 1]:
            place[depth] += 1
            node = pool[place[depth]]
        if node < 0:
            at[1] = depth - 1
            if depth == 0:
                at[0] += 1
            continue
        stack[depth] = node
        if row[node] == ends[k]:
            for d in range(depth + 1):
                rows[used + d] = row[stack[d]]
                states[used + d] = state[stack[d]]
            used += depth + 1
            jobs[count] = k
            count += 1
            offsets[count] = used
            at[2] += 1
            if at[2] >= most[k]:
                at[0] += 1
                at[1] = -1
            continue
        if kept[node, 0] == UNSEEN:
            _keep_successors(network, search, node)
        place[depth + 1] = -1 if kept[node, 0] == SCANNED else kept[node, 0] - 1
        at[1] = depth + 1
    return count


def list_matches(
    network: Network, seq: Ints, questions: Ends, most: Ints, size: BatchSize = LARGEST
) -> Iterator[Paths]:
    """The first most[k] matches of each question k, one after another, in batches.

    `most` may be lowered between two batches.
    """
    ends, lows = questions.rows, questions.begins
    if not len(ends):
        return
    longest = int((ends - lows).max()) + 1
    nodes = longest * network.fits.shape[1]
    search = _Search(
        at=np.array([0, -1, 0, 0, 0], np.int64),
        scratch=scratch_for(network, longest),
        row=np.empty(nodes, np.int64),
        state=np.empty(nodes, np.int64),
        kept=np.empty((nodes, 2), np.int64),
        pool=np.empty(POOL, np.int64),
        stack=np.empty(longest + 1, np.int64),
        place=np.empty(longest + 1, np.int64),
    )
    sources = np.repeat(np.arange(len(network.begin) - 1), np.diff(network.begin))
    repeats = (network.target <= sources).any()  # else a match has at most one event for each state
    capacity = max(size.events if repeats else network.fits.shape[1] * size.rows, longest)
    while search.at[0] < len(ends):
        batch = _Batch(
            rows=np.empty(capacity, np.int64),
            states=np.empty(capacity, np.int64),
            offsets=np.empty(size.rows + 1, np.int64),
            jobs=np.empty(size.rows, np.int64),
        )
        matches = _fill(network, seq, questions, most, search, batch)
        used = batch.offsets[matches]
        if matches:
            yield Paths(batch.rows[:used], batch.states[:used], batch.offsets[: matches + 1], batch.jobs[:matches])
        del batch  # before memory for the next is taken

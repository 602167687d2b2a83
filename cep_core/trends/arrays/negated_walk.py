"""Walks over the vertices of a line for `cut_moments`: where negated matches start, and what they cut off.

Cost: a walk is O(vertices * edges). Edges that compare, or that a NOT may excuse, also visit the partial matches
between a vertex and the best one: O(vertices^2) in the worst case. All else is linear, or a search for each question.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from cep_core.arrays import Bits, Flags, Ints
from cep_core.inner_kernels import inner

NEVER = -1
"""No negated match."""


class NegatedEdges(NamedTuple):
    """The edges of a negated sub-pattern over m vertices. An edge stands here once for each way and alternative."""

    source: Ints
    target: Ints
    loose: Flags
    """Whether a vertex may also follow earlier vertices of its own tick: the events of an ANY are in any order."""
    since: Ints
    """[edges, m] The first vertex that a vertex may follow."""
    until: Ints
    """[edges, m] The first vertex of the last tick that may follow a vertex."""
    checked: Flags
    """Whether every earlier vertex must be checked, because of `until` or of tests."""


class EdgeTests(NamedTuple):
    """The comparisons of edges. On edge e, all tests first[e]..first[e + 1] - 1 must hold.

    A test holds if 0 < rank of the earlier event <= bound of the later event; if `equal`, the two must
    be equal as well.
    """

    first: Ints
    earlier: Ints
    """[tests, m]."""
    later: Ints
    """[tests, m]."""
    equal: Flags
    backwards: bool
    """Whether vertices are in reverse time order. Then the later vertex of an edge comes first."""


@inner
def holds(tests: EdgeTests, edge: int, earlier: int, later: int) -> bool:
    """Whether all tests of an edge hold between two vertices."""
    for t in range(tests.first[edge], tests.first[edge + 1]):
        rank, bound = tests.earlier[t, earlier], tests.later[t, later]
        if rank == 0 or rank > bound or (tests.equal[t] and rank != bound):
            return False
    return True


@njit(cache=True)
def latest_begins(
    start: Flags, edges: NegatedEdges, tests: EdgeTests, tick_start: Ints, states: Bits, offsets: Ints
) -> Ints:
    """[S, m] The latest start of a partial match that ends at the vertex, in the state; or NEVER.

    Along edge e, vertex i follows a vertex j >= since[e, i] if until[e, j] reaches i and the tests hold.
    """
    source, target, loose, since, until, checked = edges
    m = tick_start.shape[0]
    count = source.shape[0]
    latest = np.full((start.shape[0], m), NEVER, np.int64)
    best = np.empty(count, np.int64)  # the latest start over all earlier sources of an edge that are not cut off
    floor = np.empty(count, np.int64)
    for p in range(offsets.shape[0] - 1):
        best[:] = NEVER
        floor[:] = offsets[p]
        committed = offsets[p]
        for i in range(offsets[p], offsets[p + 1]):
            if tick_start[i] == i:
                for e in range(count):
                    for j in range(committed, i):
                        best[e] = max(best[e], latest[source[e], j])
                committed = i
            for e in range(count):
                if loose[e] and committed < i:
                    best[e] = max(best[e], latest[source[e], i - 1])
            for s in range(start.shape[0]):
                if not states[i] & (np.uint64(1) << np.uint64(s)):
                    continue
                began = np.int64(i if start[s] else NEVER)
                for e in range(count):
                    if target[e] != s:
                        continue
                    stop = i if loose[e] else committed
                    if checked[e]:
                        j = stop - 1
                        while j >= since[e, i] and j >= began:  # a partial match that ends at j began at or before j
                            if latest[source[e], j] > began and until[e, j] >= tick_start[i]:
                                earlier, later = (i, j) if tests.backwards else (j, i)
                                if holds(tests, e, earlier, later):
                                    began = latest[source[e], j]
                            j -= 1
                        continue
                    if since[e, i] != floor[e]:
                        floor[e] = since[e, i]
                        best[e] = NEVER
                        for j in range(floor[e], stop):
                            best[e] = max(best[e], latest[source[e], j])
                    began = max(began, best[e])
                latest[s, i] = began
    return latest


@njit(cache=True)
def latest_so_far(latest: Ints, states: Ints, offsets: Ints) -> Ints:
    """[m] For each vertex, the largest latest[s, j] over all j of its partition up to it and some states, or NEVER."""
    largest = np.full(latest.shape[1], NEVER, np.int64)
    for s in states:
        for p in range(offsets.shape[0] - 1):
            so_far = np.int64(NEVER)
            for i in range(offsets[p], offsets[p + 1]):
                so_far = max(so_far, latest[s, i])
                largest[i] = max(largest[i], so_far)
    return largest


@njit(cache=True)
def since_last(ends: Flags, tick: Ints, offsets: Ints) -> Ints:
    """[m] the first vertex of the tick of the last vertex in `ends` before each vertex's tick, or of its partition."""
    since = np.empty(tick.shape[0], np.int64)
    for p in range(offsets.shape[0] - 1):
        opened = last = upcoming = offsets[p]
        for i in range(offsets[p], offsets[p + 1]):
            if i > offsets[p] and tick[i] != tick[i - 1]:
                opened, last = i, upcoming
            since[i] = last
            if ends[i]:
                upcoming = opened
    return since


@njit(cache=True)
def begun_by(complete: Ints, boundary: Ints, low: Ints) -> Ints:
    """The latest start of a match inside the vertices low[n]..boundary[n]-1 of one partition, or NEVER."""
    latest = np.full(boundary.shape[0], NEVER, np.int64)
    for n in range(boundary.shape[0]):
        if boundary[n] > low[n] and complete[boundary[n] - 1] >= low[n]:
            latest[n] = complete[boundary[n] - 1]
    return latest


@njit(cache=True)
def cut_off(lower: Ints, begun: Ints, tick_start: Ints) -> Ints:
    """The first vertices that may be followed, where the tick of a match's start must not be over."""
    cut = lower.copy()
    for n in range(lower.shape[0]):
        if begun[n] != NEVER:
            cut[n] = max(cut[n], tick_start[begun[n]])
    return cut


@njit(cache=True)
def latest_between(latest: Ints, lower: Ints, boundary: Ints, upper: Ints) -> Ints:
    """The largest latest[i] with lower[n] <= i < boundary[n] and upper[i] >= boundary[n], or NEVER."""
    ends = np.flatnonzero(latest != NEVER)
    largest = np.full(boundary.shape[0], NEVER, np.int64)
    for n in range(boundary.shape[0]):
        k = np.searchsorted(ends, boundary[n]) - 1
        while k >= 0 and ends[k] >= lower[n] and ends[k] >= largest[n]:
            if upper[ends[k]] >= boundary[n]:
                largest[n] = max(largest[n], latest[ends[k]])
            k -= 1
    return largest

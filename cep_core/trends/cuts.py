"""What negated matches cut off, as one number for each vertex: how late the latest match that ended by then began.

GRETA, section 5.2: a finished negated trend cuts what precedes its start off from what follows its end. So of all
negated matches that ended before an event only the one that began last matters, and of it only where it began: an
event may follow those from there on (`Comparisons.since`). At the edges of a window the first match inside it to end
forbids later events to begin a trend, and the last one to begin forbids earlier ones to end it (`Limits`). The latest
beginnings are found by the template of the negated sub-pattern, one vertex after another, with cuts of its own where
negations are nested. O(vertices * edges) time and O(vertices * states) space, plus O(log vertices) a window.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numba import njit

from cep_core.language.patterns.candidates import Candidates
from cep_core.language.patterns.diagram import Way, Ways
from cep_core.trends.graph import Bits, Comparisons, Flags, Ints, Limits, bits, no_limits
from cep_core.trends.negation import Guarded
from cep_core.trends.windows import LATEST, Windows

NEVER = -1
"""No negated match has ended so far."""


class Cuts:
    """The cuts of all negations of a query among its candidates. `tick[m]`: vertices of equal tick are concurrent."""

    def __init__(self, guarded: Guarded, found: Candidates, tick: Ints) -> None:
        self._guarded = guarded
        self._found = found
        self._tick = tick
        self._partition_start = np.repeat(found.offsets[:-1], np.diff(found.offsets))
        changes = np.ones(len(tick), dtype=np.bool_)
        changes[1:] = (tick[1:] != tick[:-1]) | (self._partition_start[1:] != self._partition_start[:-1])
        opens = np.flatnonzero(changes)
        group = np.cumsum(changes) - 1
        self._tick_start = opens[group]
        self._tick_end = np.append(opens[1:], len(tick))[group]
        self._latest = [self._latest_begin(negated) for negated in guarded.forbidden]

    def since(self, edge: tuple[int, int]) -> Ints:
        """[m] the first vertex that each vertex may follow along a guarded edge of the diagram."""
        return self._since(self._guarded.between[edge], self._latest)

    def limits(self, windows: Windows) -> Limits:
        """What may begin and end a trend in each range of the windows."""
        before, after = self._guarded.before, self._guarded.after
        if not before and not after:
            return no_limits()
        states = len(self._guarded.diagram.variables)
        starts_before = np.full((len(windows.first), states), LATEST, dtype=np.int64)
        ends_from = np.zeros((len(windows.first), states), dtype=np.int64)
        for state, ways in before.items():
            starts_before[:, state] = np.maximum.reduce([self._starts_before(way, windows) for way in ways])
        for state, ways in after.items():
            ends_from[:, state] = np.minimum.reduce([self._ends_from(way, windows) for way in ways])
        return Limits(starts_before, ends_from)

    def _starts_before(self, way: Way, windows: Windows) -> Ints:
        """The first vertex of each window that follows a match of a negation of the way."""
        found = np.full(len(windows.first), LATEST, dtype=np.int64)
        for k in way:
            ended = _first_ended(self._latest[k], windows.first, windows.last)
            some = ended < windows.last
            found[some] = np.minimum(found[some], self._tick_end[ended[some]])
        return found

    def _ends_from(self, way: Way, windows: Windows) -> Ints:
        """The first vertex of each window that precedes no match of a negation of the way."""
        found = np.zeros(len(windows.first), dtype=np.int64)
        for k in way:
            began = self._latest[k][windows.last - 1]
            some = began >= windows.first
            found[some] = np.maximum(found[some], self._tick_start[began[some]])
        return found

    def _since(self, ways: Ways, latest: Sequence[Ints]) -> Ints:
        """[m] the first vertex that each may follow, one of these ways; `latest` begins of each negation's matches."""
        earlier = np.flatnonzero(self._tick_start > self._partition_start)
        found = []
        for way in ways:
            since = self._partition_start.copy()
            for k in way:
                began = latest[k][self._tick_start[earlier] - 1]
                cut = began != NEVER
                since[earlier[cut]] = np.maximum(since[earlier[cut]], self._tick_start[began[cut]])
            found.append(since)
        return np.minimum.reduce(found)

    def _latest_begin(self, negated: Guarded) -> Ints:
        """[m] the vertex where the latest negated match began, of all in the partition that ended by each vertex."""
        diagram = negated.diagram
        edges = sorted(diagram.edges)
        inner = [self._latest_begin(nested) for nested in negated.forbidden]
        since = np.zeros((len(edges), len(self._tick)), dtype=np.int64)
        between = negated.between
        for e, edge in enumerate(edges):
            if edge in between:
                since[e] = self._since(between[edge], inner)
        states = range(len(diagram.variables))
        return _latest_begins(
            np.array([state in diagram.start for state in states], dtype=np.bool_),
            np.array([state in diagram.end for state in states], dtype=np.bool_),
            np.array([source for source, _ in edges], dtype=np.int64),
            np.array([target for _, target in edges], dtype=np.int64),
            since,
            self._tick,
            states_of(diagram.variables, self._found),
            self._found.offsets,
        )


def states_of(variables: Iterable[str], found: Candidates) -> Bits:
    """[m] the states (bits), which bind these variables, that each candidate may bind."""
    words = np.zeros(len(found.rows), dtype=np.uint64)
    for number, name in enumerate(variables):
        words |= np.where(found.variables[name], np.uint64(bits([number])), np.uint64(0))
    return words


def with_cuts(comparisons: Comparisons, cut: Mapping[tuple[int, int], Ints], states: Bits) -> Comparisons:
    """The comparisons with the edges that are cut, `since[m]` for each (source, target).

    A cut edge that compares nothing joins them: all of its sources have one rank.
    """
    if not cut:
        return comparisons
    compared = set(zip(comparisons.source.tolist(), comparisons.target.tolist(), strict=True))
    free = [edge for edge in cut if edge not in compared]
    source = np.concatenate([comparisons.source, np.array([p for p, _ in free], dtype=np.int64)])
    target = np.concatenate([comparisons.target, np.array([q for _, q in free], dtype=np.int64)])

    def binds(state: int) -> np.ndarray[tuple[int], np.dtype[np.int32]]:
        return (states >> np.uint64(state) & np.uint64(1)).astype(np.int32)

    since = np.zeros((len(source), len(states)), dtype=np.int64)
    is_cut = np.zeros(len(source), dtype=np.bool_)
    for c, edge in enumerate(zip(source.tolist(), target.tolist(), strict=True)):
        if edge in cut:
            is_cut[c] = True
            since[c] = cut[edge]
    return Comparisons(
        source,
        target,
        np.concatenate([comparisons.equal, np.zeros(len(free), dtype=np.bool_)]),
        np.column_stack([comparisons.rank, *(binds(p) for p, _ in free)]),
        np.column_stack([comparisons.bound, *(binds(q) for _, q in free)]),
        np.maximum(comparisons.ranks, 1),
        np.concatenate([comparisons.first_other, np.full(len(free), comparisons.first_other[-1])]),
        comparisons.other_rank,
        comparisons.other_bound,
        is_cut,
        since,
    )


@njit(cache=True)
def _latest_begins(
    start: Flags, end: Flags, source: Ints, target: Ints, since: Ints, tick: Ints, states: Bits, offsets: Ints
) -> Ints:
    """[m] the latest begin of a match of the template (edges source[e] -> target[e]) that ended by each vertex.

    Along edge e a vertex i follows vertices from `since[e, i]` on, which never decreases inside a partition.
    """
    m = tick.shape[0]
    latest = np.full((start.shape[0], m), NEVER, np.int64)  # of the matches' parts that end at a vertex, by state
    ended = np.full(m, NEVER, np.int64)
    best = np.empty(source.shape[0], np.int64)  # of all earlier sources of an edge that are not cut off
    floor = np.empty(source.shape[0], np.int64)
    for p in range(offsets.shape[0] - 1):
        best[:] = NEVER
        floor[:] = offsets[p]
        committed = offsets[p]
        last = np.int64(NEVER)
        for i in range(offsets[p], offsets[p + 1]):
            if i > offsets[p] and tick[i] != tick[i - 1]:
                for e in range(source.shape[0]):
                    for j in range(committed, i):
                        best[e] = max(best[e], latest[source[e], j])
                committed = i
            for s in range(start.shape[0]):
                if not states[i] & (np.uint64(1) << np.uint64(s)):
                    continue
                began = np.int64(i if start[s] else NEVER)
                for e in range(source.shape[0]):
                    if target[e] != s:
                        continue
                    if since[e, i] > floor[e]:
                        floor[e] = since[e, i]
                        best[e] = NEVER
                        for j in range(floor[e], committed):
                            best[e] = max(best[e], latest[source[e], j])
                    began = max(began, best[e])
                latest[s, i] = began
                if end[s]:
                    last = max(last, began)
            ended[i] = last
    return ended


@njit(cache=True)
def _first_ended(latest: Ints, first: Ints, last: Ints) -> Ints:
    """The first vertex of each window at which a match that began in it has ended; last[w] if none has."""
    found = np.empty(first.shape[0], np.int64)
    for w in range(first.shape[0]):
        found[w] = first[w] + np.searchsorted(latest[first[w] : last[w]], first[w])
    return found

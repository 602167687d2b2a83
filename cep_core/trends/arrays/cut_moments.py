"""For each moment, the latest start of a negated match completed by then: only that match decides what is cut.

GRETA, section 5.2: a finished negated trend separates the events before its start from the events after its end.
`begun` gives the latest start of a match that is complete at a moment. The same code, run backwards in time
(`Line.mirrored`), gives the earliest end of a match that begins after a moment (`ended`).

A NOT at the end of a negated sequence excuses its match once it is followed by what that NOT forbids, so begins may
fall back; one at its start is the same against the time. Cost: O(vertices * edges), plus for edges that compare, and
for such excuses, the parts of matches between a vertex and the best one, at worst O(vertices^2).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from cep_core.arrays import Bits, Flags, Ints
from cep_core.language.patterns.automata.passed_negations import FREELY, Way
from cep_core.trends.arrays.comparing import Comparing
from cep_core.trends.arrays.graph import states_of
from cep_core.trends.arrays.window_vertices import LATEST
from cep_core.trends.plan.guards import Guarded

NEVER = -1
"""No negated match."""


@dataclass(frozen=True)
class Line:
    """m vertices in partitions, in the order of time or, mirrored, against it."""

    offsets: Ints
    tick: Ints
    """Vertices of equal tick are concurrent."""
    variables: Mapping[str, Flags]
    comparing: Comparing
    backwards: bool = False

    @property
    def first(self) -> Ints:
        """[m] the first vertex of each one's partition."""
        return np.repeat(self.offsets[:-1], np.diff(self.offsets))

    @property
    def tick_start(self) -> Ints:
        """[m] the first vertex of each one's tick."""
        opens, group = self._ticks()
        return opens[group]

    @property
    def tick_end(self) -> Ints:
        """[m] one after the last vertex of each one's tick."""
        opens, group = self._ticks()
        return np.append(opens[1:], len(self.tick))[group]

    def _ticks(self) -> tuple[Ints, Ints]:
        first = self.first
        changes = np.ones(len(self.tick), dtype=np.bool_)
        changes[1:] = (self.tick[1:] != self.tick[:-1]) | (first[1:] != first[:-1])
        return np.flatnonzero(changes), np.cumsum(changes) - 1

    def mirrored(self) -> Line:
        """The same vertices the other way round; vertex i is m - 1 - i there."""
        return Line(
            np.ascontiguousarray((len(self.tick) - self.offsets)[::-1]),
            np.ascontiguousarray(self.tick[::-1]),
            {name: flags[::-1] for name, flags in self.variables.items()},
            self.comparing,
            not self.backwards,
        )


class Negated:
    """The matches of one negated sub-pattern on a line, whose NOTs, nested in it, excuse some of them.

    `forward`: whether matches are excused by what follows them, if by anything; else by what precedes them, and only
    `ended` tells of them.
    """

    def __init__(self, guarded: Guarded, line: Line) -> None:
        self.forward = guarded.starts_free
        self._line = line
        self._guarded = guarded if self.forward else guarded.mirrored()
        self._along = line if self.forward else line.mirrored()
        self._inner = [Negated(nested, self._along) for nested in self._guarded.forbidden]
        self._latest = _latest(self._guarded, self._along, self._inner)
        free = [state for state, ways in self._guarded.diagram.end.items() if ways == FREELY]
        self._complete = _latest_so_far(self._latest[free], self._along.offsets)

    def begun(self, boundary: Ints, low: Ints) -> Ints:
        """The latest begin of matches inside the vertices low[n]..boundary[n]-1 of one partition, or NEVER."""
        assert self.forward
        return self._begun(boundary, low)

    def ended(self, boundary: Ints, high: Ints) -> Ints:
        """The earliest end of matches inside the vertices boundary[n]..high[n]-1 of one partition, or LATEST."""
        assert not self.forward
        m = len(self._line.tick)
        found = self._begun(m - boundary, m - high)
        return np.where(found == NEVER, LATEST, m - 1 - found)

    def _begun(self, boundary: Ints, low: Ints) -> Ints:
        best = np.full(len(boundary), NEVER, dtype=np.int64)
        some = boundary > low
        best[some] = self._complete[boundary[some] - 1]
        for state, ways in self._guarded.diagram.end.items():
            for way in ways if ways != FREELY else ():
                lower, upper = passing(way, self._inner, self._along, boundary, low)
                best = np.maximum(best, _latest_between(self._latest[state], lower, boundary, upper))
        return np.where(best < low, NEVER, best)


def passing(way: Way, negated: Sequence[Negated], line: Line, boundary: Ints, low: Ints) -> tuple[Ints, Ints]:
    """Which earlier vertices a vertex from `boundary[n]` on may follow, given the negations of a way.

    It may follow the vertices i from lower[n] on with upper[i] >= boundary[n].
    """
    lower = low
    upper = np.full(len(line.tick), LATEST, dtype=np.int64)
    for k in sorted(way):
        if negated[k].forward:
            begun = negated[k].begun(boundary, low)
            cut = begun != NEVER
            lower = lower.copy()
            lower[cut] = np.maximum(lower[cut], line.tick_start[begun[cut]])
        else:
            last = np.repeat(line.offsets[1:], np.diff(line.offsets))
            upper = np.minimum(upper, negated[k].ended(line.tick_end, last))
    return lower, upper


def _latest(guarded: Guarded, line: Line, inner: Sequence[Negated]) -> Ints:
    """[S, m] the latest begin of a part of a match that ends at a vertex in a state, or NEVER."""
    diagram = guarded.diagram
    starts, tick_start = line.first, line.tick_start
    states = states_of(diagram.variables, line.variables, len(line.tick))
    source, target, loose, since, until, tests = [], [], [], [], [], []
    for edge, ways in sorted(diagram.edges.items()):
        found = _tests(guarded, line, edge)
        for way in sorted(ways, key=sorted):
            lower, upper = passing(way, inner, line, tick_start, starts)
            for alternative in found:
                source.append(edge[0])
                target.append(edge[1])
                loose.append(edge in diagram.loose)
                since.append(lower)
                until.append(upper)
                tests.append(alternative)
    m = len(line.tick)
    columns = [test for alternative in tests for test in alternative]
    edges = _Edges(
        np.array(source, dtype=np.int64),
        np.array(target, dtype=np.int64),
        np.array(loose, dtype=np.bool_),
        np.array(since, dtype=np.int64).reshape(len(source), m),
        np.array(until, dtype=np.int64).reshape(len(source), m),
        np.array([bool(test) or bool((up != LATEST).any()) for test, up in zip(tests, until, strict=True)], np.bool_),
    )
    tested = _Tests(
        np.cumsum([0, *(len(alternative) for alternative in tests)], dtype=np.int64),
        np.array([test.earlier for test in columns], dtype=np.int64).reshape(len(columns), m),
        np.array([test.later for test in columns], dtype=np.int64).reshape(len(columns), m),
        np.array([test.equal for test in columns], dtype=np.bool_),
        line.backwards,
    )
    start = np.array([state in diagram.start for state in range(len(diagram.variables))], dtype=np.bool_)
    return _latest_begins(start, edges, tested, tick_start, states, line.offsets)


class _Edges(NamedTuple):
    """The edges of a negated sub-pattern, each as often as it has ways and alternatives, over m vertices."""

    source: Ints
    target: Ints
    loose: Flags
    """Whether a vertex may also follow those of its own tick that come before it: events of an ANY are in any order."""
    since: Ints
    """[edges, m] the first vertex that a vertex may follow."""
    until: Ints
    """[edges, m] the last tick's first vertex that may follow a vertex."""
    checked: Flags
    """Whether each earlier vertex has to be looked at: by `until`, or by tests."""


class _Tests(NamedTuple):
    """What edges compare: the tests first[e]..first[e + 1] - 1 must all hold (`_Test`)."""

    first: Ints
    earlier: Ints
    """[tests, m]."""
    later: Ints
    """[tests, m]."""
    equal: Flags
    backwards: bool
    """Vertices are in reversed order of time, so that the later one of an edge comes first."""


@dataclass(frozen=True)
class _Test:
    """A comparison as ranks: it holds if 0 < rank of the earlier event <= bound of the later; if `equal`, = bound."""

    earlier: npt.NDArray[np.int32]
    later: npt.NDArray[np.int32]
    equal: bool


def _tests(guarded: Guarded, line: Line, edge: tuple[int, int]) -> list[tuple[_Test, ...]]:
    """The tests of an edge, as alternatives."""
    alternatives = guarded.comparisons.get(edge, ())
    if not alternatives:
        return [()]
    plain = line.mirrored() if line.backwards else line
    earlier, later = edge[::-1] if line.backwards else edge
    evaluated = line.comparing.possible(alternatives)
    states = states_of(guarded.diagram.variables, plain.variables, len(plain.tick))
    ranks = line.comparing.ranked([(earlier, later, compared) for compared in evaluated], states)
    step = -1 if line.backwards else 1
    found = []
    for c in range(len(ranks.source)):
        tests = [_Test(ranks.rank[::step, c], ranks.bound[::step, c], bool(ranks.equal[c]))]
        for o in range(ranks.first_other[c], ranks.first_other[c + 1]):
            tests.append(_Test(ranks.other_rank[::step, o], ranks.other_bound[::step, o], False))
        found.append(tuple(tests))
    return found


@njit(cache=True)
def _holds(tests: _Tests, edge: int, earlier: int, later: int) -> bool:
    """Whether all tests of an edge hold between two vertices."""
    for t in range(tests.first[edge], tests.first[edge + 1]):
        rank, bound = tests.earlier[t, earlier], tests.later[t, later]
        if rank == 0 or rank > bound or (tests.equal[t] and rank != bound):
            return False
    return True


@njit(cache=True)
def _latest_begins(start: Flags, edges: _Edges, tests: _Tests, tick_start: Ints, states: Bits, offsets: Ints) -> Ints:
    """[S, m] the latest begin of a part of a match that ends at a vertex in a state, or NEVER.

    Along edge e a vertex i follows j >= since[e, i] if until[e, j] reaches it and the tests hold.
    """
    source, target, loose, since, until, checked = edges
    m = tick_start.shape[0]
    count = source.shape[0]
    latest = np.full((start.shape[0], m), NEVER, np.int64)
    best = np.empty(count, np.int64)  # of all earlier sources of an edge that are not cut off
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
                        while j >= since[e, i] and j >= began:  # a part that ends at j began no later
                            if latest[source[e], j] > began and until[e, j] >= tick_start[i]:
                                earlier, later = (i, j) if tests.backwards else (j, i)
                                if _holds(tests, e, earlier, later):
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
def _latest_so_far(latest: Ints, offsets: Ints) -> Ints:
    """[m] the largest of latest[., j] for all j up to each vertex of its partition, or NEVER."""
    found = np.full(latest.shape[1], NEVER, np.int64)
    for p in range(offsets.shape[0] - 1):
        for i in range(offsets[p], offsets[p + 1]):
            if i > offsets[p]:
                found[i] = found[i - 1]
            for s in range(latest.shape[0]):
                found[i] = max(found[i], latest[s, i])
    return found


@njit(cache=True)
def _latest_between(latest: Ints, lower: Ints, boundary: Ints, upper: Ints) -> Ints:
    """The largest latest[i] of lower[n] <= i < boundary[n] with upper[i] >= boundary[n], or NEVER."""
    ends = np.flatnonzero(latest != NEVER)
    found = np.full(boundary.shape[0], NEVER, np.int64)
    for n in range(boundary.shape[0]):
        k = np.searchsorted(ends, boundary[n]) - 1
        while k >= 0 and ends[k] >= lower[n] and ends[k] >= found[n]:
            if upper[ends[k]] >= boundary[n]:
                found[n] = max(found[n], latest[ends[k]])
            k -= 1
    return found

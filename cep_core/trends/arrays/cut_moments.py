"""For each moment, the latest start of a negated match completed by then: only that match decides what is cut.

GRETA, section 5.2: a finished negated trend separates the events before its start from the events after its end.
`begun` gives the latest start of a match that is complete at a moment. The same code, run backwards in time
(`Line.mirrored`), gives the earliest end of a match that begins after a moment (`ended`).

A negated sequence may itself end with a NOT. Its match is excused when an event that this NOT forbids follows, so the
latest start may move back. A NOT at the start of a negated sequence is the same, backwards in time. Cost:
O(vertices * edges). Edges that compare, and such excuses, also visit the partial matches between a vertex and the best
one: O(vertices^2) in the worst case.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from cep_core.arrays import Bits, Flags, Ints
from cep_core.inner_kernels import inner
from cep_core.language.patterns.automata.passed_negations import FREELY, Way
from cep_core.trends.arrays.comparing import Comparing
from cep_core.trends.arrays.graph import states_of
from cep_core.trends.arrays.window_vertices import LATEST
from cep_core.trends.plan.guards import Guarded

NEVER = -1
"""No negated match."""


@dataclass(frozen=True)
class Line:
    """m vertices in partitions, in time order or, if mirrored, in reverse time order."""

    offsets: Ints
    tick: Ints
    """Vertices of equal tick are concurrent."""
    variables: Mapping[str, Flags]
    comparing: Comparing
    backwards: bool = False

    @cached_property
    def first(self) -> Ints:
        """[m] The first vertex of each vertex's partition."""
        return np.repeat(self.offsets[:-1], np.diff(self.offsets))

    @cached_property
    def tick_start(self) -> Ints:
        """[m] The first vertex of each vertex's tick."""
        opens, group = self._ticks
        return opens[group] if len(opens) < len(group) else opens

    @cached_property
    def tick_end(self) -> Ints:
        """[m] One after the last vertex of each vertex's tick."""
        opens, group = self._ticks
        if opens is group:
            return opens + 1
        ends = np.append(opens[1:], len(self.tick))
        return ends[group] if len(opens) < len(group) else ends

    @cached_property
    def _ticks(self) -> tuple[Ints, Ints]:
        """The first vertex of each tick, and the number of each vertex's tick: one array if each has its own."""
        first = self.first
        changes = np.ones(len(self.tick), dtype=np.bool_)
        changes[1:] = (self.tick[1:] != self.tick[:-1]) | (first[1:] != first[:-1])
        if changes.all():
            each = np.arange(len(changes), dtype=np.int64)
            return each, each
        return np.flatnonzero(changes), np.cumsum(changes) - 1

    def mirrored(self) -> Line:
        """The same vertices in reverse order: vertex i becomes m - 1 - i."""
        return Line(
            np.ascontiguousarray((len(self.tick) - self.offsets)[::-1]),
            np.ascontiguousarray(self.tick[::-1]),
            {name: flags[::-1] for name, flags in self.variables.items()},
            self.comparing,
            not self.backwards,
        )


class Negated:
    """The matches of one negated sub-pattern on a line. NOTs nested in it excuse some of the matches.

    `forward`: nothing that precedes a match can excuse it; then use `begun`. Otherwise preceding events excuse matches;
    then use `ended`.
    """

    def __init__(self, guarded: Guarded, line: Line) -> None:
        self.forward = guarded.starts_free
        self._line = line
        self._guarded = guarded if self.forward else guarded.mirrored()
        self._along = line if self.forward else line.mirrored()

    @cached_property
    def alone(self) -> Flags | None:
        """[m] the vertices that are matches by themselves, if every match is one vertex that nothing excuses."""
        diagram = self._guarded.diagram
        if diagram.edges or self._guarded.forbidden or len(diagram.start) < len(diagram.variables):
            return None
        if not self.forward or set(diagram.end) != set(diagram.start):
            return None
        if any(ways != FREELY for ways in (*diagram.start.values(), *diagram.end.values())):
            return None
        return np.logical_or.reduce([self._line.variables[name] for name in diagram.variables])

    @cached_property
    def _inner(self) -> list[Negated]:
        return [Negated(nested, self._along) for nested in self._guarded.forbidden]

    @cached_property
    def _latest(self) -> Ints:
        return _latest(self._guarded, self._along, self._inner)

    @cached_property
    def _complete(self) -> Ints:
        """[m] the latest start of a match that ends by the vertex, or NEVER."""
        free = [state for state, ways in self._guarded.diagram.end.items() if ways == FREELY]
        return _latest_so_far(self._latest, np.array(free, np.int64), self._along.offsets)

    def begun(self, boundary: Ints, low: Ints) -> Ints:
        """The latest start of a match inside the vertices low[n]..boundary[n]-1 of one partition, or NEVER."""
        assert self.forward
        return self._begun(boundary, low)

    def ended(self, boundary: Ints, high: Ints) -> Ints:
        """The earliest end of a match inside the vertices boundary[n]..high[n]-1 of one partition, or LATEST."""
        assert not self.forward
        m = len(self._line.tick)
        mirrored_begins = self._begun(m - boundary, m - high)
        return np.where(mirrored_begins == NEVER, LATEST, m - 1 - mirrored_begins)

    def _begun(self, boundary: Ints, low: Ints) -> Ints:
        latest = _begun_by(self._complete, boundary, low)
        for state, ways in self._guarded.diagram.end.items():
            for way in ways if ways != FREELY else ():
                lower, upper = passing(way, self._inner, self._along, boundary, low)
                begun = _latest_between(self._latest[state], lower, boundary, upper)
                latest = np.maximum(latest, np.where(begun < low, NEVER, begun))
        return latest


def passing(way: Way, negated: Sequence[Negated], line: Line, boundary: Ints, low: Ints) -> tuple[Ints, Ints]:
    """The earlier vertices that a vertex at or after `boundary[n]` may follow, given the negations of a way.

    These are the vertices i >= lower[n] with upper[i] >= boundary[n].
    """
    upper = np.full(len(line.tick), LATEST, dtype=np.int64)
    for k in sorted(way):
        if not negated[k].forward:
            last = np.repeat(line.offsets[1:], np.diff(line.offsets))
            upper = np.minimum(upper, negated[k].ended(line.tick_end, last))
    return passing_from(way, negated, line, boundary, low), upper


def passing_from(way: Way, negated: Sequence[Negated], line: Line, boundary: Ints, low: Ints) -> Ints:
    """`lower` of `passing`."""
    lower = low
    for k in sorted(way):
        if negated[k].forward:
            lower = _cut_off(lower, negated[k].begun(boundary, low), line.tick_start)
    return lower


def _latest(guarded: Guarded, line: Line, inner: Sequence[Negated]) -> Ints:
    """[S, m] The latest start of a partial match that ends at the vertex, in the state; or NEVER."""
    diagram = guarded.diagram
    starts, tick_start = line.first, line.tick_start
    states = states_of(diagram.variables, line.variables, len(line.tick))
    source, target, loose, since, until, tests = [], [], [], [], [], []
    for edge, ways in sorted(diagram.edges.items()):
        alternatives = _tests(guarded, line, edge)
        for way in sorted(ways, key=sorted):
            lower, upper = passing(way, inner, line, tick_start, starts)
            for alternative in alternatives:
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


class _Tests(NamedTuple):
    """The comparisons of edges. On edge e, all tests first[e]..first[e + 1] - 1 must hold (`_Test`)."""

    first: Ints
    earlier: Ints
    """[tests, m]."""
    later: Ints
    """[tests, m]."""
    equal: Flags
    backwards: bool
    """Whether vertices are in reverse time order. Then the later vertex of an edge comes first."""


@dataclass(frozen=True)
class _Test:
    """A comparison as ranks. It holds if 0 < rank of the earlier event <= bound of the later event.

    If `equal`, the rank must equal the bound.
    """

    earlier: npt.NDArray[np.int32]
    later: npt.NDArray[np.int32]
    equal: bool


def _tests(guarded: Guarded, line: Line, edge: tuple[int, int]) -> list[tuple[_Test, ...]]:
    """The alternatives of an edge, each as the tests that must hold."""
    alternatives = guarded.comparisons.get(edge, ())
    if not alternatives:
        return [()]
    plain = line.mirrored() if line.backwards else line
    earlier, later = edge[::-1] if line.backwards else edge
    evaluated = line.comparing.possible(alternatives)
    states = states_of(guarded.diagram.variables, plain.variables, len(plain.tick))
    ranks = line.comparing.ranked([(earlier, later, compared) for compared in evaluated], states)
    step = -1 if line.backwards else 1
    options = []
    for c in range(len(ranks.source)):
        tests = [_Test(ranks.rank[::step, c], ranks.bound[::step, c], bool(ranks.equal[c]))]
        for o in range(ranks.first_other[c], ranks.first_other[c + 1]):
            tests.append(_Test(ranks.other_rank[::step, o], ranks.other_bound[::step, o], False))
        options.append(tuple(tests))
    return options


@inner
def _holds(tests: _Tests, edge: int, earlier: int, later: int) -> bool:
    """Whether all tests of an edge hold between two vertices."""
    for t in range(tests.first[edge], tests.first[edge + 1]):
        rank, bound = tests.earlier[t, earlier], tests.later[t, later]
        if rank == 0 or rank > bound or (tests.equal[t] and rank != bound):
            return False
    return True


@njit(cache=True)
def _latest_begins(start: Flags, edges: _Edges, tests: _Tests, tick_start: Ints, states: Bits, offsets: Ints) -> Ints:
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
def _latest_so_far(latest: Ints, states: Ints, offsets: Ints) -> Ints:
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
def _begun_by(complete: Ints, boundary: Ints, low: Ints) -> Ints:
    """The latest start of a match inside the vertices low[n]..boundary[n]-1 of one partition, or NEVER."""
    latest = np.full(boundary.shape[0], NEVER, np.int64)
    for n in range(boundary.shape[0]):
        if boundary[n] > low[n] and complete[boundary[n] - 1] >= low[n]:
            latest[n] = complete[boundary[n] - 1]
    return latest


@njit(cache=True)
def _cut_off(lower: Ints, begun: Ints, tick_start: Ints) -> Ints:
    """The first vertices that may be followed, where the tick of a match's start must not be over."""
    cut = lower.copy()
    for n in range(lower.shape[0]):
        if begun[n] != NEVER:
            cut[n] = max(cut[n], tick_start[begun[n]])
    return cut


@njit(cache=True)
def _latest_between(latest: Ints, lower: Ints, boundary: Ints, upper: Ints) -> Ints:
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

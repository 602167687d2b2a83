"""For each moment, the latest start of a negated match completed by then: only that match decides what is cut.

GRETA, section 5.2: a finished negated trend separates the events before its start from the events after its end.
`begun` gives the latest start of a match that is complete at a moment. The same code, run backwards in time
(`Line.mirrored`), gives the earliest end of a match that begins after a moment (`ended`).

A negated sequence may itself end with a NOT. Its match is excused when an event that this NOT forbids follows, so the
latest start may move back. A NOT at the start of a negated sequence is the same, backwards in time. Cost: that
of the walks (`negated_walk`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from cep_core.arrays import Flags, Ints
from cep_core.language.patterns.automata.passed_negations import FREELY, Way
from cep_core.trends.arrays.graph import states_of
from cep_core.trends.arrays.line import Line
from cep_core.trends.arrays.negated_walk import (
    NEVER,
    EdgeTests,
    NegatedEdges,
    begun_by,
    cut_off,
    latest_begins,
    latest_between,
    latest_so_far,
)
from cep_core.trends.arrays.window_vertices import LATEST
from cep_core.trends.plan.guards import Guarded


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
        return latest_so_far(self._latest, np.array(free, np.int64), self._along.offsets)

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
        latest = begun_by(self._complete, boundary, low)
        for state, ways in self._guarded.diagram.end.items():
            for way in ways if ways != FREELY else ():
                lower, upper = passing(way, self._inner, self._along, boundary, low)
                begun = latest_between(self._latest[state], lower, boundary, upper)
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
            lower = cut_off(lower, negated[k].begun(boundary, low), line.tick_start)
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
    edges = NegatedEdges(
        np.array(source, dtype=np.int64),
        np.array(target, dtype=np.int64),
        np.array(loose, dtype=np.bool_),
        np.array(since, dtype=np.int64).reshape(len(source), m),
        np.array(until, dtype=np.int64).reshape(len(source), m),
        np.array([bool(test) or bool((up != LATEST).any()) for test, up in zip(tests, until, strict=True)], np.bool_),
    )
    tested = EdgeTests(
        np.cumsum([0, *(len(alternative) for alternative in tests)], dtype=np.int64),
        np.array([test.earlier for test in columns], dtype=np.int64).reshape(len(columns), m),
        np.array([test.later for test in columns], dtype=np.int64).reshape(len(columns), m),
        np.array([test.equal for test in columns], dtype=np.bool_),
        line.backwards,
    )
    start = np.array([state in diagram.start for state in range(len(diagram.variables))], dtype=np.bool_)
    return latest_begins(start, edges, tested, tick_start, states, line.offsets)


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

"""The matches of skip-till-next-match and of contiguity, one for each start event that has one.

Under an OR around the whole pattern each branch has its own; a binding that two branches find is one match.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from cep_core.arrays import Flags, Ints
from cep_core.language.patterns.automata.automaton import Automaton
from cep_core.language.patterns.query import Strategy, Window
from cep_core.matching.arrays.event_graph import EventGraph
from cep_core.matching.arrays.paths import Paths, batches, same_bindings
from cep_core.matching.arrays.window_rows import Spans, spans_ahead, window_spans_ahead
from cep_core.matching.choice.answers import Answers
from cep_core.matching.choice.judged_runs import judged_runs
from cep_core.matching.judging.judging import BindingJudge
from cep_core.matching.kernels.runs import NONE, Forest, finish_runs, grow_forest, walk_runs
from cep_core.matching.result.totals import Days, owned_moments


@dataclass(frozen=True)
class RunMatches(Answers):
    """One answer for each match."""

    first_rows: Ints
    lengths: Ints
    branch: Ints
    """The branch of an OR around the whole pattern that found it."""

    @abstractmethod
    def paths(self, jobs: Ints) -> Paths:
        """The matches of these numbers."""

    def listing(self, most: Ints) -> Iterator[Paths]:
        jobs = np.flatnonzero(most)
        for begin, end in batches(self.lengths[jobs]):
            yield self.paths(jobs[begin:end])

    def compact(self) -> Paths:
        return self.paths(np.arange(len(self.counts)))

    def keep(self, wanted: Flags | Ints) -> Self:
        """Only these matches."""
        return replace(
            self,
            last_rows=self.last_rows[wanted],
            window_start=None if self.window_start is None else self.window_start[wanted],
            certain=self.certain[wanted],
            counts=self.counts[wanted],
            waits=self.waits[wanted],
            first_rows=self.first_rows[wanted],
            lengths=self.lengths[wanted],
            branch=self.branch[wanted],
        )


@dataclass(frozen=True)
class ForestMatches(RunMatches):
    """Matches as paths of the forest of all runs."""

    forest: Forest
    first: Ints
    """The node of each match's first event."""

    def paths(self, jobs: Ints) -> Paths:
        states = self.graph.network.fits.shape[1]
        return walk_runs(self.forest, states, self.first[jobs], self.lengths[jobs], jobs)

    def keep(self, wanted: Flags | Ints) -> Self:
        return replace(super().keep(wanted), first=self.first[wanted])


@dataclass(frozen=True)
class ListedMatches(RunMatches):
    """Matches that were found one by one."""

    listed: Paths
    place: Ints
    """The number of each match among those listed."""

    def paths(self, jobs: Ints) -> Paths:
        return replace(self.listed.take(self.place[jobs]), jobs=jobs)

    def keep(self, wanted: Flags | Ints) -> Self:
        return replace(super().keep(wanted), place=self.place[wanted])


def next_matches(
    graph: EventGraph,
    automaton: Automaton,
    strategy: Strategy,
    window: Window,
    days: Days,
    judge: BindingJudge,
    stands: Callable[[RunMatches], Flags],
) -> RunMatches:
    """Finds the matches that are certain in one of the days. Cost: `runs`; `judged_runs` if conditions are judged.

    `stands`: which runs pass nothing that is forbidden; of a binding that two branches find one of them suffices.
    A match that could take more or ends in a NOT is certain when its window ends, any other at its last event.
    """
    rank = None if strategy is Strategy.NEXT else graph.rank
    grow = _judged if judge.conditions.judged else _forest
    found = grow(graph, automaton, window, rank, judge)
    if len(automaton.branches) > 1:
        found = _once(found.keep(stands(found)) if graph.judged else found, judge)
        found = found.keep(owned_moments(found.certain, days))
    else:
        found = found.keep(owned_moments(found.certain, days))
        found = found.keep(stands(found)) if graph.judged else found
    keys = [found.branch, graph.seq[found.first_rows], graph.seq[found.last_rows], graph.ts[found.last_rows]]
    if found.window_start is not None:
        keys.insert(2, found.window_start)
    return replace(found.keep(np.lexsort(keys)), days=days)


def _spans(graph: EventGraph, window: Window, starts: tuple[int, ...]) -> Spans:
    """How far a run from each row that one of the states fits may go."""
    rows = np.flatnonzero(graph.network.starts[:, list(starts)].any(axis=1))
    if window.slide is None:
        return spans_ahead(graph.offsets, graph.clock, graph.width, rows)
    return window_spans_ahead(graph.offsets, graph.clock, window.size, window.slide, rows)


def _forest(
    graph: EventGraph, automaton: Automaton, window: Window, rank: Ints | None, judge: BindingJudge
) -> RunMatches:
    network, states = graph.network, len(automaton.variables)
    forest = grow_forest(network, graph.offsets, graph.clock, graph.width, rank)
    pieces = []
    for branch, starts in enumerate(automaton.branches):
        starting = np.full(len(graph.ts), NONE, np.int64)
        for state in reversed(starts):
            starting[network.starts[:, state]] = state
        spans = _spans(graph, window, starts)
        first = spans.rows * states + starting[spans.rows]
        last, lengths = finish_runs(forest, states, first, spans.bounds)
        found = np.flatnonzero(last != NONE)
        number = np.full(len(found), branch)
        pieces.append((spans.take(found), first[found], last[found], lengths[found], number))
    spans = _join([piece[0] for piece in pieces])
    first, last, lengths, number = (np.concatenate([piece[k] for piece in pieces]) for k in range(1, 5))
    return ForestMatches(
        graph=graph,
        last_rows=last // states,
        window_start=spans.window_start,
        certain=_certain(graph, spans, last // states, last % states, automaton, window),
        counts=np.ones(len(first), np.int64),
        large={},
        waits=np.zeros(len(first), np.bool_),
        days=None,
        first_rows=spans.rows,
        lengths=lengths,
        branch=number,
        forest=forest,
        first=first,
    )


def _judged(
    graph: EventGraph, automaton: Automaton, window: Window, rank: Ints | None, judge: BindingJudge
) -> RunMatches:
    pieces = []
    for starts in automaton.branches:
        spans = _spans(graph, window, starts)
        paths = judged_runs(graph, rank, spans, starts, judge)
        pieces.append((spans.take(paths.jobs), paths))
    spans = _join([piece[0] for piece in pieces])
    paths = Paths.join([piece[1] for piece in pieces])
    states = paths.states[paths.offsets[1:] - 1]
    return ListedMatches(
        graph=graph,
        last_rows=paths.last_rows,
        window_start=spans.window_start,
        certain=_certain(graph, spans, paths.last_rows, states, automaton, window),
        counts=np.ones(len(paths), np.int64),
        large={},
        waits=np.zeros(len(paths), np.bool_),
        days=None,
        first_rows=spans.rows,
        lengths=np.diff(paths.offsets),
        branch=np.repeat(np.arange(len(pieces)), [len(piece[1]) for piece in pieces]),
        listed=paths,
        place=np.arange(len(paths)),
    )


def _join(pieces: list[Spans]) -> Spans:
    windows = [piece.window_start for piece in pieces if piece.window_start is not None]
    return Spans(
        np.concatenate([piece.rows for piece in pieces]),
        np.concatenate([piece.bounds for piece in pieces]),
        np.concatenate(windows) if windows else None,
    )


def _once(found: RunMatches, judge: BindingJudge) -> RunMatches:
    """Each binding of a window once, as the branch finds it that is certain of it first."""
    binding = same_bindings(found.paths(np.arange(len(found.counts))), judge.variable_of)
    keys = [found.branch, found.certain, binding]
    if found.window_start is not None:
        keys.append(found.window_start)
    order = np.lexsort(keys)
    new = np.ones(len(order), np.bool_)
    new[1:] = np.logical_or.reduce([key[order][1:] != key[order][:-1] for key in keys[2:]])
    return found.keep(np.sort(order[new]))


def _certain(
    graph: EventGraph, spans: Spans, last_rows: Ints, last_states: Ints, automaton: Automaton, window: Window
) -> Ints:
    """When each match is certain (`docs/semantics.md` 2)."""
    open_ends = [bool(after) or state in automaton.after for state, after in enumerate(automaton.successors)]
    waits = np.array(open_ends)[last_states] & (not window.events)
    if spans.window_start is not None:
        closes = spans.window_start + window.size - 1
    else:
        closes = graph.ts[spans.rows] + window.size
    return np.where(waits, closes, graph.ts[last_rows])

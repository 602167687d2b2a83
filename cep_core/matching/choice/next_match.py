"""The matches of skip-till-next-match and of contiguity, at most one for each first event.

With an OR around the whole pattern, each branch has its own matches; a binding that two branches find is one match.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import reduce

import numpy as np

from cep_core.arrays import Flags, Ints
from cep_core.candidates.grouping import stable_order
from cep_core.language.patterns.query import Strategy, Window
from cep_core.language.totals import Days, owned_moments
from cep_core.matching.arrays.event_graph import EventGraph
from cep_core.matching.arrays.paths import Paths, same_bindings
from cep_core.matching.arrays.window_rows import Spans, spans_ahead, window_spans_ahead
from cep_core.matching.choice.judged_runs import judged_runs
from cep_core.matching.choice.run_matches import ForestMatches, ListedMatches, RunMatches
from cep_core.matching.choice.skipping import skipped
from cep_core.matching.judging.binding_judge import BindingJudge
from cep_core.matching.kernels.runs import NONE, finish_runs, grow_forest

Grow = Callable[[BindingJudge, EventGraph, Ints | None], RunMatches]


def forest_matches(judge: BindingJudge, graph: EventGraph, days: Days) -> RunMatches:
    """The matches that become certain on one of the days, if edges judge every condition. Cost: `runs`."""
    return _settled(judge, graph, days, _forest)


def side_by_side_matches(judge: BindingJudge, graph: EventGraph, days: Days) -> RunMatches:
    """The matches that become certain on one of the days, if conditions read whole runs. Cost: `judged_runs`."""
    return _settled(judge, graph, days, _side_by_side)


def _settled(judge: BindingJudge, graph: EventGraph, days: Days, grow: Grow) -> RunMatches:
    """Grows all runs. Keeps those that no negation forbids, that become certain on the days and that are not skipped.

    If two branches find the same binding, one of them without a violated negation is enough. A match that could take
    more events, or that ends in a NOT, becomes certain when its window ends; any other match at its last event.
    """
    matches = grow(judge, graph, None if judge.query.strategy is Strategy.NEXT else graph.rank)
    if len(judge.automaton.branches) > 1:
        matches = _once(matches.keep(_unviolated(matches)) if graph.judged else matches)
        matches = matches.keep(owned_moments(matches.certain, days))
    else:
        matches = matches if days is None else matches.keep(owned_moments(matches.certain, days))
        matches = matches.keep(_unviolated(matches)) if graph.judged else matches
    matches = replace(matches.keep(_in_time(matches)), days=days)
    return matches if judge.query.skip is None else skipped(matches)


def _in_time(matches: RunMatches) -> Ints:
    """The order of matches by last event, window, first event and branch."""
    graph, first, last = matches.graph, matches.first_rows, matches.last_rows
    if matches.window_start is None and (first[1:] > first[:-1]).all() and (graph.seq[1:] > graph.seq[:-1]).all():
        return stable_order(last, len(graph.seq))  # one branch, one partition, and events are numbered as they come
    keys = [matches.branch, graph.seq[first], graph.seq[last], graph.ts[last]]
    if matches.window_start is not None:
        keys.insert(2, matches.window_start)
    return np.lexsort(keys)


def _unviolated(matches: RunMatches) -> Flags:
    """The matches without an occurrence of a negated element."""
    flags = [np.zeros(0, np.bool_)]
    for paths in matches.listing(matches.counts):
        starts = None if matches.window_start is None else matches.window_start[paths.jobs]
        flags.append(matches.judge.unviolated(matches.graph, paths, starts))
    return np.concatenate(flags)


def _spans(graph: EventGraph, window: Window, starts: tuple[int, ...]) -> Spans:
    """The rows that a run may span, for each row at which a run may start in one of the states."""
    rows = np.flatnonzero(reduce(np.logical_or, [graph.network.starts[:, state] for state in starts]))
    if window.slide is None:
        return spans_ahead(graph.offsets, graph.clock, graph.width, rows)
    return window_spans_ahead(graph.offsets, graph.clock, window.size, window.slide, rows)


def _forest(judge: BindingJudge, graph: EventGraph, rank: Ints | None) -> RunMatches:
    network, states = graph.network, len(judge.automaton.variables)
    forest = grow_forest(network, graph.offsets, graph.clock, graph.width, rank)
    pieces = []
    for branch, starts in enumerate(judge.automaton.branches):
        spans = _spans(graph, judge.query.window, starts)
        starting = np.full(len(spans.rows), starts[0], np.int64)
        for state in reversed(starts if len(starts) > 1 else ()):
            starting[network.starts[spans.rows, state]] = state
        first = spans.rows * states + starting
        last, lengths = finish_runs(forest, states, first, spans.bounds)
        complete = np.flatnonzero(last != NONE)
        pieces.append(
            (spans.take(complete), first[complete], last[complete], lengths[complete], np.full(len(complete), branch))
        )
    spans = _join([piece[0] for piece in pieces])
    first, last, lengths, branches = (np.concatenate([piece[k] for piece in pieces]) for k in range(1, 5))
    return ForestMatches(
        judge=judge,
        graph=graph,
        last_rows=last // states,
        window_start=spans.window_start,
        certain=_certain(judge, graph, spans, last // states, last % states),
        waits=np.zeros(len(first), np.bool_),
        days=None,
        counts=np.ones(len(first), np.int64),
        large={},
        first_rows=spans.rows,
        lengths=lengths,
        branch=branches,
        forest=forest,
        first=first,
    )


def _side_by_side(judge: BindingJudge, graph: EventGraph, rank: Ints | None) -> RunMatches:
    pieces = []
    for starts in judge.automaton.branches:
        spans = _spans(graph, judge.query.window, starts)
        paths = judged_runs(graph, rank, spans, starts, judge)
        pieces.append((spans.take(paths.jobs), paths))
    spans = _join([piece[0] for piece in pieces])
    paths = Paths.join([piece[1] for piece in pieces])
    states = paths.states[paths.offsets[1:] - 1]
    return ListedMatches(
        judge=judge,
        graph=graph,
        last_rows=paths.last_rows,
        window_start=spans.window_start,
        certain=_certain(judge, graph, spans, paths.last_rows, states),
        waits=np.zeros(len(paths), np.bool_),
        days=None,
        counts=np.ones(len(paths), np.int64),
        large={},
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


def _once(matches: RunMatches) -> RunMatches:
    """Each binding of a window only once, from the branch in which it becomes certain first."""
    binding = same_bindings(matches.paths(np.arange(len(matches.counts))), matches.judge.variable_of)
    keys = [matches.branch, matches.certain, binding]
    if matches.window_start is not None:
        keys.append(matches.window_start)
    order = np.lexsort(keys)
    new = np.ones(len(order), np.bool_)
    new[1:] = np.logical_or.reduce([key[order][1:] != key[order][:-1] for key in keys[2:]])
    return matches.keep(np.sort(order[new]))


def _certain(judge: BindingJudge, graph: EventGraph, spans: Spans, last_rows: Ints, last_states: Ints) -> Ints:
    """The moment at which each match becomes certain (`docs/semantics.md` 2)."""
    automaton, window = judge.automaton, judge.query.window
    open_ends = [bool(after) or state in automaton.after for state, after in enumerate(automaton.successors)]
    waits = np.array(open_ends)[last_states] & (not window.events)
    if spans.window_start is not None:
        closes = spans.window_start + window.size - 1
    else:
        closes = graph.ts[spans.rows] + window.size
    return np.where(waits, closes, graph.ts[last_rows])

"""The matches of skip-till-next-match and of contiguity, at most one for each first event.

With an OR around the whole pattern, each branch has its own matches; a binding that two branches find is one match.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import reduce

import numpy as np

from cep_core.arrays import Flags, Ints, repeated
from cep_core.candidates.grouping import stable_order
from cep_core.language.patterns.query import Strategy, Window
from cep_core.language.totals import Days, owned_moments
from cep_core.matching.arrays.event_graph import EventGraph
from cep_core.matching.arrays.paths import Paths, same_bindings
from cep_core.matching.arrays.window_rows import Spans, first_rows_from, windows_of
from cep_core.matching.choice.judged_runs import judged_runs
from cep_core.matching.choice.run_matches import ForestMatches, ListedMatches, RunMatches
from cep_core.matching.choice.skipping import skipped
from cep_core.matching.judging.binding_judge import BindingJudge
from cep_core.matching.kernels.runs import Finished, Forest, Nodes, finish_runs, grow_forest

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
        owned = None if days is None else owned_moments(matches.certain, days)
        matches = matches if owned is None or owned.all() else matches.keep(owned)
        matches = matches.keep(_unviolated(matches)) if graph.judged else matches
    order = _in_time(matches)
    matches = matches if order is None else matches.keep(order)
    matches = matches if days is None else replace(matches, days=days)
    return matches if judge.query.skip is None else skipped(matches)


def _in_time(matches: RunMatches) -> Ints | None:
    """The order of matches by last event, window, first event and branch; None: they are in order."""
    graph, first, last = matches.graph, matches.first_rows, matches.last_rows
    if matches.window_start is None and len(graph.offsets) == 2 and (first[1:] > first[:-1]).all():
        # one branch, and one partition, whose rows are in the order of time
        return None if (last[1:] >= last[:-1]).all() else stable_order(last, len(graph.ts))
    keys = [matches.branch, graph.seq_of(first), graph.seq_of(last), graph.ts[last]]
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


@dataclass(frozen=True)
class _Runs:
    """n runs that are matches. The columns of several branches follow each other."""

    rows: Ints
    """The rows at which they begin."""
    window_start: Ints | None
    """With SLIDE, the first moment of the window."""
    branch: Ints

    @staticmethod
    def joined(pieces: Sequence[_Runs]) -> _Runs:
        """The runs of all branches; those of one branch are not copied."""
        if len(pieces) == 1:
            return pieces[0]
        windows = [piece.window_start for piece in pieces if piece.window_start is not None]
        rows, branch = (np.concatenate([getattr(piece, name) for piece in pieces]) for name in ("rows", "branch"))
        return _Runs(rows, np.concatenate(windows) if windows else None, branch)


def _beginnings(graph: EventGraph, window: Window, starts: tuple[int, ...]) -> tuple[Ints, Ints | None, Ints]:
    """The rows at which a run may start in one of the states; with SLIDE, the windows; the last moments of the runs.

    A row is listed for each window that contains it.
    """
    rows = np.flatnonzero(reduce(np.logical_or, [graph.network.starts[:, state] for state in starts]))
    if window.slide is None:
        return rows, None, graph.clock[rows] + graph.width
    rows, windows = windows_of(graph.clock, window.size, window.slide, rows)
    return rows, windows, windows + (window.size - 1)


def _forest(judge: BindingJudge, graph: EventGraph, rank: Ints | None) -> RunMatches:
    states = len(judge.automaton.variables)
    forest = grow_forest(graph.network, graph.offsets, graph.clock, graph.width, rank)
    pieces = [_of_branch(judge, graph, forest, branch) for branch in range(len(judge.automaton.branches))]
    runs = _Runs.joined([runs for runs, _, _ in pieces])
    first = _joined([first for _, first, _ in pieces])
    last, lengths = (_joined([getattr(finished, name) for *_, finished in pieces]) for name in ("last", "lengths"))
    last_rows = (last // states).astype(np.int64)
    n = len(first)
    return ForestMatches(
        judge=judge,
        graph=graph,
        last_rows=last_rows,
        window_start=runs.window_start,
        certain=_certain(judge, graph, runs, last_rows, last % states),
        waits=repeated(False, n),
        days=None,
        counts=repeated(1, n),
        large={},
        first_rows=runs.rows,
        lengths=lengths,
        branch=runs.branch,
        forest=forest,
        first=first,
    )


def _of_branch(judge: BindingJudge, graph: EventGraph, forest: Forest, branch: int) -> tuple[_Runs, Nodes, Finished]:
    """The runs of a branch that are matches, and their first nodes."""
    starts, states = judge.automaton.branches[branch], len(judge.automaton.variables)
    rows, windows, until = _beginnings(graph, judge.query.window, starts)
    first = (rows * states + starts[0]).astype(forest.successor.dtype)
    for state in reversed(starts if len(starts) > 1 else ()):  # the preferred one last
        here = graph.network.starts[rows, state]
        first[here] = rows[here] * states + state
    finished = finish_runs(forest, states, graph.clock, first, until)
    if len(finished.run) < len(rows):
        rows, first = rows[finished.run], first[finished.run]
        windows = None if windows is None else windows[finished.run]
    return _Runs(rows, windows, repeated(branch, len(rows))), first, finished


def _joined(pieces: list[Nodes]) -> Nodes:
    return pieces[0] if len(pieces) == 1 else np.concatenate(pieces)


def _side_by_side(judge: BindingJudge, graph: EventGraph, rank: Ints | None) -> RunMatches:
    pieces = []
    for branch, starts in enumerate(judge.automaton.branches):
        rows, windows, until = _beginnings(graph, judge.query.window, starts)
        spans = Spans(rows, first_rows_from(graph.offsets, graph.clock, rows, until + 1), windows)
        paths = judged_runs(graph, rank, spans, starts, judge)
        spans = spans.take(paths.jobs)
        pieces.append((_Runs(spans.rows, spans.window_start, repeated(branch, len(paths))), paths))
    runs = _Runs.joined([piece[0] for piece in pieces])
    paths = Paths.join([piece[1] for piece in pieces])
    states = paths.states[paths.offsets[1:] - 1]
    n = len(paths)
    return ListedMatches(
        judge=judge,
        graph=graph,
        last_rows=paths.last_rows,
        window_start=runs.window_start,
        certain=_certain(judge, graph, runs, paths.last_rows, states),
        waits=repeated(False, n),
        days=None,
        counts=repeated(1, n),
        large={},
        first_rows=runs.rows,
        lengths=np.diff(paths.offsets),
        branch=runs.branch,
        listed=paths,
        place=np.arange(n),
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


def _certain(judge: BindingJudge, graph: EventGraph, runs: _Runs, last_rows: Ints, last_states: Nodes) -> Ints:
    """The moment at which each match becomes certain (`docs/semantics.md` 2)."""
    automaton, window = judge.automaton, judge.query.window
    open_ends = [bool(after) or state in automaton.after for state, after in enumerate(automaton.successors)]
    if window.events or not any(open_ends[state] for state in automaton.accepts):
        return graph.ts[last_rows]
    starts = runs.window_start
    closes = graph.ts[runs.rows] + window.size if starts is None else starts + window.size - 1
    return np.where(np.array(open_ends)[last_states], closes, graph.ts[last_rows])

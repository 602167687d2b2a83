"""The matches of skip-till-next-match and of contiguity, one for each start event that has one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from cep_core.language.patterns.query import Strategy, Window
from cep_core.matching.answers import Answers
from cep_core.matching.automaton import Automaton
from cep_core.matching.compact import compact_listed
from cep_core.matching.event_graph import EventGraph
from cep_core.matching.network import Ints
from cep_core.matching.paths import Paths, batches
from cep_core.matching.runs import NONE, Forest, finish_runs, grow_forest, walk_runs
from cep_core.matching.totals import Days, owned_moments, part_of
from cep_core.matching.windows import Spans, spans_ahead, window_spans_ahead


@dataclass(frozen=True)
class NextMatches(Answers):
    """One answer for each match."""

    forest: Forest
    first: Ints
    """The node of each match's first event."""
    lengths: Ints
    days: Days

    def listing(self, most: Ints) -> Iterator[Paths]:
        jobs = np.flatnonzero(most)
        states = self.graph.network.fits.shape[1]
        lengths = self.lengths[jobs]
        for begin, end in batches(lengths):
            some = jobs[begin:end]
            yield walk_runs(self.forest, states, self.first[some], lengths[begin:end], some)

    def compact(self) -> tuple[Paths, Ints]:
        keys = np.stack([self.group, self.last_rows, part_of(self.certain, self.days)])
        _, place = np.unique(keys, axis=1, return_inverse=True)
        states = self.graph.network.fits.shape[1]
        paths = walk_runs(self.forest, states, self.first, self.lengths, np.arange(len(self.first)))
        return compact_listed(paths, place.reshape(-1), self.graph.seq), place.reshape(-1)


def next_matches(
    graph: EventGraph, automaton: Automaton, strategy: Strategy, window: Window, days: Days
) -> NextMatches:
    """Finds the matches that are certain in one of the days. Cost: `runs`.

    A match that could take more is certain when its window ends, any other at its last event.
    """
    network, states = graph.network, len(automaton.variables)
    rank = None if strategy is Strategy.NEXT else graph.rank
    forest = grow_forest(network, graph.offsets, graph.clock, graph.width, rank)
    starting = np.full(len(graph.ts), NONE, np.int64)
    for state in reversed(automaton.starts):
        starting[network.starts[:, state]] = state
    rows = np.flatnonzero(starting != NONE)
    if window.slide is None:
        spans = spans_ahead(graph.offsets, graph.clock, graph.width, rows)
    else:
        spans = window_spans_ahead(graph.offsets, graph.ts, window.size, window.slide, rows)
    first = spans.rows * states + starting[spans.rows]
    last, lengths = finish_runs(forest, states, first, spans.bounds)
    certain = _certain(graph, spans, last, automaton, window)
    kept = np.flatnonzero((last != NONE) & owned_moments(certain, days))
    last_rows = last[kept] // states
    keys = [first[kept] % states, graph.seq[spans.rows[kept]], graph.seq[last_rows], graph.ts[last_rows]]
    if spans.window_start is not None:
        keys.insert(2, spans.window_start[kept])
    order = np.lexsort(keys)
    kept = kept[order]
    return NextMatches(
        graph=graph,
        last_rows=last_rows[order],
        window_start=None if spans.window_start is None else spans.window_start[kept],
        certain=certain[kept],
        counts=np.ones(len(kept), np.int64),
        large={},
        forest=forest,
        first=first[kept],
        lengths=lengths[kept],
        days=days,
    )


def _certain(graph: EventGraph, spans: Spans, last: Ints, automaton: Automaton, window: Window) -> Ints:
    """When each match is certain (`docs/semantics.md` 2); anything where there is none."""
    states = len(automaton.variables)
    could_take_more = np.array([bool(after) for after in automaton.successors])[last % states]
    if spans.window_start is not None:
        closes = spans.window_start + window.size - 1
    else:
        closes = graph.ts[spans.rows] + window.size
    at_once = graph.ts[np.maximum(last, 0) // states] if len(graph.ts) else last
    return np.where(could_take_more & (not window.events), closes, at_once)

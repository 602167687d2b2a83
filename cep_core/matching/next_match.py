"""The matches of skip-till-next-match and of contiguity, one for each start event that has one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from cep_core.language.patterns.query import Strategy, Window
from cep_core.matching.answers import Answers
from cep_core.matching.automaton import Automaton
from cep_core.matching.compact import compact_listed
from cep_core.matching.event_graph import EventGraph
from cep_core.matching.network import Flags, Ints
from cep_core.matching.paths import Paths, batches
from cep_core.matching.runs import NONE, Forest, finish_runs, grow_forest, walk_runs
from cep_core.matching.totals import Days, owned_moments
from cep_core.matching.windows import Spans, spans_ahead, window_spans_ahead


@dataclass(frozen=True)
class NextMatches(Answers):
    """One answer for each match."""

    forest: Forest
    first: Ints
    """The node of each match's first event."""
    lengths: Ints

    def listing(self, most: Ints) -> Iterator[Paths]:
        jobs = np.flatnonzero(most)
        states = self.graph.network.fits.shape[1]
        lengths = self.lengths[jobs]
        for begin, end in batches(lengths):
            some = jobs[begin:end]
            yield walk_runs(self.forest, states, self.first[some], lengths[begin:end], some)

    def keep(self, wanted: Flags) -> NextMatches:
        """Only these matches."""
        windows = None if self.window_start is None else self.window_start[wanted]
        return replace(
            self,
            last_rows=self.last_rows[wanted],
            window_start=windows,
            certain=self.certain[wanted],
            counts=self.counts[wanted],
            waits=self.waits[wanted],
            first=self.first[wanted],
            lengths=self.lengths[wanted],
        )

    def compact(self) -> Paths:
        states = self.graph.network.fits.shape[1]
        paths = walk_runs(self.forest, states, self.first, self.lengths, np.arange(len(self.first)))
        return compact_listed(paths, self.compact_row, self.graph.seq)


def next_matches(
    graph: EventGraph, automaton: Automaton, strategy: Strategy, window: Window, days: Days
) -> NextMatches:
    """Finds the matches that are certain in one of the days. Cost: `runs`.

    A match that could take more or ends in a NOT is certain when its window ends, any other at its last event.
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
        waits=np.zeros(len(kept), np.bool_),
        forest=forest,
        first=first[kept],
        lengths=lengths[kept],
        days=days,
    )


def _certain(graph: EventGraph, spans: Spans, last: Ints, automaton: Automaton, window: Window) -> Ints:
    """When each match is certain (`docs/semantics.md` 2); anything where there is none."""
    states = len(automaton.variables)
    open_ends = [bool(after) or state in automaton.after for state, after in enumerate(automaton.successors)]
    waits = np.array(open_ends)[last % states]
    if spans.window_start is not None:
        closes = spans.window_start + window.size - 1
    else:
        closes = graph.ts[spans.rows] + window.size
    at_once = graph.ts[np.maximum(last, 0) // states] if len(graph.ts) else last
    return np.where(waits & (not window.events), closes, at_once)

"""Runs whose next event depends on all their bound events, under strategies with one match for each start event.

If every condition is on an edge, all runs are one forest (`runs`). But a condition like `b[i].x > avg(b[..i-1].x)`
reads the whole run, so each run is followed separately. A run is offered the events one by one in (ts, seq) order and
takes the first that fits (`docs/semantics.md` 3). Runs advance side by side, so that conditions are evaluated on
columns.

Cost: for each run, the events offered to it in its window, and its length for each event that is judged. No method is
cheaper if every prefix matters.
"""

from __future__ import annotations

import numpy as np

from cep_core.arrays import Ints
from cep_core.matching.arrays.event_graph import EventGraph
from cep_core.matching.arrays.paths import Paths
from cep_core.matching.arrays.window_rows import Spans
from cep_core.matching.judging.binding_judge import BindingJudge
from cep_core.matching.kernels.offers import next_offers

SIDE_BY_SIDE = 1 << 14


def judged_runs(
    graph: EventGraph, rank: Ints | None, spans: Spans, starts: tuple[int, ...], judge: BindingJudge
) -> Paths:
    """The matches of the runs that begin at `spans.rows` in one of the states `starts`; jobs are places in `spans`.

    With `rank` (contiguity), the next event of a run must have the next rank.
    """
    pieces = []
    for begin in range(0, len(spans.rows), SIDE_BY_SIDE):
        chunk = np.arange(begin, min(begin + SIDE_BY_SIDE, len(spans.rows)))
        runs = _Runs(graph, rank, spans.take(chunk), judge)
        runs.start(starts)
        while runs.advance():
            pass
        matches = runs.matches()
        pieces.append(Paths(matches.rows, matches.states, matches.offsets, matches.jobs + begin))
    return Paths.join(pieces)


class _Runs:
    """n runs side by side: the nodes that each has bound so far, and how many of them form its match."""

    def __init__(self, graph: EventGraph, rank: Ints | None, spans: Spans, judge: BindingJudge) -> None:
        n = len(spans.rows)
        self.graph, self.judge, self.spans = graph, judge, spans
        self.rank = np.empty(0, np.int64) if rank is None else rank
        self.nodes = np.zeros((2, n, 4), np.int64)  # rows, states
        self.length = np.zeros(n, np.int64)
        self.complete = np.zeros(n, np.int64)
        self.cursor = np.zeros((2, n), np.int64)  # the next row and edge to offer
        self.alive = np.zeros(n, np.bool_)

    def start(self, starts: tuple[int, ...]) -> None:
        """Binds the start event in the first state that fits."""
        for state in starts:
            runs = np.flatnonzero(~self.alive & self.graph.network.starts[self.spans.rows, state])
            self._offer(runs, self.spans.rows[runs], np.full(len(runs), state))

    def advance(self) -> bool:
        """Offers each active run the next event that its edges admit. Returns whether any run was active."""
        runs = np.flatnonzero(self.alive)
        if not len(runs):
            return False
        last = self.length[runs] - 1
        at = np.ascontiguousarray(self.nodes[:, runs, last])
        limits = self.spans.bounds[runs]
        rows, edges = next_offers(
            self.graph.network, self.rank, at[0], at[1], *np.ascontiguousarray(self.cursor[:, runs]), limits
        )
        self.alive[runs[rows < 0]] = False
        runs, rows, edges = runs[rows >= 0], rows[rows >= 0], edges[rows >= 0]
        self.cursor[0, runs], self.cursor[1, runs] = rows, edges + 1
        self._offer(runs, rows, self.graph.network.target[edges])
        return True

    def matches(self) -> Paths:
        complete = np.flatnonzero(self.complete)
        return self._paths(complete, self.complete[complete])

    def _offer(self, runs: Ints, rows: Ints, states: Ints) -> None:
        """Binds the event in each run whose conditions allow it."""
        if not len(runs):
            return
        if self.nodes.shape[2] <= self.length.max(initial=0):
            self.nodes = np.concatenate([self.nodes, np.zeros_like(self.nodes)], axis=2)
        self.nodes[0, runs, self.length[runs]] = rows
        self.nodes[1, runs, self.length[runs]] = states
        fits = self.judge.accepts(self.graph, self._paths(runs, self.length[runs] + 1), growing=True)
        runs, rows, states = runs[fits], rows[fits], states[fits]
        self.alive[runs] = True
        self.length[runs] += 1
        self.cursor[0, runs], self.cursor[1, runs] = rows + 1, self.graph.network.begin[states]
        ends = runs[self.graph.network.accepts[rows, states]]
        ends = ends[self.judge.accepts(self.graph, self._paths(ends, self.length[ends]))]
        self.complete[ends] = self.length[ends]

    def _paths(self, runs: Ints, lengths: Ints) -> Paths:
        """The first `lengths` nodes of each run."""
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        owner = np.repeat(runs, lengths)
        place = np.arange(offsets[-1]) - np.repeat(offsets[:-1], lengths)
        return Paths(self.nodes[0, owner, place], self.nodes[1, owner, place], offsets, runs)

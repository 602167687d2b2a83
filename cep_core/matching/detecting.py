"""Finds the events that complete a match, without counting or listing matches, under skip-till-any-match.

One forward pass is enough: a row completes a match exactly if the latest beginning of one of its accepting nodes
(`latest_beginnings`) is in the window. For queries that one pass cannot decide, the events are taken from compact rows.
Cost: that of `latest_beginnings`, or that of compact rows.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from cep_core.arrays import Ints
from cep_core.language.evaluator import Evaluator, answered
from cep_core.language.patterns.query import Window
from cep_core.matching.arrays.event_graph import EventGraph, event_graph
from cep_core.matching.arrays.network import Network, with_places
from cep_core.matching.arrays.window_rows import windows_of
from cep_core.matching.evaluator import MatchEvaluator
from cep_core.matching.kernels.latest_beginnings import NEVER, latest_beginnings, needed_edges
from cep_core.matching.plan.match_plan import MatchPlan
from cep_core.matching.result.match_rows import LAST_SEQ, window_columns


def completing_events(evaluator: Evaluator, events: pa.Table) -> pa.Table:
    """The events of a log that complete a match, in each window with SLIDE: `last_ts`, `last_seq`, then the window.

    `evaluator`: for compact results. `events`: in (ts, seq) order. If one pass cannot decide the query, as for pairs of
    matches and imprecise events, the events are taken from its compact rows.
    """
    if isinstance(evaluator, MatchEvaluator) and evaluator.plan.detects:
        rows = _decided(evaluator.plan, events)
    else:
        table = answered(evaluator, events)
        names = ["last_ts", LAST_SEQ, *(name for name in ("window_start", "window_end") if name in table.column_names)]
        rows = table.select(names).replace_schema_metadata(None).combine_chunks()
    # an event without a value for part of a key may complete matches of several key values
    new = np.zeros(rows.num_rows, np.bool_)
    new[:1] = True
    for column in rows.columns:
        new[1:] |= np.diff(column.to_numpy()) != 0
    return rows if new.all() else rows.filter(pa.array(new))


def _decided(plan: MatchPlan, events: pa.Table) -> pa.Table:
    """The completing events by one pass over each partition."""
    query, graph = plan.query, event_graph(plan, events)
    network = with_places(graph.network, graph.offsets, needed_edges(graph.network))
    last, starts = completing_rows(network, graph, query.window)
    order = graph.time_order(last) if starts is None else np.lexsort([starts, graph.seq_of(last), graph.ts[last]])
    if order is not None:
        last, starts = last[order], None if starts is None else starts[order]
    columns = {"last_ts": pa.array(graph.ts[last]), LAST_SEQ: pa.array(graph.seq_of(last))}
    return pa.table({**columns, **window_columns(starts, query.window.size)})


def completing_rows(network: Network, graph: EventGraph, window: Window) -> tuple[Ints, Ints | None]:
    """The rows that complete a match; with SLIDE once for each window, and the first moments of the windows.

    `network`: that of the graph, with places.
    """
    clock = graph.clock
    latest = latest_beginnings(network, graph.offsets, clock, graph.width)
    rows = np.flatnonzero(latest != NEVER)
    if window.slide is None:
        return rows[clock[latest[rows]] >= clock[rows] - graph.width], None
    rows, starts = windows_of(clock, window.size, window.slide, rows)
    inside = clock[latest[rows]] >= starts
    return rows[inside], starts[inside]

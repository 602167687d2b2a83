"""Finds the events that complete a match, without counting or listing matches, under skip-till-any-match.

One forward pass is enough: a row completes a match exactly if the latest beginning of one of its accepting nodes
(`latest_beginnings`) is in the window. For queries that one pass cannot decide, the events are taken from compact rows.
Cost: that of `latest_beginnings`, or that of compact rows.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from cep_core.language.evaluator import Evaluator
from cep_core.matching.arrays.event_graph import event_graph
from cep_core.matching.arrays.network import with_places
from cep_core.matching.choice.any_match import questions_about
from cep_core.matching.evaluator import MatchEvaluator
from cep_core.matching.kernels.latest_beginnings import completed, needed_edges
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
        table = evaluator.merge(evaluator.evaluate(events))
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
    questions = questions_about(graph, plan.automaton, query.window, None)
    network = with_places(graph.network, graph.offsets, needed_edges(graph.network))
    questions = questions.take(completed(network, graph.offsets, graph.clock, graph.width, questions.ends))
    last = questions.ends.rows
    starts = questions.window_start
    order = graph.time_order(last) if starts is None else np.lexsort([starts, graph.seq[last], graph.ts[last]])
    columns = {"last_ts": pa.array(graph.ts[last][order]), LAST_SEQ: pa.array(graph.seq[last][order])}
    columns.update(window_columns(None if starts is None else starts[order], query.window.size))
    return pa.table(columns)

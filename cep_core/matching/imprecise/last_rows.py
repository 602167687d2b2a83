"""The questions to an event graph over possible worlds: which matches have this row as their last, as recorded?

Matches stand in the order of their last events by (ts, seq), and are certain in one of the days. Cost: a sort of rows.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from cep_core.arrays import Ints
from cep_core.language.evaluator import CERTAIN
from cep_core.matching.arrays.event_graph import EventGraph
from cep_core.matching.arrays.network import any_state
from cep_core.matching.arrays.window_rows import first_rows_from
from cep_core.matching.imprecise.kernels.search_walk import Questions
from cep_core.matching.imprecise.kernels.worlds import Times
from cep_core.matching.result.match_rows import LAST_SEQ
from cep_core.matching.result.totals import Days, owned_moments, part_of


@dataclass(frozen=True)
class Stream:
    """The questions to a graph, in the order of (last_ts, last seq)."""

    graph: EventGraph
    times: Times
    questions: Questions
    part: Ints
    """[question] its day."""
    seq: Ints
    """[question] its event."""
    certain: Ints
    """[question] when its matches are certain."""
    in_order: bool
    """Whether rows of a partition stand in the order of seq, so that matches are found in the order of results."""

    def last_of_group(self, question: int) -> int:
        """The last question about the same event: one that lacks part of a key is in several partitions."""
        return int(np.flatnonzero(self.seq == self.seq[question])[-1])

    def last_columns(self, jobs: Ints) -> dict[str, pa.Array]:
        """What rows say of their last events, and when they are certain."""
        last = self.questions.rows[jobs]
        ts, seq = pa.array(self.graph.ts[last]), pa.array(self.graph.seq[last])
        return {"last_ts": ts, LAST_SEQ: seq, CERTAIN: pa.array(self.certain[jobs])}


def stream_of(graph: EventGraph, times: Times, days: Days, known_after: int) -> Stream:
    """One question for each candidate of the days; its matches are certain so long after it."""
    ts, seq = graph.ts, graph.seq
    # recorded times of a match lie apart as far as the window and the imprecision of both ends allow
    apart = graph.width + int((ts - times.low).max(initial=0)) + int((times.high - ts).max(initial=0))
    rows = np.flatnonzero(any_state(graph.network.fits) & owned_moments(ts + known_after, days))
    rows = rows[np.lexsort((seq[rows], ts[rows]))]
    lows = first_rows_from(graph.offsets, ts, rows, ts[rows] - apart)
    partition = np.repeat(np.arange(len(graph.offsets) - 1), np.diff(graph.offsets))
    in_order = (np.diff(seq) > 0) | (np.diff(partition) > 0)
    certain = ts[rows] + known_after
    return Stream(graph, times, Questions(rows, lows), part_of(certain, days), seq[rows], certain, bool(in_order.all()))

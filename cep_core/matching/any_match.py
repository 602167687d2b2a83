"""The matches of skip-till-any-match, by last event: counted first, listed or made compact on demand."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from cep_core.language.patterns.query import Window
from cep_core.matching.answers import Answers
from cep_core.matching.compact import compact_matches
from cep_core.matching.counting import count_matches
from cep_core.matching.event_graph import EventGraph
from cep_core.matching.listing import list_matches
from cep_core.matching.network import Ints
from cep_core.matching.paths import Paths
from cep_core.matching.totals import Days, owned_moments
from cep_core.matching.windows import Spans, spans_back, window_spans_back


@dataclass(frozen=True)
class AnyMatches(Answers):
    """One answer for each last event of a match (in each window with SLIDE)."""

    spans: Spans

    def listing(self, most: Ints) -> Iterator[Paths]:
        return list_matches(self.graph.network, self.graph.seq, self.spans.rows, self.spans.bounds, most)

    def compact(self) -> tuple[Paths, Ints]:
        paths = compact_matches(self.graph.network, self.spans.rows, self.spans.bounds)
        return paths, np.arange(len(paths))


def any_matches(graph: EventGraph, window: Window, days: Days) -> AnyMatches:
    """Counts the matches that are certain (at their last event) in one of the days. Cost: `counting`."""
    rows = np.flatnonzero(graph.network.accepts.any(axis=1))
    rows = rows[owned_moments(graph.ts[rows], days)]
    if window.slide is None:
        spans = spans_back(graph.offsets, graph.clock, graph.width, rows)
    else:
        spans = window_spans_back(graph.offsets, graph.ts, window.size, window.slide, rows)
    keys = [spans.rows, graph.seq[spans.rows], graph.ts[spans.rows]]
    if spans.window_start is not None:
        keys.insert(1, spans.window_start)
    spans = spans.take(np.lexsort(keys))
    counts, large = count_matches(graph.network, spans.rows, spans.bounds)
    found = np.flatnonzero(counts)
    spans = spans.take(found)
    return AnyMatches(
        graph=graph,
        last_rows=spans.rows,
        window_start=spans.window_start,
        certain=graph.ts[spans.rows],
        counts=counts[found],
        large={int(np.searchsorted(found, place)): count for place, count in large.items()},
        spans=spans,
    )

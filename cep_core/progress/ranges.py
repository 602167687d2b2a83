"""Evaluates a query over a whole log in this process, one range of time after another, so that progress can be shown.

Like a slice, a range also reads the events within the query's reach before it, and owns the results that become certain
in it (docs/semantics.md, 6). So the result is that of one evaluation, and memory holds the partial results of one
range. Ranges are at least four times as long as the reach: reading back costs at most a quarter more.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pyarrow as pa

from cep_core.language.evaluator import CERTAIN, Evaluator, Ownership, of_table

Tick = Callable[[int, int], None]
"""Receives how much is done, and of how much."""
EVENTS_IN_RANGE = 1_000_000
"""The approximate number of events in a range, unless the reach needs more."""
REACHES_IN_RANGE = 4
"""The least length of a range, in reaches."""


def evaluate(evaluator: Evaluator, events: pa.Table, tick: Tick) -> pa.Table:
    """The merged result, without `certain`; `events` in (ts, seq) order with their `pos`."""
    moments = _moments(evaluator, events)
    if not moments:
        return evaluator.merge(of_table(evaluator.evaluate(events))).drop_columns([CERTAIN])
    ts = events["ts"].to_numpy()
    back = evaluator.reach.time or 0
    partials: list[pa.RecordBatch] = []
    for begin, end in pairwise(moments):
        first, last = np.searchsorted(ts, [begin - back, end])
        partials += of_table(evaluator.evaluate(events.slice(first, last - first), Ownership(days=(begin, end))))
        tick(int(last), len(ts))
    return evaluator.merge(partials).drop_columns([CERTAIN])


def _moments(evaluator: Evaluator, events: pa.Table) -> list[int]:
    """The starts of the ranges, and the end of the last.

    Empty if a single evaluation is as good or the only possible way.
    """
    reach = evaluator.reach
    if reach.time is None or reach.points or reach.events or events.num_rows < 2 * EVENTS_IN_RANGE:
        return []
    first, last = events["ts"][0].as_py(), events["ts"][-1].as_py()
    ranges = min(events.num_rows // EVENTS_IN_RANGE, (last - first) // (REACHES_IN_RANGE * max(reach.time, 1)))
    if ranges < 2:
        return []
    cuts = [first + (last - first) * k // ranges for k in range(ranges)]
    return [*cuts, last + reach.time + 1]

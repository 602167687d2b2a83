"""ONCE and EVENTUALLY: the points that see a run through the interval. O(rows in + rows out + points).

Both ends of a run are looked up in tables (`kernels/windows.py`), so lengths of intervals cost nothing.
"""

from __future__ import annotations

from dataclasses import replace

from cep_core.language.temporal.interval import Interval
from cep_core.monitoring.first_order.arrays.relation import Relation
from cep_core.monitoring.first_order.operators.normal import merged
from cep_core.monitoring.first_order.operators.timeline import Timeline, turned, within


def once(body: Relation, interval: Interval, timeline: Timeline) -> Relation:
    """The valuations that hold at this or an earlier point, at a time difference in the interval.

    >>> import numpy as np
    >>> line = Timeline(np.array([1, 2, 9]))
    >>> p = Relation((), (), np.array([0]), np.array([1]))
    >>> [(r.begin.tolist(), r.end.tolist()) for r in (once(p, Interval(0, 5), line), once(p, Interval(8), line))]
    [([0], [2]), ([2], [3])]
    """
    return merged(_seen(body, interval, timeline))


def eventually(body: Relation, interval: Interval, timeline: Timeline) -> Relation:
    """The valuations that hold at this or a later point, at a time difference in the interval."""
    points = timeline.points
    return merged(turned(_seen(turned(body, points), interval, timeline.reversed_time), points))


def _seen(body: Relation, interval: Interval, timeline: Timeline) -> Relation:
    """Runs of one valuation may overlap, and be out of order."""
    if interval.is_empty:
        return body.of_rows(slice(0, 0))
    window = timeline.window(interval)
    moved = replace(body, begin=window.earliest[body.begin], end=window.latest[body.end])
    return within(moved, window.seeing) if interval.low else moved

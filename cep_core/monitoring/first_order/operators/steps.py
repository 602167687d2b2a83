"""PREV and NEXT: runs one point later or earlier, at points whose gap lies in the interval. O(rows + points)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from cep_core.language.temporal.interval import Interval
from cep_core.monitoring.first_order.arrays.relation import Relation
from cep_core.monitoring.first_order.operators.normal import ordered
from cep_core.monitoring.first_order.operators.timeline import Timeline, turned, within


def previously(body: Relation, interval: Interval, timeline: Timeline) -> Relation:
    """The valuations that hold at the previous point.

    >>> line = Timeline(np.array([1, 2, 9]))
    >>> p = Relation((), (), np.array([0]), np.array([3]))
    >>> relation = previously(p, Interval(0, 5), line)
    >>> relation.begin.tolist(), relation.end.tolist()
    ([1], [2])
    """
    later = replace(body, begin=body.begin + 1, end=np.minimum(body.end + 1, timeline.points))
    return ordered(within(later, timeline.steps(interval)))


def nextly(body: Relation, interval: Interval, timeline: Timeline) -> Relation:
    """The valuations that hold at the next point."""
    points = timeline.points
    return ordered(turned(previously(turned(body, points), interval, timeline.reversed_time), points))

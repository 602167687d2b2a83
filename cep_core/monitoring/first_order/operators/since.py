"""SINCE and UNTIL with a positive or negated left side, whose variables are among those of the right side.

UNTIL is SINCE on the log in reverse. O(rows in + rows out) look-ups and O(points) (`kernels/since.py`).
"""

from __future__ import annotations

from dataclasses import replace

from cep_core.language.temporal.interval import Interval
from cep_core.monitoring.first_order.arrays.relation import Relation, rows_of
from cep_core.monitoring.first_order.kernels.grouping import grouped
from cep_core.monitoring.first_order.kernels.since import carried_ends, guarded_runs, guards
from cep_core.monitoring.first_order.operators.normal import merged, ordered
from cep_core.monitoring.first_order.operators.timeline import Timeline, turned, within


def since(left: Relation, right: Relation, interval: Interval, timeline: Timeline, *, negated: bool) -> Relation:
    """`left SINCE right`, or with `negated` `NOT left SINCE right`.

    >>> import numpy as np
    >>> line = Timeline(np.array([1, 2, 9, 9]))
    >>> p = Relation((), (), np.array([1]), np.array([3]))
    >>> q = Relation((), (), np.array([0]), np.array([1]))
    >>> relation = since(p, q, Interval(), line, negated=False)
    >>> relation.begin.tolist(), relation.end.tolist()
    ([0], [3])
    """
    return merged(_carried(ordered(left), right, interval, timeline, negated))


def until(left: Relation, right: Relation, interval: Interval, timeline: Timeline, *, negated: bool) -> Relation:
    """`left UNTIL right`, or with `negated` `NOT left UNTIL right`."""
    points = timeline.points
    turned_left, turned_right = ordered(turned(left, points)), turned(right, points)
    return merged(turned(_carried(turned_left, turned_right, interval, timeline.reversed_time, negated), points))


def _carried(left: Relation, right: Relation, interval: Interval, timeline: Timeline, negated: bool) -> Relation:
    """Runs of one valuation may overlap, and be out of order. `left` is ordered."""
    if interval.is_empty:
        return right.of_rows(slice(0, 0))
    window = timeline.window(interval)
    first, order, group = grouped(rows_of(left, left.variables), rows_of(right, left.variables))
    begin, end = left.begin[order], left.end[order]
    if not interval.low:
        ends = carried_ends(right.end, group, first, begin, end, window.latest, negated)
        return replace(right, end=ends)
    seen = window.seeing
    held = guards(first, begin, end, negated, window.earliest, window.latest, seen.following, seen.begin)
    runs = guarded_runs(right.begin, right.end, group, *held, window.earliest, window.latest, negated)
    return within(right.at(*runs), seen)

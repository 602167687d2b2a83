"""The points of a log that have events, as a log of their own, and relations over them as relations over the whole log.

Cost: O(points + events) to find the points, O(rows of the answer) to put a relation back.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from cep_core.arrays import Flags, Ints
from cep_core.events.logs.point_log import PointLog, TypedEvents
from cep_core.monitoring.first_order.arrays.relation import Relation


@dataclass(frozen=True)
class OccupiedPoints:
    """`places`: the points of the whole log, ascending, that `log` has. It has the events of the asked types only."""

    log: PointLog
    places: Ints

    def in_whole(self, relation: Relation) -> Relation:
        """A relation over these points as one over the whole log, in which it holds at no other point.

        >>> log = PointLog(np.arange(6), {"P": TypedEvents(np.array([1, 2, 5]), {})})
        >>> runs = occupied_points(log, ["P"]).in_whole(Relation((), (), np.array([0]), np.array([3])))
        >>> runs.begin.tolist(), runs.end.tolist()
        ([1, 5], [3, 6])
        """
        if not relation.rows:
            return relation
        begins = np.flatnonzero(np.diff(self.places, prepend=-2) > 1)
        """The points of `log` that lie behind a gap; from each to the next there is none."""
        ends = np.append(begins[1:], len(self.places))
        first = np.searchsorted(begins, relation.begin, side="right") - 1
        pieces = np.searchsorted(begins, relation.end, side="left") - first
        source = np.repeat(np.arange(relation.rows), pieces)
        piece = np.arange(len(source)) - np.repeat(np.cumsum(pieces) - pieces, pieces) + first[source]
        begin = self.places[np.maximum(relation.begin[source], begins[piece])]
        end = self.places[np.minimum(relation.end[source], ends[piece]) - 1] + 1
        order = np.argsort(begin, kind="stable")
        return relation.at(source[order], begin[order], end[order])


def has_events(log: PointLog, event_types: Collection[str]) -> Flags:
    """Whether there is an event of some types at each point."""
    flags = np.zeros(log.points, np.bool_)
    for name in event_types:
        if name in log.events:
            flags[log.events[name].point] = True
    return flags


def occupied_points(log: PointLog, event_types: Collection[str]) -> OccupiedPoints:
    """The points at which there is an event of some types.

    >>> log = PointLog(np.array([3, 4, 9]), {"P": TypedEvents(np.array([2]), {}), "Q": TypedEvents(np.array([0]), {})})
    >>> own = occupied_points(log, ["P"])
    >>> own.places.tolist(), own.log.stamps.tolist(), own.log.events["P"].point.tolist()
    ([2], [9], [0])
    """
    chosen = {name: log.events[name] for name in event_types if name in log.events}
    occupied = has_events(log, event_types)
    number = np.cumsum(occupied) - 1
    events = {name: TypedEvents(number[own.point], own.columns, own.seq) for name, own in chosen.items()}
    return OccupiedPoints(PointLog(log.stamps[occupied], events), np.flatnonzero(occupied))

"""A log of time-points, as monitors read it: the stamp of each point, and each event type's columns.

A time-point is a set of events that the source calls concurrent. Points with equal stamps stay distinct, and points
without events count (paper 01, definition 3; `docs/semantics.md` 1).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import pyarrow as pa


@dataclass(frozen=True)
class TypedEvents:
    """The events of one type, ordered by point. `point`: int64, the index of each event's point.

    `columns`: int64, double, or string arrays by attribute; the attributes of a signature without names are "1", "2",
    and so on. Strings may be dictionary arrays, whose dictionaries have no text twice and no null. A null in a column
    equals nothing. `seq`: int64, if the log has it.
    """

    point: npt.NDArray[np.int64]
    columns: Mapping[str, pa.Array]
    seq: npt.NDArray[np.int64] | None = None


@dataclass(frozen=True)
class PointLog:
    """`stamps`: int64, non-decreasing, one for each point. `events` by event type; a type may be missing.

    `before`: how many points of the whole log come before these. `TypedEvents.point` counts from 0 in any case.
    """

    stamps: npt.NDArray[np.int64]
    events: Mapping[str, TypedEvents] = field(default_factory=dict)
    before: int = 0

    @property
    def points(self) -> int:
        return len(self.stamps)

    def since(self, point: int) -> PointLog:
        """The points from one on, with their events.

        >>> log = PointLog(np.array([3, 3, 8]), {"P": TypedEvents(np.array([0, 2]), {"1": pa.array([5, 6])})})
        >>> late = log.since(1)
        >>> late.stamps.tolist(), late.before, late.events["P"].point.tolist()
        ([3, 8], 1, [1])
        """
        return self.between(point, self.points) if point else self

    def between(self, first: int, last: int) -> PointLog:
        """The points [first, last), with their events."""
        events = {}
        for event_type, typed in self.events.items():
            begin, end = np.searchsorted(typed.point, [first, last]).tolist()
            if begin < end:
                columns = {name: column.slice(begin, end - begin) for name, column in typed.columns.items()}
                seq = None if typed.seq is None else typed.seq[begin:end]
                events[event_type] = TypedEvents(typed.point[begin:end] - first, columns, seq)
        return PointLog(self.stamps[first:last], events, self.before + first)

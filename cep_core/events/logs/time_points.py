"""Time-points of a table of events: which events the source calls concurrent (`docs/semantics.md` 1).

`by_timestamp`: one point for each distinct `ts`. `by_event`: one for each event. Else the name of a column: one for
each distinct (`ts`, value), values in ascending order. Cost: one pass over events in order of `ts`; a column is sorted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cep_core.arrays import Ints
from cep_core.events.chunks import one_array
from cep_core.events.logs.point_log import PointLog, TypedEvents

BY_TIMESTAMP = "by_timestamp"
BY_EVENT = "by_event"
POINT = "point"
"""A table's column of time-points: points of equal `ts` are in order of its values."""
OFFSET = "offset"
"""The column of an event's point: its index among the points of equal `ts`."""


def offsets_of(events: pa.Table, points: str = BY_TIMESTAMP) -> Ints:
    """[events] The point of each event as its index among the points of equal `ts`; events in (ts, seq) order.

    >>> log = pa.table({"ts": [1, 1, 2], "batch": [7, 5, 5]})
    >>> offsets_of(log).tolist(), offsets_of(log, "by_event").tolist(), offsets_of(log, "batch").tolist()
    ([0, 0, 0], [0, 1, 0], [1, 0, 0])
    """
    ts = events["ts"].to_numpy()
    rows = np.arange(len(ts))
    if points == BY_TIMESTAMP:
        return np.zeros(len(ts), np.int64)
    if points == BY_EVENT:
        return rows - np.searchsorted(ts, ts)
    place = one_array(pc.rank(events[points], sort_keys="ascending", tiebreaker="dense")).to_numpy().astype(np.int64)
    order = np.lexsort((place, ts))
    new = np.diff(ts[order], prepend=ts[order[:1]] - 1 if len(ts) else 0) != 0
    step = (np.diff(place[order], prepend=0) != 0) | new
    number = np.cumsum(step)
    offset = np.empty(len(ts), np.int64)
    first = np.maximum.accumulate(np.where(new, number, 0))
    offset[order] = number - first
    return offset


def offsets_in_stamp(stamps: Ints) -> Ints:
    """The index of each point among those with its stamp.

    >>> offsets_in_stamp(np.array([3, 5, 5])).tolist()
    [0, 0, 1]
    """
    points = np.arange(len(stamps))
    begins = np.append(np.ones(min(len(stamps), 1), np.bool_), np.diff(stamps) != 0)
    return points - np.maximum.accumulate(np.where(begins, points, 0))


def points_of(ts: Ints, offset: Ints) -> pa.Table:
    """How many time-points each stamp of events in order has: `ts` distinct, `points`. Every point has an event here.

    >>> points_of(np.array([1, 1, 3]), np.array([0, 1, 0])).to_pydict()
    {'ts': [1, 3], 'points': [2, 1]}
    """
    first = np.flatnonzero(np.append(np.ones(min(len(ts), 1), np.bool_), ts[1:] != ts[:-1]))
    stamps = ts[first]
    most = np.maximum.reduceat(offset, first) + 1 if len(ts) else np.zeros(0, np.int64)
    return pa.table({"ts": stamps, "points": most})


def with_points(events: pa.Table, points: str = BY_TIMESTAMP) -> tuple[pa.Table, pa.Table]:
    """The events, in (ts, seq) order, with the column `offset`; and their points, as `points_of`.

    >>> log, points = with_points(pa.table({"ts": [1, 1, 2]}), "by_event")
    >>> log["offset"].to_pylist(), points.to_pydict()
    ([0, 1, 0], {'ts': [1, 2], 'points': [2, 1]})
    """
    offset = offsets_of(events, points)
    return events.append_column(OFFSET, pa.array(offset)), points_of(events["ts"].to_numpy(), offset)


def with_offset(events: pa.Table, points: str = BY_TIMESTAMP) -> pa.Table:
    """A log's table, in (ts, seq) order, with the column `offset`: by its column `point` if it has one, else `points`.

    Raises ValueError if `points` is no way to tell points apart, and for a column of its own that is called `offset`.

    >>> with_offset(pa.table({"ts": [1, 1], "point": [4, 2]}))["offset"].to_pylist()
    [1, 0]
    """
    names = events.column_names
    if OFFSET in names:
        raise ValueError("the log has a column 'offset', which is the column of an event's time-point: rename it")
    chosen = POINT if POINT in names else points
    if chosen not in (BY_TIMESTAMP, BY_EVENT, *names):
        raise ValueError(f"points are by_timestamp, by_event or a column; there is no column '{chosen}'")
    return events.append_column(OFFSET, pa.array(offsets_of(events, chosen)))


def point_log_of(
    events: pa.Table, reads: Mapping[str, Sequence[str]], points: pa.Table | None = None, *, coded: bool = False
) -> PointLog:
    """The log of points of a table of events in (ts, seq) order.

    `reads`: the attributes that are needed, by event type; `seq` and `ts` may be named. `points`: every point of the
    log, as `points_of`; None: the points of the events. Without a column `offset`, points are by timestamp. Bools
    become the integers 0 and 1. `coded`: texts become dictionaries, which take less memory, but cost O(distinct texts)
    wherever a part of a column is read.

    >>> log = point_log_of(pa.table({"event_type": ["A", "B", "A"], "ts": [1, 1, 5], "x": [7, 8, 9]}), {"A": ["x"]})
    >>> log.stamps.tolist(), log.events["A"].point.tolist(), log.events["A"].columns["x"].to_pylist()
    ([1, 5], [0, 1], [7, 9])
    """
    ts = events["ts"].to_numpy()
    offset = events[OFFSET].to_numpy() if OFFSET in events.column_names else np.zeros(len(ts), np.int64)
    if points is None:
        points = points_of(ts, offset)
    stamps, counts = points["ts"].to_numpy(), points["points"].to_numpy()
    first = np.cumsum(counts) - counts
    point = first[np.searchsorted(stamps, ts)] + offset if len(ts) else np.zeros(0, np.int64)
    kinds = one_array(events["event_type"])
    by_type = {}
    for event_type, attributes in reads.items():
        rows = np.flatnonzero(pc.equal(kinds, event_type).to_numpy(zero_copy_only=False))
        if (point[rows[1:]] < point[rows[:-1]]).any():
            rows = rows[np.argsort(point[rows], kind="stable")]
        taken = pa.array(rows)
        columns = {name: _column(events[name].take(taken), coded) for name in attributes}
        seq = events["seq"].take(taken).to_numpy() if "seq" in events.column_names else None
        by_type[event_type] = TypedEvents(point[rows], columns, seq)
    return PointLog(np.repeat(stamps, counts), by_type)


def _column(values: pa.ChunkedArray, coded: bool) -> pa.Array:
    column = one_array(values)
    if pa.types.is_boolean(column.type) or pa.types.is_integer(column.type):
        return column.cast(pa.int64())
    if coded and (pa.types.is_string(column.type) or pa.types.is_large_string(column.type)):
        return column.dictionary_encode()
    return column

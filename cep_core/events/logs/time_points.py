"""Time-points of a table of events: which events the source calls concurrent (`docs/semantics.md` 1).

`by_timestamp`: one point for each distinct `ts`. `by_event`: one for each event. Else the name of a column: one for
each distinct (`ts`, value), values in ascending order. Cost: one pass over events in order of `ts`; a column is sorted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cep_core.arrays import Ints, differ
from cep_core.events.chunks import one_array
from cep_core.events.event_types import EventTypes
from cep_core.events.logs.point_log import PointLog, TypedEvents
from cep_core.events.schema import AttributeType
from cep_core.events.table import attribute_type

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
    if points == BY_TIMESTAMP:
        return np.zeros(len(ts), np.int64)
    if points == BY_EVENT:
        return offsets_in_stamp(ts)
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
    first = _first_rows(ts)
    stamps = ts[first]
    most = np.maximum.reduceat(offset, first) + 1 if len(ts) else np.zeros(0, np.int64)
    return pa.table({"ts": stamps, "points": most})


def _first_rows(ts: Ints) -> Ints:
    """The first row of each stamp of events in order."""
    return np.flatnonzero(differ(ts))


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

    By time-stamp all offsets are 0, and there is no such column.
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
    if chosen == BY_TIMESTAMP:
        return events
    return events.append_column(OFFSET, pa.array(offsets_of(events, chosen)))


def point_log_of(
    events: pa.Table, reads: Mapping[str, Sequence[str]], points: pa.Table | None = None, *, coded: bool = False
) -> PointLog:
    """The log of points of a table of events in (ts, seq) order.

    `reads`: the attributes that are needed, by event type; `seq` and `ts` may be named. `points`: every point of the
    log, as `points_of`; None: the points of the events. Without a column `offset`, points are by timestamp. Bools
    become the integers 0 and 1. `coded`: texts become codes of one dictionary, which takes less memory, but costs
    O(distinct texts) wherever a part of a column is read.

    >>> log = point_log_of(pa.table({"event_type": ["A", "B", "A"], "ts": [1, 1, 5], "x": [7, 8, 9]}), {"A": ["x"]})
    >>> log.stamps.tolist(), log.events["A"].point.tolist(), log.events["A"].columns["x"].to_pylist()
    ([1, 5], [0, 1], [7, 9])
    """
    stamps, point = _points_and_places(events, points)
    names = list(dict.fromkeys(name for attributes in reads.values() for name in attributes))
    stored = {name: _stored(events[name]) for name in names}
    if coded:
        stored |= _encoded(stored)
    types, by_type = EventTypes(one_array(events["event_type"])), {}
    for event_type, attributes in reads.items():
        rows = np.flatnonzero(types.of(event_type))
        own = point[rows]
        if (own[1:] < own[:-1]).any():
            order = np.argsort(own, kind="stable")
            rows, own = rows[order], own[order]
        taken = pa.array(rows)
        columns = {name: one_array(stored[name].take(taken)) for name in attributes}
        seq = events["seq"].take(taken).to_numpy() if "seq" in events.column_names else None
        by_type[event_type] = TypedEvents(own, columns, seq)
    return PointLog(stamps, by_type)


def _points_and_places(events: pa.Table, points: pa.Table | None) -> tuple[Ints, Ints]:
    """The stamp of each point, and the point of each event."""
    ts = events["ts"].to_numpy()
    if points is None and OFFSET not in events.column_names:
        new = differ(ts)
        return ts[new], np.cumsum(new) - 1
    offset = events[OFFSET].to_numpy() if OFFSET in events.column_names else np.zeros(len(ts), np.int64)
    if points is None:
        points = points_of(ts, offset)
    stamps, counts = points["ts"].to_numpy(), points["points"].to_numpy()
    first = np.cumsum(counts) - counts
    rows = _first_rows(ts)
    of_stamps = first[_places(stamps, ts[rows])] if len(rows) else rows
    return np.repeat(stamps, counts), np.repeat(of_stamps, np.diff(rows, append=len(ts))) + offset


def _places(stamps: Ints, some: Ints) -> Ints:
    """The places of some ascending stamps among all; none is looked up if these are all from the first to the last."""
    begin = int(np.searchsorted(stamps, some[0]))
    if np.array_equal(stamps[begin : begin + len(some)], some):
        return np.arange(begin, begin + len(some))
    return np.searchsorted(stamps, some)


def _encoded(columns: Mapping[str, pa.ChunkedArray]) -> dict[str, pa.ChunkedArray]:
    """The columns of texts, as dictionary arrays that share one dictionary."""
    stored = {name: column for name, column in columns.items() if attribute_type(column.type) is AttributeType.STRING}
    texts = list(stored.values())
    if not texts or any(column.type != texts[0].type for column in texts):
        return {}
    together = pa.chunked_array([chunk for column in texts for chunk in column.chunks], texts[0].type)
    codes = together.dictionary_encode()
    first = np.cumsum([0, *map(len, texts)]).tolist()
    return {name: codes.slice(begin, len(stored[name])) for name, begin in zip(stored, first, strict=False)}


def _stored(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """A column as it stands in a log of points: integers of 64 bits for bools, too; texts as texts."""
    if pa.types.is_boolean(column.type) or pa.types.is_integer(column.type):
        return column.cast(pa.int64())
    if pa.types.is_dictionary(column.type) or pa.types.is_string_view(column.type):
        return column.cast(pa.string())
    return column

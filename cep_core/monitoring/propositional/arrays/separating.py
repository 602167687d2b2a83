"""The points of sub-logs, found without sorting: each event is put behind the last point of its sub-log.

Events come in order of (stamp, place). Cost: two passes over the events, and one number for each sub-log.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from cep_core.arrays import Ints, read_only


def separated(codes: Ints, size: int, ts: Ints, place: Ints) -> tuple[Ints, Ints, Ints, Ints]:
    """The points of each sub-log side by side: stamps, the `size + 1` borders, and the point of each event.

    Also the last event of each sub-log, -1 for a sub-log without events.

    `codes`: the sub-log of each event, from 0 to `size` - 1; -1: in none, so that its point is -1. Events of a sub-log
    that agree in `ts` and `place` share a point.

    >>> codes, ts = np.array([1, 0, 1, -1, 1]), np.array([3, 3, 3, 4, 5])
    >>> [column.tolist() for column in separated(codes, 2, ts, np.zeros(5, np.int64))]
    [[3, 3, 5], [0, 1, 3], [1, 0, 1, -1, 2], [1, 4]]
    """
    codes, ts, place = read_only(codes), read_only(ts), read_only(place)
    point = np.empty(len(codes), np.int64)
    last = np.full(size, -1, np.int64)
    starts = np.zeros(size + 1, np.int64)
    _number_in_sub_log(codes, ts, place, last, starts, point)
    np.cumsum(starts, out=starts)
    stamps = np.empty(int(starts[-1]), np.int64)
    _put(codes, ts, starts, stamps, point)
    return stamps, starts, point, last


@njit(cache=True)
def _number_in_sub_log(codes: Ints, ts: Ints, place: Ints, last: Ints, starts: Ints, point: Ints) -> None:
    """Numbers each event's point from 0 in its sub-log, and counts the points of sub-log c in `starts[c + 1]`.

    `last`: the last event of each sub-log so far, -1 before the first.
    """
    for event in range(codes.shape[0]):
        code = codes[event]
        if code < 0:
            point[event] = -1
            continue
        before = last[code]
        if before < 0 or ts[before] != ts[event] or place[before] != place[event]:
            starts[code + 1] += 1
        last[code] = event
        point[event] = starts[code + 1] - 1


@njit(cache=True)
def _put(codes: Ints, ts: Ints, starts: Ints, stamps: Ints, point: Ints) -> None:
    """Numbers points over all sub-logs, and writes down their stamps."""
    for event in range(codes.shape[0]):
        code = codes[event]
        if code >= 0:
            point[event] += starts[code]
            stamps[point[event]] = ts[event]

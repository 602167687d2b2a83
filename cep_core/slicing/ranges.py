"""Ranges of log time: they can split a log that no variable can split (docs/semantics.md 6; paper 01, section 4).

A range owns the results that become certain in it. It also reads earlier events, as far back as the evaluators reach.
With an interval of length D and a reach of R, each of r equal ranges reads the share (D/r + R) / (D + R).

Cost: O(r log(events)) to cut. The splitter finds the ranges of an event by binary search.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from cep_core.language.evaluator import Reach

BEGINNING = int(np.iinfo(np.int64).min)


@dataclass(frozen=True)
class TimeRange:
    """Owns the results that become certain in [start, end); reads events of [reads_from, end). In the log's unit."""

    start: int
    end: int
    reads_from: int


def cut(
    interval: tuple[int, int], count: int, reach: Reach, stamps: npt.NDArray[np.int64] | None = None
) -> tuple[TimeRange, ...]:
    """`interval` = [start, end) cut into `count` ranges of nearly equal length.

    `stamps`: ascending time-stamps of all events, needed if the reach counts time-points or events.

    >>> cut((0, 24), 2, Reach(time=6))
    (TimeRange(start=0, end=12, reads_from=-6), TimeRange(start=12, end=24, reads_from=6))
    """
    start, end = interval
    if not 1 <= count <= max(1, end - start):
        raise ValueError(f"cannot cut [{start}, {end}) into {count} ranges")
    edges = [start + (end - start) * index // count for index in range(count + 1)]
    return tuple(TimeRange(low, high, read_from(low, reach, stamps)) for low, high in pairwise(edges))


def read_from(moment: int, reach: Reach, stamps: npt.NDArray[np.int64] | None = None) -> int:
    """The first log time that a result certain at `moment` can depend on; `BEGINNING` if the reach is unbounded.

    A reach of time T and n points goes back by T and then to the time-point before, n times; then by T once more; then
    over `events` positions. Time-points are the distinct stamps.

    >>> read_from(100, Reach(time=10, points=1), np.array([1, 50, 89, 95]))
    79
    """
    if reach.time is None:
        return BEGINNING
    if (reach.points or reach.events) and stamps is None:
        raise ValueError("a reach over time-points or events needs the log's time-stamps")
    for _ in range(reach.points):
        assert stamps is not None
        before = int(np.searchsorted(stamps, moment - reach.time, side="left"))
        if before == 0:
            return BEGINNING
        moment = int(stamps[before - 1])
    moment -= reach.time
    if reach.events:
        assert stamps is not None
        before = int(np.searchsorted(stamps, moment, side="left"))
        if before < reach.events:
            return BEGINNING
        moment = min(moment, int(stamps[before - reach.events]))
    return moment


def shares_read(ranges: tuple[TimeRange, ...], stamps: npt.NDArray[np.int64] | None = None) -> npt.NDArray[np.float64]:
    """The share of all events read that each range reads.

    Without `stamps` it counts log time: (D/r + R) / (D + R). With ascending `stamps` it counts events. The shares are 1
    if there is at most one range, or if a range reads from the beginning and there are no stamps.

    >>> shares_read(cut((0, 24), 2, Reach(time=6))).tolist()
    [0.6, 0.6]
    """
    limits = np.array([(span.reads_from, span.end) for span in ranges], np.int64).reshape(-1, 2)
    if len(ranges) >= 2 and stamps is not None and len(stamps):
        events_read = np.searchsorted(stamps, limits[:, 1]) - np.searchsorted(stamps, limits[:, 0])
        all_events = np.searchsorted(stamps, limits[-1, 1]) - np.searchsorted(stamps, limits[0, 0])
        return events_read / all_events if all_events else np.ones(len(ranges))
    if len(ranges) < 2 or (limits[:, 0] == BEGINNING).any():
        return np.ones(max(1, len(ranges)))
    return (limits[:, 1] - limits[:, 0]) / (limits[-1, 1] - limits[0, 0])

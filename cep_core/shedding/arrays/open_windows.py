"""Windows of an operator: opened at regular distances or by an event, closed after a time or a number of events.

Windows may overlap, and each is matched alone (pSPICE, section II-A). A window is stored as the event that opens it and
the last clock value inside it. The clock is log time, or the position of the event among all offered events. Windows
without events are not opened.

Cost: O(events + windows).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cep_core.arrays import Flags, Ints


@dataclass(frozen=True)
class WindowSpec:
    """`size` and `slide` in units of log time, or in events. `slide` None: an event opens each window."""

    size: int
    events: bool = False
    slide: int | None = None
    closed: bool = False
    """Whether an event exactly `size` after the opening one is still inside, as for WITHIN by time without SLIDE."""

    def __post_init__(self) -> None:
        if self.size < 1 or (self.slide is not None and self.slide < 1):
            raise ValueError("a window has a size and a slide of at least 1")


@dataclass(frozen=True)
class Opened:
    """W windows over n events, in the order of the events that open them."""

    first: Ints
    """[n + 1] the windows first[i]:first[i + 1] open at event i."""
    end: Ints
    """[W] the last clock value inside."""
    clock: Ints
    """[n]."""

    @property
    def at(self) -> Ints:
        """[W] the event that opens each window."""
        return np.repeat(np.arange(len(self.clock)), np.diff(self.first))


def open_windows(windows: WindowSpec, ts: Ints, opening: Flags | None = None) -> Opened:
    """The windows over events at `ts` (ascending); `opening`: which events open one, for windows without a slide.

    >>> opened = open_windows(WindowSpec(size=10, slide=5), np.array([0, 6, 30]))
    >>> opened.at.tolist(), opened.end.tolist()
    ([0, 0, 1, 2, 2], [4, 9, 14, 34, 39])
    """
    count = len(ts)
    clock = np.arange(count, dtype=np.int64) if windows.events else np.asarray(ts, np.int64)
    if windows.slide is None:
        if opening is None:
            raise ValueError("windows without a slide are opened by events: say by which")
        first = np.concatenate([[0], np.cumsum(opening, dtype=np.int64)])
        return Opened(first, clock[opening] + windows.size - (0 if windows.closed else 1), clock)
    last = clock // windows.slide
    earliest = (clock - windows.size) // windows.slide + 1
    if windows.events:
        earliest = np.maximum(earliest, 0)
    first_unopened = np.concatenate([earliest[:1], last[:-1] + 1]) if count else earliest
    earliest = np.maximum(earliest, first_unopened)
    per_event = np.maximum(last - earliest + 1, 0)
    first = np.concatenate([[0], np.cumsum(per_event, dtype=np.int64)])
    number = np.arange(first[-1]) - np.repeat(first[:-1], per_event) + np.repeat(earliest, per_event)
    return Opened(first, number * windows.slide + windows.size - 1, clock)


def windows_open_at(opened: Opened, partition: Ints) -> Ints:
    """[n] how many windows each event belongs to. If each partition has its own windows, only those count.

    `partition`: [n], one value for all events if all partitions share the windows. Events of partition -1 belong to no
    window.
    """
    at = opened.at
    open_counts = np.zeros(len(opened.clock), np.int64)
    order = np.argsort(partition, kind="stable")
    for rows in np.split(order, np.flatnonzero(np.diff(partition[order])) + 1):
        if not len(rows) or partition[rows[0]] < 0:
            continue
        counts = opened.first[rows + 1] - opened.first[rows]
        ends = np.sort(opened.end[np.isin(at, rows[counts > 0])])
        open_counts[rows] = np.cumsum(counts) - np.searchsorted(ends, opened.clock[rows], side="left")
    return open_counts

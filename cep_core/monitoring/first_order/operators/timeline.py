"""The stamps of a log's points, and what temporal operators look up in them, each made once: O(points) an interval.

A future operator is a past operator on the log in reverse. `reversed_time` has the complements of the stamps: they
have the same differences, and no integer is too small to have one. A point that follows a closed log is `far` from
all others: only intervals without an upper end reach it (`docs/semantics.md` 5).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np

from cep_core.arrays import Flags, Ints
from cep_core.language.temporal.interval import ANY_TIME, Interval
from cep_core.monitoring.first_order.arrays.relation import Relation
from cep_core.monitoring.first_order.kernels.windows import (
    Bounds,
    cut_by,
    next_runs,
    runs_of,
    steps_within,
    window_tables,
)

_FARTHEST = 2**64 - 1
"""No two stamps are farther apart."""


class Mask(NamedTuple):
    """Points at which something holds, as maximal runs. `following[points + 1]`: the first run that ends after."""

    following: Ints
    begin: Ints
    end: Ints


class WindowTables(NamedTuple):
    """The tables of an interval into the past (`kernels/windows.py`)."""

    earliest: Ints
    latest: Ints
    seeing: Mask


@dataclass(frozen=True)
class Timeline:
    """`stamps`: int64, non-decreasing, one for each point. `far`: the point that is far from all others; -1: none."""

    stamps: Ints
    far: int = -1
    _windows: dict[Interval, WindowTables] = field(default_factory=dict, repr=False)
    _steps: dict[Interval, Mask] = field(default_factory=dict, repr=False)

    @property
    def points(self) -> int:
        return len(self.stamps)

    @cached_property
    def reversed_time(self) -> Timeline:
        """The log in reverse."""
        return Timeline(~self.stamps[::-1], self.points - 1 - self.far if self.far >= 0 else -1)

    def window(self, interval: Interval) -> WindowTables:
        """The tables of a resolved interval."""
        if interval not in self._windows:
            self._windows[interval] = self._tables(interval)
        return self._windows[interval]

    def _tables(self, interval: Interval) -> WindowTables:
        if interval == ANY_TIME:  # a point sees itself and all before it
            places = np.arange(self.points + 1)
            whole = np.zeros(min(self.points, 1), np.int64)
            latest = np.where(places > 0, self.points, 0)
            return WindowTables(places, latest, Mask(places // max(self.points, 1), whole, whole + self.points))
        earliest, latest, seeing = window_tables(self.stamps, self.far, _bounds(interval))
        return WindowTables(earliest, latest, _mask(seeing))

    def steps(self, interval: Interval) -> Mask:
        """The points whose previous point is at a time difference in the interval."""
        if interval not in self._steps:
            self._steps[interval] = _mask(steps_within(self.stamps, self.far, _bounds(interval)))
        return self._steps[interval]


def turned(relation: Relation, points: int) -> Relation:
    """A relation on the log in reverse. Its rows are ordered by their last point, no longer by their first."""
    begin, end = points - relation.end[::-1], points - relation.begin[::-1]
    return relation.at(np.arange(relation.rows)[::-1], np.ascontiguousarray(begin), np.ascontiguousarray(end))


def within(relation: Relation, mask: Mask) -> Relation:
    """The parts of runs at which a mask holds, in any order; empty runs are left out."""
    return relation.at(*cut_by(relation.begin, relation.end, *mask))


def _mask(flags: Flags) -> Mask:
    begin, end = runs_of(flags)
    return Mask(next_runs(flags), begin, end)


def _bounds(interval: Interval) -> Bounds:
    if interval.is_empty:
        return np.uint64(1), np.uint64(0), True
    low, high = min(interval.low, _FARTHEST), min(interval.high or 0, _FARTHEST)
    return np.uint64(low), np.uint64(high), interval.is_bounded

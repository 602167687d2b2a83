"""Which rows have events when, as bitmaps of 32,768 rows.

A bitmap is of rows of one source whose events are of one kind: of a day of the run, `later` (of another day of the
log), `before` it, `outside` the calendar, or `timeless`. Rows of a source whose time tells their days are, if an event
has a day, also in a bitmap of rows of the same day of their own. Erased events of a day of the run are in a bitmap
of their own. No bitmap holds rows of two files. Bitmaps of several
tasks are brought together by OR (`bitmap_equation.py`).
Cost: linear in the events, and a pass over the bits of each bitmap that a batch touches.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import date, timedelta
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from cep_core.arrays import Flags, Ints, differ
from jobs.stages.loading.row_fates import NO_DAY
from jobs.workload.operating_days import OperatingDays, day_number

_EPOCH = date(1970, 1, 1)

ROWS = 1 << 15
"""Rows of a bitmap."""

TIMELESS, OUTSIDE, BEFORE, LATER = KINDS = "timeless", "outside", "before", "later"

OWN = "own "
"""Begins the kind of a bitmap of rows of a day of their own; nothing follows for rows of no day."""

GONE = "gone "
"""Begins the kind of a bitmap of erased events of a day of the run, which follows."""

DAYS = len(KINDS)
"""The number of the kind of the first day of a run; those above are its other days."""


class RowBitmaps:
    """The bitmaps of the events that a task has seen. `loads`: the days of the run; `start`: the log's first day;
    `timed`: the ranks of sources whose time tells the days of rows."""

    def __init__(
        self, loads: Sequence[date], start: date, days: OperatingDays, timed: Collection[int] = frozenset()
    ) -> None:
        self._kinds = [*KINDS, *(str(day) for day in loads)]
        numbers = np.array([day_number(day) for day in loads], np.int64)
        self._order = np.argsort(numbers)
        self._loads = numbers[self._order]
        self._start, self._days = day_number(start), days
        self._timed, self._own = list(timed), dict[int, int]()
        self._gone: dict[int, int] = {}
        self._bitmaps: dict[tuple[int, int, int], npt.NDArray[np.uint8]] = {}
        self._last: dict[tuple[int, int, int], int] = {}

    def add(
        self, rank: Ints, row: Ints, ts: Ints, timed: Flags, own: Ints | None = None, out: Flags | None = None
    ) -> Flags:
        """Mark the rows of events. `rank`: of their source; -1: of none; `own`: the day of their row, or NO_DAY; `out`:
        whether they were erased.

        Gives the events of the run's days, erased ones too.
        """
        kind = self._kinds_of(ts, timed)
        if own is not None and self._timed:
            has_day = np.isin(rank, self._timed) & (kind != KINDS.index(TIMELESS)) & (kind != KINDS.index(OUTSIDE))
            self._mark(rank[has_day], row[has_day], ts[has_day], self._kinds_of_own(own[has_day]))
        self._mark(rank, row, ts, kind if out is None else self._kinds_without(kind, out))
        return (kind >= DAYS) & (kind < DAYS + len(self._loads))

    def _kinds_without(self, kind: Ints, out: Flags) -> Ints:
        """The numbers of kinds, with erased events of the run's days in kinds of their own."""
        gone = out & (kind >= DAYS)
        if not gone.any():
            return kind
        kind = kind.copy()
        for day in np.unique(kind[gone]).tolist():
            if day not in self._gone:
                self._gone[day] = len(self._kinds)
                self._kinds.append(GONE + self._kinds[day])
            kind[gone & (kind == day)] = self._gone[day]
        return kind

    def _kinds_of_own(self, own: Ints) -> Ints:
        """The numbers of the kinds of rows of these days, new ones for days that were not met before."""
        days, places = np.unique(own, return_inverse=True)
        for day in days.tolist():
            if day not in self._own:
                self._own[day] = len(self._kinds)
                self._kinds.append(OWN if day == NO_DAY else f"{OWN}{_EPOCH + timedelta(days=day)}")
        return np.array([self._own[day] for day in days.tolist()], np.int64)[places]

    def _mark(self, rank: Ints, row: Ints, ts: Ints, kind: Ints) -> None:
        bucket = row // ROWS + 1
        begins = np.flatnonzero(differ(rank, bucket, kind))
        if len(begins) > len(row) // 16:
            order = np.lexsort((bucket, kind, rank))
            rank, row, ts, bucket, kind = rank[order], row[order], ts[order], bucket[order], kind[order]
            begins = np.flatnonzero(differ(rank, bucket, kind))
        for begin, end in pairwise([*begins.tolist(), len(row)]):
            key = int(rank[begin]), int(bucket[begin]), int(kind[begin])
            marked = np.zeros(ROWS, np.bool_)
            marked[row[begin:end] % ROWS] = True
            bits = np.packbits(marked, bitorder="little")
            known = self._bitmaps.get(key)
            self._bitmaps[key] = bits if known is None else known | bits
            if self._kinds[kind[begin]] != TIMELESS:
                last = int(ts[begin:end].max())
                self._last[key] = max(self._last.get(key, last), last)

    def _kinds_of(self, ts: Ints, timed: Flags) -> Ints:
        first, last = self._days.calendar
        number = (ts - self._days.offset) // self._days.length
        place = np.minimum(np.searchsorted(self._loads, number), len(self._loads) - 1)
        loaded = self._loads[place] == number
        outside = np.where(number < self._start, KINDS.index(BEFORE), KINDS.index(LATER))
        kind: Ints = np.where(loaded, DAYS + self._order[place], outside)
        kind[(ts < first) | (ts > last)] = KINDS.index(OUTSIDE)
        kind[~timed] = KINDS.index(TIMELESS)
        return kind

    def rows(self) -> list[dict[str, Any]]:
        """A row for each bitmap: rank, bucket, kind, rows, last_ts. `rank` is null for events that name no row."""
        return [
            {
                "rank": rank if rank >= 0 else None,
                "bucket": bucket,
                "kind": self._kinds[kind],
                "rows": bits.tobytes(),
                "last_ts": self._last.get((rank, bucket, kind)),
            }
            for (rank, bucket, kind), bits in self._bitmaps.items()
        ]

"""What a log's times look like, told to the person who reads them: span, different times, rows that go back; and what
is odd enough to make one doubt that the right columns were read in the right unit. Cost: one pass over sorted times.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np
import pyarrow as pa

from jobs.log_files.times.log_clock import LogClock
from jobs.reports.words.quantities import counted, quantity
from jobs.workload.operating_days import UNITS

_YEAR, _WEEK = 366 * 86_400, 7 * 86_400
_FEW = 10
"""Below so many rows nothing about them is odd."""


@dataclass(frozen=True)
class TimeSpan:
    """Times of `rows` events in the log's unit; `most` are at `most_at`; `back` rows are earlier than the row above."""

    rows: int
    first: int
    last: int
    different: int
    back: int
    most: int
    most_at: int

    @staticmethod
    def of(in_file: pa.ChunkedArray, ordered: pa.ChunkedArray) -> TimeSpan | None:
        """The span of times (int64, no nulls) in the order of the file and sorted; None without rows.

        >>> TimeSpan.of(pa.chunked_array([[3, 1, 3]]), pa.chunked_array([[1, 3, 3]]))
        TimeSpan(rows=3, first=1, last=3, different=2, back=1, most=2, most_at=3)
        """
        if not len(ordered):
            return None
        times, rows = ordered.to_numpy(), in_file.to_numpy()
        starts = np.concatenate(([0], np.flatnonzero(times[1:] != times[:-1]) + 1))
        sizes = np.diff(np.append(starts, len(times)))
        fullest = int(sizes.argmax())
        back = int(np.count_nonzero(rows[1:] < rows[:-1]))
        most_at = int(times[starts[fullest]])
        return TimeSpan(len(times), int(times[0]), int(times[-1]), len(starts), back, int(sizes[fullest]), most_at)

    def text(self, clock: LogClock) -> str:
        """One sentence's part.

        >>> TimeSpan(3, 1, 3, 2, 1, 2, 3).text(LogClock(None))
        'spans 1 to 3, 2 different times, goes back in 1 row'
        """
        span = clock.between(self.first, self.last)
        times = counted(self.different, "different time")
        return f"spans {span}, {times}, goes back in {counted(self.back, 'row')}"

    def oddities(self, clock: LogClock, *, is_unit_guessed: bool) -> list[str]:
        """What makes one doubt the columns or their unit, each as a remark."""
        remarks = []
        if self.rows >= _FEW and self.most * 2 > self.rows:
            remarks.append(
                f"{quantity(self.most)} of {quantity(self.rows)} events are at one time, {clock.time(self.most_at)}: "
                "does another column tell more of the time? --ts DATE+TIME reads two"
            )
        if self.rows >= _FEW and self.back * 10 > self.rows * 9:
            remarks.append("the newest rows stand first in the file; the events are ordered by time")
        elif self.rows >= _FEW and self.back * 20 > self.rows:
            remarks.append(
                f"the time goes back in {quantity(self.back)} of {quantity(self.rows)} rows, and the events are "
                "ordered by it: is it the column that says when they happened (--ts)?"
            )
        if clock.wall is not None:
            remarks += self._absurd_dates(clock)
        elif is_unit_guessed and clock.unit == "s" and self.last - self.first > _WEEK:
            seconds = self.last - self.first
            remarks.append(
                f"these numbers are no dates, and as seconds they span {_length(seconds)}; "
                f"as milliseconds (--unit ms) {_length(seconds / 1000)}"
            )
        return remarks

    def _absurd_dates(self, clock: LogClock) -> list[str]:
        factor = UNITS[clock.unit]
        latest = int(datetime.now(UTC).timestamp()) + _YEAR
        if self.last // factor > latest or self.first // factor < 0 or (self.last - self.first) // factor > 100 * _YEAR:
            span = clock.between(self.first, self.last)
            return [f"is this right: {span}? --unit says what numbers count, --ts names the column"]
        return []


def _length(seconds: float) -> str:
    for unit, name in ((_YEAR, "year"), (86_400, "day"), (3_600, "hour"), (60, "minute")):
        if seconds >= 2 * unit:
            return counted(round(seconds / unit), name)
    return counted(round(seconds), "second")

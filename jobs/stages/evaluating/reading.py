"""What a slice's evaluation reads: how far back, which events, which time-points, and in how many parts.

An evaluator that reads time-points goes back over the points of the whole log, others over the slice's own events.
Cost: binary searches in the ascending stamps.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from cep_core.language.evaluator import Evaluator, Reach
from cep_core.slicing import read_from

WORTH_CUTTING = 0.75
"""A range is cut in two only if the larger part reads at most this share of its rows. The rest is reach."""

Moments = tuple[int, ...]
Stamps = npt.NDArray[np.int64]
NO_STAMPS: Stamps = np.zeros(0, np.int64)


@dataclass(frozen=True)
class Reading:
    """How far back an evaluator reads in a slice. `stamps`: of the slice's events; `points`: None if it reads none."""

    reach: Reach
    stamps: Stamps
    points: pa.Table | None = None

    @classmethod
    def of(cls, evaluator: Evaluator, stamps: Stamps, points: pa.Table | None) -> Reading:
        """An evaluator's reading of a slice. `stamps`: of its events.

        Raises ValueError if it lacks the time-points that it needs.
        """
        if evaluator.reads_points and points is None:
            raise ValueError("the evaluator reads time-points, but the slice came without them")
        return cls(evaluator.reach, stamps, points if evaluator.reads_points else None)

    def start(self, moment: int) -> int:
        """The first log time that a result certain at `moment` can depend on."""
        return read_from(moment, self.reach, self.stamps if self.points is None else self.points["ts"].to_numpy())

    def rows(self, days: Moments) -> int:
        """How many events, or time-points where these are more, the results of some days depend on."""
        start = self.start(days[0])
        events = between(self.stamps, start, days[-1])
        if self.points is None:
            return events.stop - events.start
        read = between(self.points["ts"].to_numpy(), start, days[-1])
        points = int(self.points["points"].to_numpy()[read].sum())
        return max(events.stop - events.start, points)

    def points_of(self, start: int, end: int, inputs: tuple[int, int]) -> pa.Table | None:
        """The time-points with stamps in [start, end), and those of the stamps before and after.

        No verdict depends on these two stamps. They tell whether an episode goes on in another slice. They lie in
        `inputs`, the moments [first, last) that the block of days may read.
        """
        if self.points is None:
            return None
        inside = between(self.points["ts"].to_numpy(), start, end)
        allowed = between(self.points["ts"].to_numpy(), *inputs)
        first = max(inside.start - 1, allowed.start)
        return self.points.slice(first, max(min(inside.stop + 1, allowed.stop) - first, 0))


def pieces(days: Moments, reading: Reading, limit: int) -> list[Moments]:
    """`days`, cut until each part reads at most `limit` events and time-points; at day boundaries if there are any.

    >>> pieces((0, 10, 20, 30, 40), Reading(Reach(time=2), np.arange(40)), limit=15)
    [(0, 10), (10, 20), (20, 30), (30, 40)]
    >>> pieces((0, 40), Reading(Reach(time=1000), np.arange(40)), limit=15)  # every part would read nearly all of it
    [(0, 40)]
    """
    rows = reading.rows(days)
    if rows <= limit or days[-1] - days[0] < 2:
        return [days]
    middle = days[len(days) // 2] if len(days) > 2 else (days[0] + days[-1]) // 2
    halves = (
        (*(moment for moment in days if moment < middle), middle),
        (middle, *(moment for moment in days if moment > middle)),
    )
    if max(map(reading.rows, halves)) > WORTH_CUTTING * rows:
        return [days]
    return [piece for half in halves for piece in pieces(half, reading, limit)]


def between(stamps: Stamps, start: int, end: int) -> slice:
    """The places of the ascending stamps in [start, end).

    >>> between(np.array([1, 5, 5, 9]), 5, 9)
    slice(1, 3, None)
    """
    first, after = np.searchsorted(stamps, [start, end])
    return slice(int(first), int(after))

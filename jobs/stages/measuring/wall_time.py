"""Wall time of a day with so many workers, by arithmetic: four parts, and which of them more workers shorten.

Applications start. The driver does its part alone: the gate, plans, results merged and written, strategies compared.
Workers divide what is evenly divided: rows are read and sorted, counted, cut into slices. And they evaluate slices, at
least one for each worker: the largest slice bounds this part from below, and copies make it dearer as a whole.

A second of a worker is a second of a core of the machine that measured. The lake's and the network's own speed are
not in it, nor pages, which are as many for a small log. A few numbers of workers are looked at (`WORKERS`), as far as
each worker would have something to do: a small day is not planned for a thousand workers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

WORKERS = (1, 2, 4, 8, 16, 64, 256, 1024)
"""The numbers of workers that are looked at."""

FEW = 8_192
"""Fewer events of the day for each worker are not divided further: a slice of so few costs mostly what every call
costs."""

START = 45.0
"""Seconds that no number of workers shortens: Spark starts, and each stage's code is compiled and its Python workers
begin. Measured with one executor and a million rows (docs/cluster.md)."""

ROW = 2.7e-6 + 0.7e-6
"""Core-seconds for each event of the day that workers read, sort, write and count (docs/cluster.md)."""

COPY = 7.6e-6
"""Core-seconds for each copy of an event that workers cut into a slice (docs/cluster.md)."""

NOTHING_GAINED = 0.05
"""More workers gain nothing where the best of all numbers is at most this share below."""


@dataclass(frozen=True)
class Cut:
    """How queries that share a plan are cut: the `events` that they read, the share of these in the largest slice, and
    the copies of an event."""

    queries: tuple[str, ...]
    events: float
    largest: float
    copies: float


@dataclass(frozen=True)
class Work:
    """A day's work: seconds of the driver `alone`; the day's own events; by query, core-seconds of its evaluation if
    nothing were sliced."""

    alone: float
    loaded: float
    seconds: Mapping[str, float]

    def evaluation(self, cut: Cut) -> float:
        """Core-seconds of a plan's queries if nothing were sliced."""
        return sum(self.seconds.get(name, 0.0) for name in cut.queries)


@dataclass(frozen=True)
class Wall:
    """Predicted seconds with so many workers. `slowest`: the queries of the slice that takes longest.

    `held`: whether the others wait for that slice.
    """

    workers: int
    start: float
    alone: float
    divided: float
    evaluate: float
    slowest: tuple[str, ...]
    held: bool

    @property
    def total(self) -> float:
        return self.least + self.divided + self.evaluate

    @property
    def least(self) -> float:
        """What remains with endlessly many workers and slices."""
        return self.start + self.alone


def wall(work: Work, cuts: Sequence[Cut], workers: int) -> Wall:
    """The day with so many workers, cut so. Workers take slices as they become free."""
    largest = {cut.queries: work.evaluation(cut) * cut.largest for cut in cuts}
    slowest = max(largest, key=lambda queries: largest[queries], default=())
    longest = largest.get(slowest, 0.0)
    even = sum(work.evaluation(cut) * cut.copies for cut in cuts) / workers
    divided = (work.loaded * ROW + sum(cut.events * cut.copies for cut in cuts) * COPY) / workers
    return Wall(workers, START, work.alone, divided, max(longest, even), slowest, longest > even)


def walls(work: Work, cuts: Callable[[int], Sequence[Cut] | None]) -> list[Wall]:
    """The wall time with each number of workers, fewest first, as far as it was planned how they would cut the day.

    `cuts`: how a number of workers would; None if that was not planned.
    """
    looked_at: list[Wall] = []
    for workers in WORKERS:
        own = cuts(workers)
        if own is None:
            break
        looked_at.append(wall(work, own, workers))
    return looked_at


def enough(walls: Sequence[Wall]) -> Wall:
    """The fewest workers beyond which nothing is gained."""
    best = min(each.total for each in walls)
    return next(each for each in walls if each.total * (1 - NOTHING_GAINED) <= best)


def beyond(walls: Sequence[Wall]) -> str:
    """What is known of the numbers of workers that were not looked at; empty: all were.

    >>> beyond([Wall(1, 45.0, 5.0, 0.1, 0.2, ("q",), False)])
    'with 2 to 1,024 workers at least 50 s: a worker would have so few events that it was not planned'
    """
    last = walls[-1]
    others = [workers for workers in WORKERS if workers > last.workers]
    if not others:
        return ""
    more = f"{others[0]:,} to {others[-1]:,}" if len(others) > 1 else f"{others[0]:,}"
    return f"with {more} workers at least {last.least:.0f} s: a worker would have so few events that it was not planned"


def verdict(walls: Sequence[Wall]) -> str:
    """The number of workers beyond which nothing is gained, and why.

    >>> verdict([Wall(1, 45.0, 5.0, 100.0, 200.0, ("q",), False), Wall(2, 45.0, 5.0, 50.0, 150.0, ("q",), True),
    ...          Wall(4, 45.0, 5.0, 25.0, 150.0, ("q",), True), Wall(8, 45.0, 5.0, 20.0, 150.0, ("q",), True)])
    'beyond 4 workers nothing is gained: every worker waits for the largest slice of q'
    """
    best = enough(walls)
    why = (
        f"every worker waits for the largest slice of {', '.join(best.slowest)}"
        if best.held and best.evaluate > best.start + best.alone
        else "start and driver take the rest"
    )
    return f"beyond {best.workers:,} worker{'s' if best.workers > 1 else ''} nothing is gained: {why}"

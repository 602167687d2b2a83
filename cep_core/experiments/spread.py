"""A measure over the seeds of an experiment, in three numbers."""

from __future__ import annotations

import statistics
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Spread:
    """Mean, sample standard deviation (0 for one value), and how many values there were."""

    mean: float
    deviation: float
    n: int

    @staticmethod
    def of(values: Iterable[float]) -> Spread:
        """Of at least one value; the same values in another order give the same bits.

        >>> Spread.of([0.4, 0.2])
        Spread(mean=0.30000000000000004, deviation=0.14142135623730953, n=2)
        >>> Spread.of([3]).deviation
        0.0
        """
        ordered = sorted(values)
        deviation = statistics.stdev(ordered) if len(ordered) > 1 else 0.0
        return Spread(statistics.fmean(ordered), deviation, len(ordered))

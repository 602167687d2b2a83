"""A measure over the seeds of an experiment, as mean, standard deviation and number of runs."""

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

        >>> Spread.of([3, 1, 2])
        Spread(mean=2.0, deviation=1.0, n=3)
        >>> Spread.of([3]).deviation
        0.0
        """
        ordered = sorted(values)
        deviation = statistics.stdev(ordered) if len(ordered) > 1 else 0.0
        return Spread(statistics.fmean(ordered), deviation, len(ordered))

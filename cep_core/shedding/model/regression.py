"""Latency as a function of the number of partial matches: the best of several regressions (pSPICE, section III-E).

Each candidate is a + b * shape(n) with shape 0, n, n * bits(n) or n * n. It is fitted by least squares and kept
monotone (b >= 0), so that it has an inverse. The one with the lowest error on held-out samples wins, the simpler one on
a tie. Samples are integers and sums are exact fractions, so the same samples give the same function on any machine.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from numba import njit

from cep_core.arrays import Ints

CONSTANT, LINEAR, LINEARITHMIC, QUADRATIC = range(4)

HELD_OUT = 3
"""Every third sample is held out to judge the candidates."""


@njit(cache=True)
def shape(kind: int, count: int) -> int:
    """The factor of b in a candidate, for a number of partial matches.

    >>> [shape(kind, 10) for kind in range(4)]
    [0, 10, 40, 100]
    """
    if kind == CONSTANT:
        return 0
    if kind == LINEAR:
        return count
    if kind == QUADRATIC:
        return count * count
    bits = 0
    rest = count
    while rest > 0:
        rest >>= 1
        bits += 1
    return count * bits


@njit(cache=True)
def predicted(kind: int, base: float, slope: float, count: int) -> float:
    """The latency of `count` partial matches."""
    return base + slope * shape(kind, count)


@njit(cache=True)
def inverse(kind: int, base: float, slope: float, latency: float, most: int) -> int:
    """The largest number of partial matches, up to `most`, that takes at most `latency`; 0 if none does.

    >>> inverse(LINEAR, 10.0, 0.5, 270.0, 600)
    520
    """
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        if predicted(kind, base, slope, middle) <= latency:
            low = middle
        else:
            high = middle - 1
    return low


@dataclass(frozen=True)
class Latency:
    """A fitted function: `base + slope * shape(kind, n)`, in virtual nanoseconds."""

    kind: int
    base: float
    slope: float

    def __call__(self, count: int) -> float:
        return float(predicted(self.kind, self.base, self.slope, count))


def fit_latency(counts: Ints, latencies: Ints) -> Latency:
    """The candidate with the lowest held-out error; without samples, the constant 0.

    >>> import numpy as np
    >>> fit_latency(np.arange(9), 10 + 5 * np.arange(9))
    Latency(kind=1, base=10.0, slope=5.0)
    """
    samples = sorted(zip(counts.tolist(), latencies.tolist(), strict=True))
    if not samples:
        return Latency(CONSTANT, 0.0, 0.0)
    held_out = samples[HELD_OUT - 1 :: HELD_OUT] or samples
    fitted = [sample for place, sample in enumerate(samples) if place % HELD_OUT != HELD_OUT - 1] or samples
    candidates = [_least_squares(kind, fitted) for kind in range(4)]
    best = min(range(4), key=lambda kind: (_error(kind, *candidates[kind], held_out), kind))
    base, slope = _least_squares(best, samples)
    return Latency(best, float(base), float(slope))


def _least_squares(kind: int, samples: list[tuple[int, int]]) -> tuple[Fraction, Fraction]:
    """Base and slope; the slope is at least 0."""
    count = len(samples)
    shapes = [shape(kind, n) for n, _ in samples]
    sum_x, sum_y = sum(shapes), sum(y for _, y in samples)
    sum_xx = sum(x * x for x in shapes)
    sum_xy = sum(x * y for x, (_, y) in zip(shapes, samples, strict=True))
    spread = count * sum_xx - sum_x * sum_x
    slope = max(Fraction(count * sum_xy - sum_x * sum_y, spread), Fraction(0)) if spread else Fraction(0)
    return (Fraction(sum_y) - slope * sum_x) / count, slope


def _error(kind: int, base: Fraction, slope: Fraction, samples: list[tuple[int, int]]) -> Fraction:
    return sum(((base + slope * shape(kind, n) - y) ** 2 for n, y in samples), Fraction(0)) / len(samples)

"""Latency as a function of the number of partial matches: the best of several regressions (pSPICE, section III-E).

Each candidate is a + b * shape(n) with shape 0, n, n * bits(n) or n * n. It is fitted by least squares and kept
monotone (b >= 0), so that it has an inverse. The one with the lowest error on held-out samples wins, the simpler one on
a tie. Samples are integers and sums are exact, so the same samples give the same function on any machine.

Cost: one sort of the samples; then nine passes of integer sums, and fractions of those sums only.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from operator import mul
from typing import NamedTuple

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
    errors = [_error(_sums(kind, held_out), *_least_squares(_sums(kind, fitted))) for kind in range(4)]
    best = min(range(4), key=lambda kind: (errors[kind], kind))
    base, slope = _least_squares(_sums(best, samples))
    return Latency(best, float(base), float(slope))


class _Sums(NamedTuple):
    """All that least squares and their error ask of samples (x, y): how many they are, and their exact sums."""

    samples: int
    x: int
    y: int
    xx: int
    xy: int
    yy: int


def _sums(kind: int, samples: list[tuple[int, int]]) -> _Sums:
    """The sums over the shapes of the numbers of partial matches, and the latencies."""
    shape_of = {n: shape(kind, n) for n in {n for n, _ in samples}}
    x, y = [shape_of[n] for n, _ in samples], [latency for _, latency in samples]
    return _Sums(len(x), sum(x), sum(y), sum(map(mul, x, x)), sum(map(mul, x, y)), sum(map(mul, y, y)))


def _least_squares(of: _Sums) -> tuple[Fraction, Fraction]:
    """Base and slope; the slope is at least 0."""
    spread = of.samples * of.xx - of.x * of.x
    slope = max(Fraction(of.samples * of.xy - of.x * of.y, spread), Fraction(0)) if spread else Fraction(0)
    return (Fraction(of.y) - slope * of.x) / of.samples, slope


def _error(of: _Sums, base: Fraction, slope: Fraction) -> Fraction:
    """The mean of (base + slope * x - y) squared."""
    squares = base * base * of.samples + slope * slope * of.xx + of.yy
    return (squares + 2 * (base * slope * of.x - base * of.y - slope * of.xy)) / of.samples

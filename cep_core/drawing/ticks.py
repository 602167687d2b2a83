"""Where the ticks of an axis stand if its figure does not say: at round numbers, or at powers of ten."""

from __future__ import annotations

import math

_ROUND = (1.0, 2.0, 2.5, 5.0, 10.0)
_CLOSE = 1e-9
NEAR = 1e-300
"""A distance of two numbers that floats hardly divide further."""


def round_ticks(low: float, high: float, most: int, *, integer: bool = False) -> list[float]:
    """At most `most` round numbers from `low` to `high`, as dense as that allows.

    >>> round_ticks(0, 47, 6), round_ticks(0, 3.2, 9, integer=True), round_ticks(0, 1, 3)
    ([0.0, 10.0, 20.0, 30.0, 40.0], [0.0, 1.0, 2.0, 3.0], [0.0, 0.5, 1.0])
    """
    if not high - low > NEAR:
        return [low]
    power = 10.0 ** math.floor(math.log10((high - low) / most))
    power = max(power, 1.0) if integer else power
    for scale in (power / 10, power, power * 10, power * 100):
        for factor in _ROUND:
            step = factor * scale
            if integer and (step < 1 or step != int(step)):
                continue
            first, last = math.ceil(low / step - _CLOSE), math.floor(high / step + _CLOSE)
            if last - first < most:
                return [float(f"{place * step:.12g}") for place in range(first, last + 1)]
    raise AssertionError("a step that is larger than the axis has one tick at most")


def power_ticks(low: float, high: float, most: int) -> list[float]:
    """Powers of ten between two positive numbers, and if these are few, also numbers between them.

    >>> power_ticks(0.5, 2e4, 6), power_ticks(15, 60, 6)
    ([1.0, 10.0, 100.0, 1000.0, 10000.0], [20.0, 50.0])
    >>> power_ticks(1e-3, 1e8, 4)
    [0.001, 1.0, 1000.0, 1000000.0]
    """
    first, last = math.ceil(math.log10(low) - _CLOSE), math.floor(math.log10(high) + _CLOSE)
    decades = last - first + 1
    if decades > 2:
        step = math.ceil(decades / most)
        return [float(f"1e{power}") for power in range(first, last + 1) if power % step == 0]
    for factors in ((1, 2, 5), (1, 2, 3, 5, 7)):
        ticks = [float(f"{factor}e{power}") for power in range(first - 1, last + 1) for factor in factors]
        inside = [tick for tick in ticks if low * (1 - _CLOSE) <= tick <= high * (1 + _CLOSE)]
        if len(inside) > 1:
            return inside
    return round_ticks(low, high, most)

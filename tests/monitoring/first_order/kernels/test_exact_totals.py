"""Exact totals of doubles and exact quotients, rounded once, against fractions."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from cep_core.monitoring.first_order.kernels.exact_totals import LIMBS, enter, quotients, rounded

FINITE = st.floats(allow_nan=False, allow_infinity=False)
EXTREMES = st.sampled_from(
    [5e-324, -5e-324, 2.2250738585072014e-308, 1.7976931348623157e308, -1e308, 1e-308, 1.0, 2**-53]
)
DIVISORS = st.sampled_from([1, 2, 3, 5, 7, 2**31 - 1, 2**31]) | st.integers(1, 2**31)


def nearest(value: Fraction) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


@given(st.lists(FINITE | EXTREMES, min_size=1, max_size=12), st.integers(0, 12), DIVISORS)
def test_totals_are_rounded_once(values: list[float], taken: int, divisor: int) -> None:
    """Some of the values are taken away again."""
    limbs, scratch = np.zeros(LIMBS, np.int64), np.zeros(LIMBS, np.int64)
    low, high = LIMBS, 0
    for sign, entered in ((1, values), (-1, values[:taken])):
        for value in entered:
            limb = enter(limbs, np.float64(value).view(np.int64), sign)
            low, high = min(low, limb), max(high, limb + 2)
    exact = sum(map(Fraction, values[taken:]), Fraction()) / divisor
    assert rounded(limbs, low, high, divisor, scratch) == nearest(exact)
    assert not scratch.any()


@given(st.lists(st.tuples(st.integers(-(2**63), 2**63 - 1), st.integers(0, 2**32 - 1), DIVISORS), max_size=6))
def test_quotients_are_rounded_once(cases: list[tuple[int, int, int]]) -> None:
    high, low, divisors = (np.array([case[place] for case in cases], np.int64) for place in range(3))
    expected = [float(Fraction((upper << 32) + lower, divisor)) for upper, lower, divisor in cases]
    assert quotients(high, low, divisors).tolist() == expected


def test_ties_go_to_even() -> None:
    halves = np.array([2**53 + 1, 2**53 + 3, 2**54 + 2, -(2**53) - 1])
    assert quotients(halves >> 32, halves & 0xFFFFFFFF, np.ones(4, np.int64)).tolist() == [
        float(v) for v in halves.tolist()
    ]

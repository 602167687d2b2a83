"""STDDEV: the standard deviation of integers over the whole population, rounded once.

With n non-null values, their sum s, and the sum of their squares q, it is sqrt(n q - s^2) / n. All three are exact
integers of any size, and they add up over trends, groups and slices. Doubles are refused: their exact squares would
need thousands of bits for each value. Over one value the result is 0; over no value it is NULL. Cost over all trends:
two totals more than COUNT, and a root for each row of the result. Inside a match it is linear.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cep_core.aggregates.aggregate import INTEGERS, Aggregate, Carried, Merged, Returned, Summand, known_among
from cep_core.aggregates.average import sizes
from cep_core.aggregates.measures import Weighed, amounts, known
from cep_core.arrays import Floats, Ints
from cep_core.events.schema import AttributeType
from cep_core.numbers.integers import Integers
from cep_core.numbers.limb_words import LIMB, LIMB_BITS

SAFE = 1 << 62
"""Two integers below this add without wrapping. Neither loses digits in an extended double."""
EXTENDED = np.finfo(np.longdouble).nmant >= 63
"""Whether a long double holds every machine word. If not, every root is computed in integers."""
NEAR = 2.0**-8
"""Roots closer than this to the middle of two doubles are computed again in integers; the unit is their distance."""


class StandardDeviation(Aggregate):
    """`STDDEV(E.x)` and `stddev(b[].x)`."""

    name = "stddev"
    takes = INTEGERS
    hint = "AVG, MIN and MAX take floats; STDDEV takes them as integers of a smaller unit"
    rounded = True
    word = "standard deviation of"

    def type_in_match(self, argument: AttributeType | None) -> AttributeType | None:
        return AttributeType.FLOAT

    def carried(self, argument: AttributeType | None) -> Carried:
        return Carried((Summand(amounts), Summand(known), Summand(squares)))

    def returned(self, argument: AttributeType | None, *, exact: bool) -> Returned:
        def values(merged: Merged) -> list[pa.Array]:
            total, count, of_squares = merged.totals
            deviations = pa.array(_deviations(count, total, of_squares), mask=~count.nonzero())
            return [deviations, sizes(deviations)]

        return Returned((("", pa.float64()), ("_log10", pa.float64())), values)

    def running(self, values: pa.Array, offsets: Ints, *, before: bool) -> pa.Array:
        from cep_core.aggregates.running import known_so_far, largest_sum, sums

        counts = known_so_far(values, offsets, before=before)
        numbers = values.fill_null(0).to_numpy(zero_copy_only=False).astype(np.int64)
        longest = int(np.diff(offsets).max(initial=0))
        if largest_sum(numbers, offsets) ** 2 < SAFE * max(1, longest):
            count, total, of_squares = (
                Integers(column)
                for column in (counts, sums(numbers, offsets, before), sums(numbers**2, offsets, before))
            )
        else:
            count, total, of_squares = Integers(counts), *_wide_sums(numbers, offsets, before=before)
        return pa.array(_deviations(count, total, of_squares), mask=counts == 0)

    def define(self, values: Sequence[Any]) -> float | None:
        known_values = known_among(values)
        if not known_values:
            return None
        mean = Fraction(sum(known_values), len(known_values))
        return root(sum(((value - mean) ** 2 for value in known_values), Fraction(0)) / len(known_values))


def squares(values: pa.Array) -> Weighed:
    """The square of each integer, in up to four limbs. A NULL adds 0.

    >>> squares(pa.array([3, None, -(2**63)])).positive
    array([[         9,          0,          0,          0],
           [         0,          0,          0,          0],
           [         0,          0,          0, 1073741824]], dtype=uint64)
    """
    whole = pc.fill_null(values.cast(pa.int64()), 0).to_numpy(zero_copy_only=False)
    magnitude = np.abs(whole).astype(np.uint64)  # also right for -2**63: abs wraps to itself, and the cast gives 2**63
    low, high = magnitude & LIMB, magnitude >> LIMB_BITS
    lowest, middle, highest = low * low, 2 * low * high, high * high
    second = (lowest >> LIMB_BITS) + (middle & LIMB)
    third = (second >> LIMB_BITS) + (middle >> LIMB_BITS) + (highest & LIMB)
    limbs = [lowest & LIMB, second & LIMB, third & LIMB, (third >> LIMB_BITS) + (highest >> LIMB_BITS)]
    used = max((place for place, limb in enumerate(limbs) if limb.any()), default=0) + 1
    return Weighed(np.stack(limbs[:used], axis=1))


def root(square: Fraction) -> float:
    """The double nearest to the square root of a fraction >= 0, ties to even.

    The root is computed in integers with more than twice the bits of a double. The last bit is 1 if anything is cut
    off. So the single rounding to a double knows on which side of a middle the root lies.

    >>> root(Fraction(2)), root(Fraction(10**600, 9)) == 10**300 / 3
    (1.4142135623730951, True)
    """
    dividend, divisor = square.numerator, square.denominator
    shift = (dividend.bit_length() - divisor.bit_length() - 2 * 64) // 2
    if shift >= 0:
        divisor <<= 2 * shift
    else:
        dividend <<= -2 * shift
    whole = math.isqrt(dividend // divisor)
    whole |= whole * whole * divisor != dividend
    return float(whole << shift) if shift >= 0 else whole / (1 << -shift)


def _deviations(count: Integers, total: Integers, of_squares: Integers) -> Floats:
    """sqrt(n q - s^2) / n of each row, rounded once; 0 if n is 0."""
    radicand = count.times(of_squares).minus(total.times(total))
    divisor = np.maximum(count.small, 1).astype(np.longdouble)
    extended = np.sqrt(radicand.small.astype(np.longdouble)) / divisor
    deviations: Floats = extended.astype(np.float64)
    unit = np.spacing(deviations)
    from_middle = np.abs(np.abs(extended - deviations) - unit / 2)
    uncertain = (from_middle < NEAR * unit) | (np.abs(radicand.small) >= SAFE)
    uncertain[list(radicand.large) + list(count.large)] = True
    if not EXTENDED:
        uncertain[:] = True
    for row in np.flatnonzero(uncertain & count.nonzero()).tolist():
        deviations[row] = root(Fraction(radicand[row], count[row] ** 2))
    return deviations


def _wide_sums(numbers: Ints, offsets: Ints, *, before: bool) -> tuple[Integers, Integers]:
    """The sums and the sums of squares of each list so far. These may exceed a machine word."""
    total, of_squares = [0] * len(numbers), [0] * len(numbers)
    for begin, end in zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True):
        first = second = 0
        for place, number in enumerate(numbers[begin:end].tolist(), start=begin):
            after = first + number, second + number * number
            total[place], of_squares[place] = (first, second) if before else after
            first, second = after
    return Integers.of(total), Integers.of(of_squares)
